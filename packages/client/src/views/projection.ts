import { callback } from '../errors/check.ts'
import { OptionRangeError, OptionTypeError } from '../errors/option.ts'

/**
 * What a view returns of each object.
 * - `default`: the object without `metadata.managedFields`.
 * - `full`: the object as the server sends it.
 * - `exact`: as `full`, with integers beyond 2^53 − 1 as `bigint`.
 * - `metadata`: only metadata, without `managedFields`; the server does not send the rest.
 * - `named`: the result of `project`, which gets the decoded object (with `managedFields`, if the server sent them).
 */
export type ProjectionKind = 'default' | 'full' | 'exact' | 'metadata' | 'named'

export interface Projection<out C> {
  readonly kind: ProjectionKind
  /** The name in the view's key: the kind, or the name that a named one was given. */
  readonly name: string
  /**
   * The function of a named projection; its identity says whether two projections of one name are
   * one and the same. `undefined` for the others, which every reader builds alike.
   */
  readonly project?: ((object: never) => C) | undefined
  /** The name says all that the function does (`selfNamed`): functions are not compared. */
  readonly selfNamed?: true | undefined
}

/**
 * A projection with a name that says all that it does, with its parameters (`pick:data,metadata.labels`), so that two of one
 * name are one and the same however often they were made. `selfNamed` makes one; `@wherry/transform-cache` has
 * ready-made ones.
 */
export type SelfNamedProjection<T, C> = ((object: T) => C) & SelfNamed

/**
 * What `selfNamed` adds to a function. A generic one is best typed as an interface with a call signature that
 * extends this: TypeScript then infers what it gives for a resource.
 */
export interface SelfNamed {
  readonly projectionName: string
}

/**
 * Gives a function of an object a name that says all that it does, so that `resource.project` takes it as it is. The name
 * must hold every parameter that changes what the function gives: views of one name share the stored objects. The function
 * itself is changed; it can't be given another name later.
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
