import type { View } from '@wherry/client'
import { callback, viewCheck } from '@wherry/client/internal'
import type { ControllerDefinition, ControllerOptions } from '../controller/definition.ts'
import type { SingletonReconcile } from '../controller/singleton.ts'
import type { ObjectEvent } from '../predicates/event.ts'
import type { Predicate } from '../predicates/predicate.ts'
import type { Input } from '../sources/input.ts'
import { from, watches } from '../sources/inputs.ts'
import type { Source } from '../sources/source.ts'
import { UsageError } from '../usage-error.ts'

/**
 * Declares a controller without primary objects: see {@link NamedController.singleton}. `E`: the events of the input that was named last, which
 * the next `withPredicates` filters.
 */
export class SingletonBuilder<E = never> {
  readonly name: string
  readonly #options: ControllerOptions
  readonly #inputs: Input[] = []
  readonly #caches: View[] = []
  #reconcile: SingletonReconcile | undefined
  #last: Predicate<never>[] | undefined

  constructor(name: string, options: ControllerOptions) {
    this.name = name
    this.#options = options
  }

  /** It runs when an object of the view is created, changed or deleted. The view is cached, so that `read.list` can list it. */
  watches<O>(view: View<O>): SingletonBuilder<ObjectEvent<O>> {
    const predicates: Predicate<ObjectEvent<O>>[] = []
    return this.#declare(watches(view, 'all', predicates), predicates)
  }

  /** Keeps a view in the cache, so that `read.list` can list it. It runs again when what it has listed changes. */
  caches(view: View): SingletonBuilder {
    viewCheck('caches', view)
    this.#caches.push(view)
    this.#last = undefined
    return this as unknown as SingletonBuilder
  }

  /** A source of events other than a view, such as a {@link Timer} or a {@link Channel}. It runs for each event. */
  from<V>(source: Source<V>): SingletonBuilder<V> {
    const predicates: Predicate<V>[] = []
    const key = { name: this.name }
    return this.#declare(
      from(source, () => key, predicates),
      predicates,
    )
  }

  /** Filters the events of the input that was named last: all predicates must pass. Further calls add predicates. */
  withPredicates(...predicates: readonly Predicate<E>[]): this {
    predicates.forEach((predicate, index) => {
      callback(`withPredicates[${index}]`, predicate)
    })
    if (this.#last === undefined) throw lacks(this.name, 'input here that predicates could be about')
    this.#last.push(...(predicates as readonly Predicate<never>[]))
    return this
  }

  /** The function that reconciles: see {@link Reconcile}. */
  reconcile(reconcile: SingletonReconcile): this {
    callback('reconcile', reconcile)
    this.#reconcile = reconcile
    return this
  }

  /** The definition that {@link Controller} takes. @throws UsageError without `reconcile` */
  definition(): ControllerDefinition<unknown> {
    if (this.#reconcile === undefined) throw lacks(this.name, 'reconcile: name it with .reconcile(fn)')
    const { name } = this
    const inputs = { inputs: this.#inputs, caches: this.#caches }
    return { ...this.#options, name, for: 'singleton', ...inputs, reconcile: this.#reconcile }
  }

  #declare<F>(input: Input, predicates: readonly Predicate<F>[]): SingletonBuilder<F> {
    this.#inputs.push(input)
    this.#last = predicates as unknown as Predicate<never>[]
    return this as unknown as SingletonBuilder<F>
  }
}

function lacks(controller: string, missing: string): UsageError {
  return new UsageError('CONTROLLER_INCOMPLETE', `the controller ${controller} has no ${missing}`)
}
