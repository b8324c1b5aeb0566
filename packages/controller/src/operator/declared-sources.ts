import type { View } from '@wherry/client'
import { callback, viewCheck } from '@wherry/client/internal'
import type { Predicate } from '../predicates/predicate.ts'
import { type ControllerSource, debounced } from '../sources/controller-source.ts'
import { checkDebounce, type Debounce } from '../sources/debounce.ts'
import { UsageError } from '../usage-error.ts'

/** The sources of a builder, in their order, and the source that the next predicates filter. */
export class DeclaredSources {
  readonly sources: ControllerSource[] = []
  readonly caches: View[] = []
  readonly #controller: string
  /** The debounce of the events of the primary objects. */
  debounceOfPrimary: Debounce | undefined
  /** The predicates of the last named source, if it can have predicates. */
  #last: Predicate<never>[] | undefined
  /** The kind of the last named source; `nothing` if it has no events. */
  #named: 'primary' | 'source' | 'nothing' = 'nothing'

  constructor(controller: string) {
    this.#controller = controller
  }

  /** Adds a source; later predicates go to `predicates`. */
  add(source: ControllerSource, predicates: unknown[] | undefined): void {
    this.sources.push(source)
    this.#last = predicates as Predicate<never>[] | undefined
    this.#named = 'source'
  }

  /** Adds a view that is cached and makes nothing run. */
  cache(view: View): void {
    viewCheck('caches', view)
    this.caches.push(view)
    this.#last = undefined
    this.#named = 'nothing'
  }

  /** Makes the primary objects the source that was named last: later predicates go to `predicates`. */
  primary(predicates: unknown[]): void {
    this.#last = predicates as Predicate<never>[]
    this.#named = 'primary'
  }

  /** Debounces the source that was named last. @throws UsageError if it has no events */
  debounce(debounce: Debounce): void {
    checkDebounce('debounce', debounce)
    if (this.#named === 'nothing') throw incomplete(this.#controller, 'source here whose events could be waited for')
    if (this.#named === 'primary') this.debounceOfPrimary = debounce
    else this.sources.push(debounced(this.sources.pop() as ControllerSource, debounce))
  }

  /** Adds predicates to the source that was named last. @throws UsageError if it can have none */
  filter(predicates: readonly unknown[]): void {
    predicates.forEach((predicate, index) => {
      callback(`withPredicates[${index}]`, predicate)
    })
    if (this.#last === undefined) throw incomplete(this.#controller, 'source here that predicates could be about')
    this.#last.push(...(predicates as readonly Predicate<never>[]))
  }
}

/** The error of a controller that was declared without a necessary part. */
export function incomplete(controller: string, missing: string): UsageError {
  return new UsageError('CONTROLLER_INCOMPLETE', `the controller ${controller} has no ${missing}`)
}

/** Refuses a second declaration of a part, because it would silently replace the first. @throws UsageError if `known`, the first, is set */
export function refuseSecond(controller: string, what: string, known: unknown): void {
  if (known !== undefined) throw new UsageError('CONTROLLER_USED', `${controller} has ${article(what)} already`)
}

function article(what: string): string {
  return /^[aeiou]/.test(what) ? `an ${what}` : `a ${what}`
}
