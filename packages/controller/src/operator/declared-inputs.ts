import type { View } from '@wherry/client'
import { callback, viewCheck } from '@wherry/client/internal'
import type { Predicate } from '../predicates/predicate.ts'
import type { Input } from '../sources/input.ts'
import { UsageError } from '../usage-error.ts'

/** What a builder of controllers was told to hear of, in its order, and which input the next predicates filter. */
export class DeclaredInputs {
  readonly inputs: Input[] = []
  readonly caches: View[] = []
  readonly #controller: string
  /** The predicates of the input that was named last, if it can have any. */
  #last: Predicate<never>[] | undefined

  constructor(controller: string) {
    this.#controller = controller
  }

  /** Adds an input; later predicates go to `predicates`. */
  add(input: Input, predicates: unknown[] | undefined): void {
    this.inputs.push(input)
    this.filters(predicates)
  }

  /** Adds a view that is cached and makes nothing run. */
  cache(view: View): void {
    viewCheck('caches', view)
    this.caches.push(view)
    this.filters(undefined)
  }

  /** Later predicates go to `predicates`. */
  filters(predicates: unknown[] | undefined): void {
    this.#last = predicates as Predicate<never>[] | undefined
  }

  /** Adds predicates to the input that was named last. @throws UsageError if it can have none */
  filter(predicates: readonly unknown[]): void {
    predicates.forEach((predicate, index) => {
      callback(`withPredicates[${index}]`, predicate)
    })
    if (this.#last === undefined) throw lacks(this.#controller, 'input here that predicates could be about')
    this.#last.push(...(predicates as readonly Predicate<never>[]))
  }
}

/** A controller was declared without a part that it needs. */
export function lacks(controller: string, missing: string): UsageError {
  return new UsageError('CONTROLLER_INCOMPLETE', `the controller ${controller} has no ${missing}`)
}
