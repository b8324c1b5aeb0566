import type { Timer, View } from '@wherry/client'
import { asError, Backoff } from '@wherry/client/internal'
import { late, within } from '@wherry/informer/internal'
import type { Hold } from './cache.ts'
import { Delivery, type DeliveryListener } from './delivery/delivery.ts'
import type { SinkLimits } from './delivery/sink-limits.ts'
import { SinkStillRunningError } from './errors.ts'
import type { Shared } from './shared.ts'

/** The subscription of one registrar to one view: a hold on the cache, and the delivery to the sink. */
export class Subscription<C = unknown> implements DeliveryListener {
  readonly #registrar: string
  readonly #shared: Shared
  readonly #delivery: Delivery<C> | undefined
  #view: View<C>
  #hold: Hold<C> | undefined
  /** Why there is no hold. */
  #failure: Error | undefined
  #backoff: Backoff | undefined
  #timer: Timer | undefined
  /** Whether the sink has taken a `synced`. */
  #synced = false
  #removed = false
  #moving = false
  /** Whether the sink still has an earlier subscription of this view. */
  #waiting = false
  #released: Promise<void> | undefined
  #watchers: Set<() => void> | undefined

  constructor(view: View<C>, registrar: string, shared: Shared, limits: SinkLimits<C> | undefined) {
    this.#view = view
    this.#registrar = registrar
    this.#shared = shared
    this.#delivery = limits && new Delivery(view, limits, this)
  }

  get view(): View<C> {
    return this.#view
  }

  get delivery(): Delivery<C> | undefined {
    return this.#delivery
  }

  /** The views under which the sink may have received objects of the subscription. */
  get known(): readonly View<C>[] {
    return this.#waiting ? [] : (this.#delivery?.known ?? [])
  }

  /** Whether the informer has the first state, and changes arrive. */
  get watched(): boolean {
    const informer = this.#moving ? undefined : this.#hold?.informer
    return informer?.hasSynced === true && informer.state !== 'missing' && informer.state !== 'stopped'
  }

  /** The known reason why the view is not watched. */
  get reason(): Error | undefined {
    return this.#failure ?? this.#hold?.informer.lastError
  }

  /** Whether the view can be moved now. */
  get movable(): boolean {
    return this.#hold !== undefined && !this.#moving && !this.#removed
  }

  /** Starts the subscription: takes a hold, with retries, or uses the given one. */
  begin(hold?: Hold<C>): void {
    if (this.#hold !== undefined || this.#removed) return
    const move = hold === undefined ? this.#shared.subscriptions.moveOf(this.#view.key) : undefined
    if (move !== undefined) {
      move.then(() => this.begin())
      return
    }
    try {
      const taken = hold ?? this.#shared.context.outside(() => this.#shared.cache.hold(this.#view, this.#registrar))
      this.#hold = taken
      this.#failure = undefined
      this.#delivery?.follow(taken.informer.cursor())
    } catch (error) {
      this.#release()
      this.#fail(asError(error))
    }
    this.#changed()
  }

  /** Makes no call before the calls of an earlier subscription of this view have settled. */
  after(earlier: Promise<unknown>): void {
    if (this.#delivery === undefined) return
    this.#waiting = true
    this.#delivery.pause()
    const resume = (): void => {
      this.#waiting = false
      this.#delivery?.resume()
    }
    earlier.then(resume, resume)
  }

  /** Records that the sink has taken a `synced`. */
  synced(): void {
    this.#synced = true
    this.#backoff = undefined
    this.#changed()
  }

  /** Handles an informer that was closed by others. */
  ended(): void {
    if (this.#removed) return
    this.#release()
    this.#fail(new Error(`the informer of ${this.#view.key} was ended`))
    this.#changed()
  }

  /**
   * Changes the view, and moves the informer to it. Resolves with false if the cache can't move it: then another subscription must replace this
   * one.
   */
  async move(to: View<C>): Promise<boolean> {
    const hold = this.#hold
    const from = this.#view
    const { cache, context, environment } = this.#shared
    this.#moving = true
    this.#view = to
    this.#delivery?.expect(to)
    try {
      await context.outside(() => cache.moveHold?.(hold as Hold<C>, to))
      this.#delivery?.move(to)
      return true
    } catch (error) {
      const fields = { registrar: this.#registrar, from: from.key, to: to.key, reason: asError(error).message }
      environment.log('debug', 'a view is not rescoped, but exchanged', fields)
      return false
    } finally {
      this.#moving = false
      this.#changed()
    }
  }

  /** Ends the subscription: no call begins after this, and the hold is released. */
  remove(): void {
    if (this.#removed) return
    this.#removed = true
    this.#timer?.cancel()
    this.#delivery?.stop()
    this.#release()
    this.#changed()
  }

  /** Resolves when the subscription has ended; never, if a call to the sink never settles. */
  async over(): Promise<void> {
    await Promise.all([this.#released, this.#delivery?.idle(true)])
  }

  /** Resolves when the sink has the subscription only under its present view and, after a removal, when it has ended. */
  async left(): Promise<void> {
    await this.#delivery?.moved()
    if (this.#removed) await this.over()
  }

  /**
   * Resolves when the subscription has ended, without waiting for a call of the sink that has called this. Otherwise resolves after `closeTimeoutMs`,
   * or when the signal is aborted, and reports that.
   */
  async gone(signal: AbortSignal | undefined): Promise<void> {
    const { environment, closeTimeoutMs } = this.#shared
    const calls = this.#delivery?.underWay() ?? []
    const over = Promise.allSettled([this.#released, this.#delivery?.idle()])
    if ((await within(over, closeTimeoutMs, environment.clock, signal)) !== late) return
    const still = calls.length > 0 ? calls : ['its watch']
    const error = new SinkStillRunningError(this.#registrar, this.#view.key, still)
    environment.onError(error, { phase: 'close', resource: this.#view.key })
  }

  /**
   * Resolves when the sink has taken `synced` (without a sink: when the informer has synced), or when the subscription is removed.
   * @param orAbsent resolves also while the cache waits for the resource
   */
  async whenSynced(signal: AbortSignal | undefined, orAbsent: boolean): Promise<void> {
    while (!this.#removed) {
      if (this.#failure !== undefined) throw this.#failure
      const informer = this.#moving ? undefined : this.#hold?.informer
      if (informer?.hasSynced && (this.#synced || this.#delivery === undefined)) return
      if (orAbsent && informer?.isAbsent === true) return
      const done = new AbortController()
      try {
        const change = this.#change(signal, done.signal)
        const wait = informer !== undefined && !informer.hasSynced
        // An informer that is never absent need not know of the option.
        const asked = { signal: done.signal, ...(informer?.isAbsent !== undefined && { orAbsent }) }
        await (wait ? Promise.race([change, informer.whenSynced(asked)]) : change)
      } catch (error) {
        if (!this.#removed) throw error
      } finally {
        done.abort()
      }
    }
  }

  #fail(error: Error): void {
    const { environment } = this.#shared
    this.#failure = error
    environment.onError(error, { phase: `hold ${this.#registrar}`, resource: this.#view.key })
    this.#backoff ??= new Backoff(environment)
    this.#timer = environment.clock.timer(this.#backoff.next(), () => this.begin())
  }

  #release(): void {
    const hold = this.#hold
    if (hold === undefined) return
    this.#hold = undefined
    const { environment, context } = this.#shared
    const failed = (error: unknown): void => {
      environment.onError(asError(error), { phase: `release ${this.#registrar}`, resource: this.#view.key })
    }
    try {
      this.#released = context.outside(() => hold.release()).catch(failed)
    } catch (error) {
      failed(error)
    }
  }

  /** Resolves at the next change of this subscription's state. */
  #change(signal: AbortSignal | undefined, done: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#watchers ??= new Set()
      const watchers = this.#watchers
      const stopped = (): void => reject(signal?.reason)
      watchers.add(resolve)
      signal?.addEventListener('abort', stopped, { once: true })
      done.addEventListener('abort', () => {
        watchers.delete(resolve)
        if (watchers.size === 0 && this.#watchers === watchers) this.#watchers = undefined
        signal?.removeEventListener('abort', stopped)
      })
      if (signal?.aborted) stopped()
    })
  }

  #changed(): void {
    for (const watcher of [...(this.#watchers ?? [])]) watcher()
  }
}
