import { callback } from '@wherry/client/internal'

/**
 * Whether an event makes keys run. Synchronous, and quick: it is asked for each event. What it throws goes to `onError`, and the
 * event passes. An update that begins or ends a life (`deletionTimestamp`, another `uid`) passes whatever predicates say, so that a
 * finalizer is always taken off.
 */
export type Predicate<in E> = (event: E) => boolean

/** Passes what all pass. */
export function and<E>(...predicates: readonly Predicate<NoInfer<E>>[]): Predicate<E>
export function and<E>(...predicates: readonly Predicate<E>[]): Predicate<E>
export function and<E>(...predicates: readonly Predicate<E>[]): Predicate<E> {
  checked('and', predicates)
  return event => predicates.every(passes => passes(event))
}

/** Passes what one of them passes. */
export function or<E>(...predicates: readonly Predicate<NoInfer<E>>[]): Predicate<E>
export function or<E>(...predicates: readonly Predicate<E>[]): Predicate<E>
export function or<E>(...predicates: readonly Predicate<E>[]): Predicate<E> {
  checked('or', predicates)
  return event => predicates.some(passes => passes(event))
}

/** Passes what the other does not. */
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
