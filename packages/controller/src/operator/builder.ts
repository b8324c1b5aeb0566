import type { FromServer, Scope, View } from '@wherry/client'
import { callback, checkOptions, viewCheck } from '@wherry/client/internal'
import type { OnGone, Reconcile } from '../controller/context.ts'
import { type ControllerDefinition, type ControllerOptions, controllerOptionChecks } from '../controller/definition.ts'
import { checkFinalizer, type Finalizer, withFinalizer } from '../controller/finalizer.ts'
import type { ObjectEvent } from '../predicates/event.ts'
import type { Predicate } from '../predicates/predicate.ts'
import type { ControllerSource } from '../sources/controller-source.ts'
import { from, owns, watches } from '../sources/controller-sources.ts'
import type { Debounce } from '../sources/debounce.ts'
import type { Keys } from '../sources/key.ts'
import type { Source } from '../sources/source.ts'
import type { Tick } from '../sources/timer.ts'
import { DeclaredSources, incomplete, refuseSecond } from './declared-sources.ts'
import { SingletonBuilder } from './singleton-builder.ts'

/** A controller that has only a name: call `for` or `singleton` next. */
export class NamedController {
  readonly name: string
  readonly #options: ControllerOptions
  #builder: { definition(): ControllerDefinition<unknown> } | undefined

  /** @throws OptionTypeError, OptionRangeError */
  constructor(name: string, options: ControllerOptions = {}) {
    checkOptions('controller', options, controllerOptionChecks)
    this.name = name
    this.#options = options
  }

  /** Names the view of the primary objects. Each object is one key, which is reconciled on its own. @throws UsageError after `for` or `singleton` */
  for<C, S extends Scope>(view: View<C, S>): ControllerBuilder<C, S> {
    viewCheck('for', view)
    refuseSecond(this.name, 'for or singleton', this.#builder)
    const builder = new ControllerBuilder<C, S>(this.name, view, this.#options)
    this.#builder = builder as unknown as ControllerBuilder<unknown>
    return builder
  }

  /**
   * A controller without primary objects, for a result that depends on all objects of some views: a DNS zone of all Services, for example. It runs once
   * when it starts, and again after events of a source and changes of tracked reads; it never runs twice at once. Tracked reads, backoff and
   * leader election are as in other controllers. Objects that it applies have no owner.
   *
   * ```ts
   * operator
   *   .controller('zone')
   *   .singleton()
   *   .watches(services)
   *   .reconcile(async ({ read, apply }) => {
   *     const names = (await read.list(services)).map(({ metadata }) => metadata.name)
   *     await apply(configMaps, { metadata: { namespace: 'dns', name: 'zone' }, data: { names: names.sort().join() } })
   *   })
   * ```
   * @throws UsageError after `for` or `singleton`
   */
  singleton(): SingletonBuilder {
    refuseSecond(this.name, 'for or singleton', this.#builder)
    const builder = new SingletonBuilder(this.name, this.#options)
    this.#builder = builder
    return builder
  }

  /** @throws UsageError if neither `for` nor `singleton` was called, or `reconcile` was not */
  definition(): ControllerDefinition<unknown> {
    if (this.#builder === undefined) {
      throw incomplete(
        this.name,
        'view of its primary objects: name it with .for(view), or call .singleton() if it has none',
      )
    }
    return this.#builder.definition()
  }
}

/**
 * Declares what a controller watches and does. Each step returns the builder; the order matters only for `withPredicates` and `debounce`, which are
 * about the source that was named last.
 *
 * **Flow.** `for` names the primary objects, each with a key of its own. `owns`, `watches` and `from` name what makes a key run besides its primary
 * object. Each call of `reconcile` is for one key. Up to `concurrency` calls run at once, never two for the same key.
 *
 * **Guarantees.** Events of one key that come while it waits or runs make one run. A failed run is repeated with backoff, until it succeeds or throws
 * a `TerminalError`.
 *
 * **Caveats.** `read.get` needs no source; `read.list` needs a declared view. The definition is complete with `reconcile`; {@link Operator.run} rejects an
 * incomplete one.
 *
 * **Errors.** A step throws for a wrong view or option, and for a second declaration of one thing.
 *
 * `C`: the type of the view's objects; `S`: whether they are namespaced; `E`: the events of the source that was named last.
 *
 * @example
 * ```ts
 * import { deployments } from '@wherry/client/resources/apps'
 * import { configMaps, secrets } from '@wherry/client/resources/core'
 * import { generationChanged, type Operator } from '@wherry/controller'
 *
 * export function declare(operator: Operator): void {
 *   operator.controller('report').for(deployments)
 *     .withPredicates(generationChanged) // of the deployments
 *     .owns(configMaps)
 *     .watches(secrets, ({ metadata }) => ({ metadata })) // the deployment of the Secret's name
 *     .reconcile(async ({ key, object, apply }) => {
 *       await apply(configMaps, { metadata: { name: key.name }, data: { replicas: `${object.spec?.replicas}` } })
 *     })
 * }
 * ```
 */
export class ControllerBuilder<C, S extends Scope = Scope, E = ObjectEvent<C>> {
  readonly name: string
  readonly #declared: DeclaredSources
  readonly #view: View<C, S>
  #definition: Omit<ControllerDefinition<C, S>, 'reconcile'>
  #reconcile: Reconcile<C, S> | undefined
  #finalizer: Finalizer<C, S> | undefined

  constructor(name: string, view: View<C, S>, options: ControllerOptions) {
    const predicates: Predicate<ObjectEvent<C>>[] = []
    this.name = name
    this.#view = view
    this.#declared = new DeclaredSources(name)
    this.#declared.primary(predicates)
    const { sources, caches } = this.#declared
    this.#definition = { ...options, name, for: view, predicates, sources, caches }
  }

  /**
   * Objects that the controller creates. When one is created, changed or deleted, the primary object that controls it (by its owner reference)
   * runs. Changes of the status of an owned object count too; what this controller has written does not. Only the part that an `apply` compares, and
   * what predicates need, is kept in memory. To list these objects, or to read them without a request, also call `.caches(view)`.
   */
  owns<O>(view: View<O>): ControllerBuilder<C, S, ObjectEvent<O>> {
    const predicates: Predicate<ObjectEvent<O>>[] = []
    return this.#declare(owns(view, predicates), predicates)
  }

  /**
   * Keeps a view in the cache for `read.list`, and makes nothing run by itself. The views of `for` and `watches` can be listed without this, those of
   * `owns` can't.
   */
  caches(view: View): ControllerBuilder<C, S, never> {
    this.#declared.cache(view)
    return this as unknown as ControllerBuilder<C, S, never>
  }

  /**
   * Other objects: `map` returns the keys of the primary objects that run when one is created, changed or deleted: `{ namespace, name }` or
   * `{ metadata }`, several of them, or `undefined` for none. It is called once for the old state and once for the new, and must be synchronous.
   * `'all'`: all primary objects run. Tracked reads do not need this.
   */
  watches<O>(
    view: View<O>,
    map: 'all' | ((object: FromServer<O>) => Keys<S>),
  ): ControllerBuilder<C, S, ObjectEvent<O>> {
    const predicates: Predicate<ObjectEvent<O>>[] = []
    return this.#declare(watches(view, map, predicates), predicates)
  }

  /**
   * A timer, a schedule, a channel, `DynamicViews` or a source of your own. Without `map`, a timer or a schedule runs all keys, and a channel the key
   * that was sent.
   */
  from(source: Source<Tick> | Source<Keys<S>>): ControllerBuilder<C, S, never>
  from<V>(source: Source<V>, map: (event: V) => Keys<S>): ControllerBuilder<C, S, V>
  from<V>(source: Source<V>, map?: (event: V) => Keys<S>): ControllerBuilder<C, S, V> {
    // Without a map, the events have no type, so predicates can't filter them.
    if (map === undefined) return this.#declare<V>(from(source as Source<Keys<S>>), undefined)
    const predicates: Predicate<V>[] = []
    return this.#declare(from(source, map, predicates), predicates)
  }

  /**
   * Filters the events of the source that was named last: all predicates must pass. Further calls add predicates. The deletion of a primary object
   * always passes. @throws UsageError if that source has no events to filter
   */
  withPredicates(...predicates: readonly Predicate<E>[]): this {
    this.#declared.filter(predicates)
    return this
  }

  /**
   * Waits for further events of the source that was named last: a key runs `debounceMs` after its last event, and `maxWaitMs` after its
   * first event at the latest. For sources with bursts of events. Objects that exist when the controller starts do not wait, and a run that begins
   * for another reason counts for the events before it.
   */
  debounce(debounce: Debounce): this {
    this.#declared.debounce(debounce)
    return this
  }

  /** Sets the function that reconciles: see {@link Reconcile}. @throws UsageError if there is one already */
  reconcile(reconcile: Reconcile<C, S>): this {
    callback('reconcile', reconcile)
    refuseSecond(this.name, 'reconcile', this.#reconcile)
    this.#reconcile = reconcile
    return this
  }

  /**
   * Holds each object until `cleanup` has undone what `reconcile` does outside the cluster.
   *
   * The finalizer is added before `reconcile` runs for an object for the first time. When the object is being deleted, `cleanup` runs in place of
   * `reconcile`, with the same context; when it has returned, the finalizer is removed, and the server deletes the object once it has no other. If
   * `cleanup` throws, or asks to run again, the object stays and `cleanup` runs again, so it must succeed if nothing is left to undo. An object
   * that is being deleted without this finalizer is left alone. The operator needs `get` and `patch` of the objects.
   *
   * @param name `example.com/dns`, for example
   */
  finalizer(name: string, cleanup: Reconcile<C, S>): this {
    const finalizer = { name, cleanup }
    checkFinalizer(this.#view, finalizer)
    refuseSecond(this.name, 'finalizer', this.#finalizer)
    this.#finalizer = finalizer
    return this
  }

  /**
   * Called when a primary object is gone. Not called for an object that has left the view and still exists (see {@link ControllerBuilder.onLeft}),
   * nor for one that was deleted while the operator was not running: use a finalizer for that.
   */
  onGone(onGone: OnGone<C, S>): this {
    callback('onGone', onGone)
    refuseSecond(this.name, 'onGone', this.#definition.onGone)
    this.#definition = { ...this.#definition, onGone }
    return this
  }

  /**
   * Called when a primary object has left the view and still exists, for example after a change of its labels. Remove this operator's finalizer
   * here if the operator no longer handles the object. Not called for an object that left while the operator was not running.
   */
  onLeft(onLeft: OnGone<C, S>): this {
    callback('onLeft', onLeft)
    refuseSecond(this.name, 'onLeft', this.#definition.onLeft)
    this.#definition = { ...this.#definition, onLeft }
    return this
  }

  /** The definition that {@link Controller} takes. @throws UsageError without `reconcile` */
  definition(): ControllerDefinition<C, S> {
    if (this.#reconcile === undefined) throw incomplete(this.name, 'reconcile: name it with .reconcile(fn)')
    const finalizer = this.#finalizer
    const reconcile = finalizer ? withFinalizer(this.#view, finalizer, this.#reconcile) : this.#reconcile
    return { ...this.#definition, debounce: this.#declared.debounceOfPrimary, reconcile }
  }

  #declare<F>(source: ControllerSource, predicates: Predicate<F>[] | undefined): ControllerBuilder<C, S, F> {
    this.#declared.add(source, predicates)
    return this as unknown as ControllerBuilder<C, S, F>
  }
}
