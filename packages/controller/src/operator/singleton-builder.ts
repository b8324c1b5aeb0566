import type { View } from '@wherry/client'
import { callback } from '@wherry/client/internal'
import type { ControllerDefinition, ControllerOptions } from '../controller/definition.ts'
import type { SingletonReconcile } from '../controller/singleton.ts'
import type { ObjectEvent } from '../predicates/event.ts'
import type { Predicate } from '../predicates/predicate.ts'
import type { ControllerSource } from '../sources/controller-source.ts'
import { from, watches } from '../sources/controller-sources.ts'
import type { Debounce } from '../sources/debounce.ts'
import type { Source } from '../sources/source.ts'
import { DeclaredSources, incomplete, refuseSecond } from './declared-sources.ts'

/**
 * Declares a controller without primary objects: see {@link NamedController.singleton}. `E`: the events of the source that was named last, which
 * the next `withPredicates` filters.
 */
export class SingletonBuilder<E = never> {
  readonly name: string
  readonly #options: ControllerOptions
  readonly #declared: DeclaredSources
  #reconcile: SingletonReconcile | undefined

  constructor(name: string, options: ControllerOptions) {
    this.name = name
    this.#options = options
    this.#declared = new DeclaredSources(name)
  }

  /** Makes the singleton run when an object of the view is created, changed or deleted. The view is cached, so that `read.list` can list it. */
  watches<O>(view: View<O>): SingletonBuilder<ObjectEvent<O>> {
    const predicates: Predicate<ObjectEvent<O>>[] = []
    return this.#declare(watches(view, 'all', predicates), predicates)
  }

  /** Keeps a view in the cache, so that `read.list` can list it. The singleton runs again when a listed selection changes. */
  caches(view: View): SingletonBuilder {
    this.#declared.cache(view)
    return this as unknown as SingletonBuilder
  }

  /** Adds a source of events other than a view, such as a {@link Timer} or a {@link Channel}. The singleton runs for each event. */
  from<V>(source: Source<V>): SingletonBuilder<V> {
    const predicates: Predicate<V>[] = []
    const key = { name: this.name }
    return this.#declare(
      from(source, () => key, predicates),
      predicates,
    )
  }

  /** Filters the events of the source that was named last: all predicates must pass. Further calls add predicates. */
  withPredicates(...predicates: readonly Predicate<E>[]): this {
    this.#declared.filter(predicates)
    return this
  }

  /**
   * Waits for further events of the source that was named last: it runs `debounceMs` after the last event, and `maxWaitMs` after the
   * first event at the latest. For sources with bursts of events. Objects that exist when the controller starts do not wait, and a run that begins
   * for another reason counts for the events before it.
   */
  debounce(debounce: Debounce): this {
    this.#declared.debounce(debounce)
    return this
  }

  /** Sets the function that reconciles: see {@link Reconcile}. @throws UsageError if there is one already */
  reconcile(reconcile: SingletonReconcile): this {
    callback('reconcile', reconcile)
    refuseSecond(this.name, 'reconcile', this.#reconcile)
    this.#reconcile = reconcile
    return this
  }

  /** The definition that {@link Controller} takes. @throws UsageError without `reconcile` */
  definition(): ControllerDefinition<unknown> {
    if (this.#reconcile === undefined) throw incomplete(this.name, 'reconcile: name it with .reconcile(fn)')
    const { name } = this
    const { sources, caches } = this.#declared
    return { ...this.#options, name, for: 'singleton', sources, caches, reconcile: this.#reconcile }
  }

  #declare<F>(source: ControllerSource, predicates: Predicate<F>[]): SingletonBuilder<F> {
    this.#declared.add(source, predicates)
    return this as unknown as SingletonBuilder<F>
  }
}
