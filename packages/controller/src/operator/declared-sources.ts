import type { View } from '@wherry/client'
import { callback, viewCheck } from '@wherry/client/internal'
import type { Predicate } from '../predicates/predicate.ts'
import { type ControllerSource, debounced } from '../sources/controller-source.ts'
import { checkDebounce, type Debounce } from '../sources/debounce.ts'
import { UsageError } from '../usage-error.ts'

/** The sources that a builder was given, in their order, and which of them the next predicates filter. */
export class DeclaredSources {
  readonly sources: ControllerSource[] = []
  readonly caches: View[] = []
  readonly #controller: string
  /** How events of the primary objects are waited for. */
  debounceOfPrimary: Debounce | undefined
  /** The predicates of the source that was named last, if it can have any. */
  #last: Predicate<never>[] | undefined
  /** What was named last: the primary objects, another source, or nothing that has events. */
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

  /** The primary objects are named: later predicates go to `predicates`. */
  primary(predicates: unknown[]): void {
    this.#last = predicates as Predicate<never>[]
    this.#named = 'primary'
  }

  /** Further events of the source that was named last are waited for. @throws UsageError if none was named */
  debounce(debounce: Debounce): void {
    checkDebounce('debounce', debounce)
    if (this.#named === 'nothing') throw lacks(this.#controller, 'source here whose events could be waited for')
    if (this.#named === 'primary') this.debounceOfPrimary = debounce
    else this.sources.push(debounced(this.sources.pop() as ControllerSource, debounce))
  }

  /** Adds predicates to the source that was named last. @throws UsageError if it can have none */
  filter(predicates: readonly unknown[]): void {
    predicates.forEach((predicate, index) => {
      callback(`withPredicates[${index}]`, predicate)
    })
    if (this.#last === undefined) throw lacks(this.#controller, 'source here that predicates could be about')
    this.#last.push(...(predicates as readonly Predicate<never>[]))
  }
}

/** A controller was declared without a part that it needs. */
export function lacks(controller: string, missing: string): UsageError {
  return new UsageError('CONTROLLER_INCOMPLETE', `the controller ${controller} has no ${missing}`)
}

/** A second declaration would silently win over the first. @throws UsageError if there is one already */
export function once(controller: string, what: string, known: unknown): void {
  if (known !== undefined) throw new UsageError('CONTROLLER_USED', `${controller} has ${article(what)} already`)
}

function article(what: string): string {
  return /^[aeiou]/.test(what) ? `an ${what}` : `a ${what}`
}
