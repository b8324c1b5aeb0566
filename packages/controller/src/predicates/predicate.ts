import { callback, ignored, watched } from '@wherry/client/internal'

/**
 * Whether an event makes keys run. It must be synchronous and quick, as it is called for each event. If it throws or
 * returns a promise, `onError` gets an error and the event passes. An update that sets `deletionTimestamp` or changes the `uid` always passes, so that finalizers are
 * handled.
 */
export type Predicate<in E> = (event: E) => boolean

/**
 * Passes an event that all predicates pass.
 *
 * @example
 * ```ts
 * import { deployments } from '@wherry/client/resources/apps'
 * import { and, generationChanged, labelsChanged, type Operator } from '@wherry/controller'
 *
 * export function declare(operator: Operator): void {
 *   operator.controller('report').for(deployments)
 *     .withPredicates(and(generationChanged, labelsChanged))
 *     .reconcile(({ key, log }) => log.info({}, key.name))
 * }
 * ```
 */
export function and<E>(...predicates: readonly Predicate<NoInfer<E>>[]): Predicate<E>
export function and<E>(...predicates: readonly Predicate<E>[]): Predicate<E>
export function and<E>(...predicates: readonly Predicate<E>[]): Predicate<E> {
  checked('and', predicates)
  return event => predicates.every(passes => atOnce(passes(event)))
}

/**
 * Passes an event that at least one predicate passes.
 *
 * @example
 * ```ts
 * import { deployments } from '@wherry/client/resources/apps'
 * import { generationChanged, labelsChanged, or, type Operator } from '@wherry/controller'
 *
 * export function declare(operator: Operator): void {
 *   operator.controller('report').for(deployments)
 *     .withPredicates(or(generationChanged, labelsChanged))
 *     .reconcile(({ key, log }) => log.info({}, key.name))
 * }
 * ```
 */
export function or<E>(...predicates: readonly Predicate<NoInfer<E>>[]): Predicate<E>
export function or<E>(...predicates: readonly Predicate<E>[]): Predicate<E>
export function or<E>(...predicates: readonly Predicate<E>[]): Predicate<E> {
  checked('or', predicates)
  return event => predicates.some(passes => atOnce(passes(event)))
}

/**
 * Passes an event that the predicate does not pass.
 *
 * @example
 * ```ts
 * import { deployments } from '@wherry/client/resources/apps'
 * import { labelsChanged, not, type Operator } from '@wherry/controller'
 *
 * export function declare(operator: Operator): void {
 *   operator.controller('report').for(deployments)
 *     .withPredicates(not(labelsChanged))
 *     .reconcile(({ key, log }) => log.info({}, key.name))
 * }
 * ```
 */
export function not<E>(predicate: Predicate<NoInfer<E>>): Predicate<E>
export function not<E>(predicate: Predicate<E>): Predicate<E>
export function not<E>(predicate: Predicate<E>): Predicate<E> {
  checked('not', [predicate])
  return event => !atOnce(predicate(event))
}

/** Returns the result of a function of a predicate. @throws TypeError for a promise: events do not wait. Its rejection must not end the process */
export function atOnce<T>(result: T): T {
  if (watched(result, ignored))
    throw new TypeError('a predicate is synchronous, and a function of this one returned a promise')
  return result
}

function checked(of: string, predicates: readonly unknown[]): void {
  predicates.forEach((predicate, index) => {
    callback(`${of}[${index}]`, predicate)
  })
}
