import { callback } from '@wherry/client/internal'

/**
 * Whether an event makes keys run. It must be synchronous and quick, as it is called for each event. If it throws, the error goes to `onError` and
 * the event passes. An update that sets `deletionTimestamp` or changes the `uid` always passes, so that finalizers are
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
  return event => predicates.every(passes => passes(event))
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
  return event => predicates.some(passes => passes(event))
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
  return event => !predicate(event)
}

function checked(of: string, predicates: readonly unknown[]): void {
  predicates.forEach((predicate, index) => {
    callback(`${of}[${index}]`, predicate)
  })
}
