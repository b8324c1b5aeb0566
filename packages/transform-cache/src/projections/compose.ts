import { OptionRangeError, OptionTypeError, type SelfNamedProjection } from '@wherry/client'
import { nameOfProjection, selfNamed } from '@wherry/client/internal'

/**
 * Applies projections one after another, each to the result of the previous projection. The name combines the names of the projections.
 *
 * @throws OptionTypeError for a function without a name (`selfNamed`), OptionRangeError for fewer than two projections
 * @example
 * ```ts
 * import { deployments } from '@wherry/client/resources/apps'
 * import { compose, omit, stripLastApplied } from '@wherry/transform-cache'
 *
 * const desired = deployments.project(compose(stripLastApplied, omit('status')))
 * ```
 */
export function compose<T extends object, A extends object, B>(
  first: (object: T) => A,
  second: (object: A) => B,
): SelfNamedProjection<T, B>
export function compose<T extends object, A extends object, B extends object, C>(
  first: (object: T) => A,
  second: (object: A) => B,
  third: (object: B) => C,
): SelfNamedProjection<T, C>
export function compose<T extends object, A extends object, B extends object, C extends object, D>(
  first: (object: T) => A,
  second: (object: A) => B,
  third: (object: B) => C,
  fourth: (object: C) => D,
): SelfNamedProjection<T, D>
export function compose(...steps: readonly ((object: never) => unknown)[]): SelfNamedProjection<never, unknown> {
  if (steps.length < 2) throw new OptionRangeError('compose', 'two projections or more', `${steps.length}`)
  const names = steps.map(step => {
    const name = nameOfProjection(step)
    if (name === undefined) {
      throw new OptionTypeError('compose', 'projections that name themselves (selfNamed)', typeof step)
    }
    return name
  })
  return selfNamed(names.join('+'), (object: never) => {
    let made: unknown = object
    for (const step of steps) made = step(made as never)
    return made
  })
}
