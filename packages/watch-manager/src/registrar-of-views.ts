import { OptionTypeError, type View } from '@wherry/client'
import { abortSignal, asError, checkOptions, flag, oneOf, viewCheck } from '@wherry/client/internal'
import type { Hold } from './cache.ts'
import { checkSame } from './check-same.ts'
import type { SinkLimits } from './delivery/sink-limits.ts'
import { type FailedView, RegistrarClosedError, ReplaceSupersededError, throwFailed } from './errors.ts'
import { isThenable } from './is-thenable.ts'
import type { PendingView, Registrar, RegistrarStats, ReplaceOptions, SyncedOptions, WaitOptions } from './registrar.ts'
import type { Shared } from './shared.ts'
import { Subscription } from './subscription.ts'
import { Trial } from './trial.ts'

/** The {@link Registrar} of a watch manager. */
export class RegistrarOfViews<C> implements Registrar<C> {
  readonly name: string
  readonly #shared: Shared
  readonly #limits: SinkLimits<C> | undefined
  readonly #closed: () => void
  readonly #subscriptions = new Map<string, Subscription<C>>()
  /** The removed subscriptions that have not ended yet. */
  #leaving: readonly Subscription<C>[] = nothing
  #trial: Trial<C> | undefined
  #state: Registrar['state'] = 'open'

  constructor(name: string, shared: Shared, limits: SinkLimits<C> | undefined, closed: () => void) {
    this.name = name
    this.#shared = shared
    this.#limits = limits
    this.#closed = closed
  }

  get state(): Registrar['state'] {
    return this.#state
  }

  get intended(): readonly View<C>[] {
    return [...this.#subscriptions.values()].map(subscription => subscription.view)
  }

  get watched(): readonly View<C>[] {
    return [...this.#subscriptions.values()]
      .filter(subscription => subscription.watched)
      .map(subscription => subscription.view)
  }

  get pending(): readonly PendingView[] {
    const pending = [...this.#subscriptions.values()].filter(subscription => !subscription.watched)
    return pending.map(({ view, reason }) => ({ view, reason }))
  }

  async add(view: View<C>): Promise<void> {
    viewCheck('view', view)
    this.#checkOpen()
    const held = this.#subscriptions.get(view.key)
    if (held !== undefined) checkSame('view', held.view, view)
    this.#trial?.target.set(view.key, view)
    if (held === undefined) this.#subscribe(view)
  }

  async remove(view: View<C>, options: WaitOptions = {}): Promise<void> {
    viewCheck('view', view)
    checkOptions('remove', options, { signal: abortSignal })
    this.#trial?.target.delete(view.key)
    this.#unsubscribeAll([view.key])
    await this.#gone(options.signal, view.key)
  }

  async replace(views: Iterable<View<C>>, options: ReplaceOptions = {}): Promise<void> {
    checkOptions('replace', options, { onFailure: oneOf('retry', 'rollback'), signal: abortSignal })
    const target = targetOf(views)
    this.#checkOpen()
    for (const [key, view] of target) {
      const held = this.#subscriptions.get(key)
      if (held !== undefined) checkSame('views', held.view, view)
    }
    this.#trial?.end(new ReplaceSupersededError(this.name))
    if (options.onFailure === 'rollback') await this.#tryReplace(target, options.signal)
    else await this.#apply(target, options.signal)
  }

  async synced(options: SyncedOptions = {}): Promise<void> {
    checkOptions('synced', options, { signal: abortSignal, orAbsent: flag })
    const { signal, orAbsent = false } = options
    signal?.throwIfAborted()
    this.#checkOpen()
    const views = this.intended
    const results = await Promise.allSettled(views.map(({ key }) => this.#whenSynced(key, signal, orAbsent)))
    this.#checkOpen()
    const failed = views.flatMap((view, index): FailedView[] => {
      const result = results[index]
      return result?.status === 'rejected' ? [{ view, reason: asError(result.reason) }] : []
    })
    throwFailed(this.name, failed, signal)
  }

  stats(): RegistrarStats {
    const subscriptions = [...this.#subscriptions.values()]
    const deliveries = subscriptions.map(({ delivery }) => delivery)
    const { delivered = 0, retried = 0, resets = 0, retrying = 0, running = 0 } = this.#limits ?? {}
    return {
      intended: subscriptions.length,
      watched: subscriptions.filter(subscription => subscription.watched).length,
      lag: deliveries.reduce((sum, delivery) => sum + (delivery?.lag ?? 0), 0),
      lagMs: deliveries.reduce((longest, delivery) => Math.max(longest, delivery?.lagMs ?? 0), 0),
      ...{ delivered, retried, resets, retrying, running },
    }
  }

  async close(options: WaitOptions = {}): Promise<void> {
    checkOptions('close', options, { signal: abortSignal })
    if (this.#state === 'open') {
      this.#state = 'closing'
      this.#trial?.end(new RegistrarClosedError(this.name))
      this.#unsubscribeAll([...this.#subscriptions.keys()])
      this.#notify()
    }
    await this.#gone(options.signal)
    if (this.#state === 'closed') return
    this.#state = 'closed'
    this.#closed()
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close()
  }

  /** Waits for the subscription of a view, or for a later one that has replaced it. */
  async #whenSynced(key: string, signal: AbortSignal | undefined, orAbsent: boolean): Promise<void> {
    for (
      let subscription = this.#subscriptions.get(key), done: Subscription<C> | undefined;
      subscription !== undefined && subscription !== done;
    ) {
      await subscription.whenSynced(signal, orAbsent)
      done = subscription
      subscription = this.#subscriptions.get(key)
    }
  }

  #subscribe(view: View<C>, hold?: Hold<C>): void {
    const subscription = new Subscription<C>(view, this.name, this.#shared, this.#limits)
    const earlier = this.#knownAs(view)
    // Calls of an earlier subscription of the view may be under way or pending, and calls for one key must not overlap.
    if (earlier.length > 0) subscription.after(Promise.all(earlier.map(each => each.left())))
    this.#subscriptions.set(view.key, subscription)
    this.#shared.subscriptions.add(subscription as Subscription)
    if (this.#shared.started) subscription.begin(hold)
  }

  /** Notifies the sink after all views are removed, because the sink may add views during the call. */
  #unsubscribeAll(keys: readonly string[]): void {
    const known = keys.flatMap(key => this.#unsubscribe(key))
    for (const view of known) this.#notify(view)
  }

  /** Returns the views that the sink is to be notified of as removed. */
  #unsubscribe(key: string): readonly View<C>[] {
    const subscription = this.#subscriptions.get(key)
    if (subscription === undefined) return nothing
    this.#subscriptions.delete(key)
    this.#shared.subscriptions.delete(subscription as Subscription)
    subscription.remove()
    this.#leaving = [...this.#leaving, subscription]
    subscription.over().then(() => {
      this.#leaving = this.#leaving.filter(each => each !== subscription)
    })
    return subscription.known
  }

  /** Subscriptions that the sink may still know as this view. */
  #knownAs({ key }: View): Subscription<C>[] {
    return [...this.#leaving, ...this.#subscriptions.values()].filter(subscription =>
      subscription.known.some(view => view.key === key),
    )
  }

  async #apply(target: ReadonlyMap<string, View<C>>, signal: AbortSignal | undefined): Promise<void> {
    const leaving = [...this.#subscriptions].filter(([key]) => !target.has(key)).map(([, subscription]) => subscription)
    const coming = [...target].filter(([key]) => !this.#subscriptions.has(key)).map(([, view]) => view)
    const moves: Promise<void>[] = []
    const removed: string[] = []
    for (const subscription of leaving) {
      const at = coming.findIndex(view => this.#canMove(subscription, view))
      if (at === -1) removed.push(subscription.view.key)
      else moves.push(this.#move(subscription, coming.splice(at, 1)[0] as View<C>))
    }
    // In this order a cache can fill a new view from one that leaves.
    for (const view of coming) this.#subscribe(view)
    this.#unsubscribeAll(removed)
    await Promise.all(moves)
    await Promise.all(
      leaving.map(subscription => (this.#leaving.includes(subscription) ? subscription.gone(signal) : undefined)),
    )
  }

  #canMove(subscription: Subscription<C>, to: View<C>): boolean {
    const { cache, subscriptions, started } = this.#shared
    const { key, resource, projection } = subscription.view
    if (cache.moveHold === undefined || (this.#limits !== undefined && this.#limits.sink.rescoped === undefined))
      return false
    const alike =
      resource.group === to.resource.group &&
      resource.version === to.resource.version &&
      resource.plural === to.resource.plural &&
      projection.name === to.projection.name &&
      projection.kind === to.projection.kind &&
      (projection.project === to.projection.project || projection.selfNamed === true)
    const free =
      subscriptions.of(to.key).size === 0 &&
      subscriptions.moveOf(to.key) === undefined &&
      this.#knownAs(to).length === 0
    return started && alike && free && subscription.movable && subscriptions.of(key).size === 1
  }

  async #move(subscription: Subscription<C>, to: View<C>): Promise<void> {
    const { subscriptions } = this.#shared
    const { key } = subscription.view
    this.#subscriptions.delete(key)
    subscriptions.delete(subscription as Subscription)
    const moved = subscription.move(to)
    subscriptions.moving(key, to.key, moved)
    this.#subscriptions.set(to.key, subscription)
    subscriptions.add(subscription as Subscription)
    if ((await moved) || this.#subscriptions.get(to.key) !== subscription) return
    const known = this.#unsubscribe(to.key)
    this.#subscribe(to)
    for (const view of known) this.#notify(view)
  }

  async #tryReplace(target: Map<string, View<C>>, signal: AbortSignal | undefined): Promise<void> {
    const trial = new Trial<C>(this.name, this.#shared, target)
    this.#trial = trial
    const coming = [...target].filter(([key]) => !this.#subscriptions.has(key)).map(([, view]) => view)
    let holds: ReadonlyMap<string, Hold<C>> = new Map()
    try {
      holds = await trial.run(coming, signal)
      trial.checkGoing()
    } catch (error) {
      await trial.release(holds.values())
      throw error
    } finally {
      if (this.#trial === trial) this.#trial = undefined
    }
    const kept = new Set<Hold<C>>()
    for (const [key, view] of target) {
      if (this.#subscriptions.has(key)) continue
      const hold = holds.get(key)
      if (hold !== undefined) kept.add(hold)
      this.#subscribe(view, hold)
    }
    this.#unsubscribeAll([...this.#subscriptions.keys()].filter(key => !target.has(key)))
    await trial.release([...holds.values()].filter(hold => !kept.has(hold)))
    await this.#gone(signal)
  }

  /** Waits until the removed subscriptions of one view, or of all, have ended. */
  async #gone(signal: AbortSignal | undefined, key?: string): Promise<void> {
    const leaving = [...this.#leaving].filter(subscription => key === undefined || subscription.view.key === key)
    await Promise.all(leaving.map(subscription => subscription.gone(signal)))
  }

  /** Calls the sink's `removed` for a view, or its `closed`. */
  #notify(view?: View<C>): void {
    const { environment } = this.#shared
    const failed = (error: unknown): void => {
      environment.onError(asError(error), { phase: `sink ${this.name}`, resource: view?.key })
    }
    try {
      const sink = this.#limits?.sink
      const result: unknown = view === undefined ? sink?.closed?.() : sink?.removed?.(view)
      if (isThenable(result)) Promise.resolve(result).catch(failed)
    } catch (error) {
      failed(error)
    }
  }

  #checkOpen(): void {
    if (this.#state !== 'open') throw new RegistrarClosedError(this.name)
  }
}

const nothing: readonly never[] = []

function targetOf<C>(views: Iterable<View<C>>): Map<string, View<C>> {
  if (views === null || typeof views !== 'object' || typeof views[Symbol.iterator] !== 'function') {
    throw new OptionTypeError('views', 'a list of views', typeof views)
  }
  const target = new Map<string, View<C>>()
  for (const view of views) {
    viewCheck('views', view)
    const twice = target.get(view.key)
    if (twice !== undefined) checkSame('views', twice, view)
    target.set(view.key, view)
  }
  return target
}
