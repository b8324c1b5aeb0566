import { callback } from '../errors/check.ts'
import { OptionRangeError, OptionTypeError } from '../errors/option.ts'

/**
 * The kind of a view's projection.
 * - `default`: the object without `metadata.managedFields`.
 * - `full`: the object as the server sends it.
 * - `exact`: as `full`, with integers beyond 2^53 − 1 as `bigint`.
 * - `metadata`: only metadata, without `managedFields`; the server does not send the rest.
 * - `named`: the result of `project`, which receives the decoded object (with `managedFields`, if the server sent them).
 */
export type ProjectionKind = 'default' | 'full' | 'exact' | 'metadata' | 'named'

export interface Projection<out C> {
  readonly kind: ProjectionKind
  /** The name in the view's key: the kind, or the name of a named projection. */
  readonly name: string
  /**
   * The function of a named projection: two projections of one name are equal if they have the
   * same function. `undefined` for the other kinds.
   */
  readonly project?: ((object: never) => C) | undefined
  /** Whether the name contains all parameters of the function (`selfNamed`), so that functions need not be compared. */
  readonly selfNamed?: true | undefined
}

/**
 * A projection with a name that contains all its parameters (`pick:data,metadata.labels`), so that two projections of one
 * name are equal, however often they are made. `selfNamed` makes one; `@wherry/transform-cache` has
 * ready-made ones.
 */
export type SelfNamedProjection<T, C> = ((object: T) => C) & SelfNamed

/**
 * The name that `selfNamed` adds to a function. Type a generic projection as an interface with a call signature that
 * extends this: TypeScript then infers its result for a resource.
 */
export interface SelfNamed {
  readonly projectionName: string
}

/**
 * Gives a projection its name, so that `resource.project` needs no other. The name must contain every parameter
 * that changes the result, because views of one name share the stored objects. The function
 * itself is changed, and can't get another name later.
 */
export function selfNamed<F extends (object: never) => unknown>(name: string, project: F): F & SelfNamed {
  if (typeof name !== 'string' || name === '') throw new OptionTypeError('selfNamed.name', 'a name', `${name}`)
  callback('selfNamed.project', project)
  const known = nameOfProjection(project)
  if (known === name) return project as F & SelfNamed
  if (known !== undefined) {
    throw new OptionRangeError('selfNamed.project', 'a function that has no other name', JSON.stringify(known))
  }
  if (!Object.isExtensible(project))
    throw new OptionTypeError('selfNamed.project', 'a function that is not frozen', 'one')
  return Object.defineProperty(project, 'projectionName', { value: name, enumerable: true }) as F & SelfNamed
}

/** The name of a projection that names itself; `undefined` for other functions. */
export function nameOfProjection(project: unknown): string | undefined {
  return typeof project === 'function' ? (project as Partial<SelfNamed>).projectionName : undefined
}
