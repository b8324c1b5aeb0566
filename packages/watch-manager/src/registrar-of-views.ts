import { OptionTypeError, type View } from '@wherry/client'
import { abortSignal, checkOptions, oneOf, viewCheck } from '@wherry/client/checks'
import { asError } from './as-error.ts'
import type { Hold } from './cache.ts'
import { checkSame } from './check-same.ts'
import type { Outlet } from './delivery/outlet.ts'
import { type FailedView, RegistrarClosedError, ReplaceSupersededError, throwFailed } from './errors.ts'
import { isThenable } from './is-thenable.ts'
import type { PendingView, Registrar, RegistrarStats, ReplaceOptions, WaitOptions } from './registrar.ts'
import type { Shared } from './shared.ts'
import { Trial } from './trial.ts'
import { Want } from './want.ts'
import type { WaitBounds } from './within.ts'

/** {@link Registrar}, as a watch manager makes it. */
export class RegistrarOfViews<C> implements Registrar<C> {
  readonly name: string
  readonly #shared: Shared
  readonly #outlet: Outlet<C> | undefined
  readonly #closed: () => void
  readonly #wants = new Map<string, Want<C>>()
  /** Removed, and not over yet. */
  #leaving: readonly Want<C>[] = nothing
  #trial: Trial<C> | undefined
  #state: Registrar['state'] = 'open'

  constructor(name: string, shared: Shared, outlet: Outlet<C> | undefined, closed: () => void) {
    this.name = name
    this.#shared = shared
    this.#outlet = outlet
    this.#closed = closed
  }

  get state(): Registrar['state'] {
    return this.#state
  }

  get intended(): readonly View<C>[] {
    return [...this.#wants.values()].map(want => want.view)
  }

  get watched(): readonly View<C>[] {
    return [...this.#wants.values()].filter(want => want.watched).map(want => want.view)
  }

  get pending(): readonly PendingView[] {
    const pending = [...this.#wants.values()].filter(want => !want.watched)
    return pending.map(({ view, reason }) => ({ view, reason }))
  }

  async add(view: View<C>): Promise<void> {
    viewCheck('view', view)
    this.#checkOpen()
    const held = this.#wants.get(view.key)
    if (held !== undefined) checkSame('view', held.view, view)
    this.#trial?.target.set(view.key, view)
    if (held === undefined) this.#want(view)
  }

  async remove(view: View<C>, options: WaitOptions = {}): Promise<void> {
    viewCheck('view', view)
    checkOptions('remove', options, { signal: abortSignal })
    this.#trial?.target.delete(view.key)
    this.#unwantAll([view.key])
    await this.#gone(options.signal, view.key)
  }

  async replace(views: Iterable<View<C>>, options: ReplaceOptions = {}): Promise<void> {
    checkOptions('replace', options, { onFailure: oneOf('retry', 'rollback'), signal: abortSignal })
    const target = targetOf(views)
    this.#checkOpen()
    for (const [key, view] of target) {
      const held = this.#wants.get(key)
      if (held !== undefined) checkSame('views', held.view, view)
    }
    this.#trial?.end(new ReplaceSupersededError(this.name))
    if (options.onFailure === 'rollback') await this.#tryReplace(target, options.signal)
    else await this.#apply(target, options.signal)
  }

  async synced(options: WaitOptions = {}): Promise<void> {
    checkOptions('synced', options, { signal: abortSignal })
    const { signal } = options
    signal?.throwIfAborted()
    this.#checkOpen()
    const views = this.intended
    const results = await Promise.allSettled(views.map(({ key }) => this.#whenSynced(key, signal)))
    this.#checkOpen()
    const failed = views.flatMap((view, index): FailedView[] => {
      const result = results[index]
      return result?.status === 'rejected' ? [{ view, reason: asError(result.reason) }] : []
    })
    throwFailed(this.name, failed, signal)
  }

  stats(): RegistrarStats {
    const wants = [...this.#wants.values()]
    const deliveries = wants.map(({ delivery }) => delivery)
    const { delivered = 0, retried = 0, resets = 0, retrying = 0, running = 0 } = this.#outlet ?? {}
    return {
      intended: wants.length,
      watched: wants.filter(want => want.watched).length,
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
      this.#unwantAll([...this.#wants.keys()])
      this.#tell()
    }
    await this.#gone(options.signal)
    if (this.#state === 'closed') return
    this.#state = 'closed'
    this.#closed()
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close()
  }

  /** A want may give way to another of the same view meanwhile: then that one is waited for. */
  async #whenSynced(key: string, signal: AbortSignal | undefined): Promise<void> {
    for (let want = this.#wants.get(key), done: Want<C> | undefined; want !== undefined && want !== done; ) {
      await want.whenSynced(signal)
      done = want
      want = this.#wants.get(key)
    }
  }

  #want(view: View<C>, hold?: Hold<C>): void {
    const want = new Want<C>(view, this.name, this.#shared, this.#outlet)
    const earlier = this.#knownAs(view)
    // Calls for an earlier want of the view may still be under way, or be to come: a key's calls come one after the other.
    if (earlier.length > 0) want.after(Promise.all(earlier.map(each => each.left())))
    this.#wants.set(view.key, want)
    this.#shared.wants.add(want as Want)
    if (this.#shared.started) want.begin(hold)
  }

  /** The sink is told once all of it is done: it may want others while it is told. */
  #unwantAll(keys: readonly string[]): void {
    const known = keys.flatMap(key => this.#unwant(key))
    for (const view of known) this.#tell(view)
  }

  /** Gives the views that the sink is to be told of. */
  #unwant(key: string): readonly View<C>[] {
    const want = this.#wants.get(key)
    if (want === undefined) return nothing
    this.#wants.delete(key)
    this.#shared.wants.delete(want as Want)
    want.remove()
    this.#leaving = [...this.#leaving, want]
    want.over().then(() => {
      this.#leaving = this.#leaving.filter(each => each !== want)
    })
    return want.known
  }

  /** Wants that the sink may still know as this view. */
  #knownAs({ key }: View): Want<C>[] {
    return [...this.#leaving, ...this.#wants.values()].filter(want => want.known.some(view => view.key === key))
  }

  async #apply(target: ReadonlyMap<string, View<C>>, signal: AbortSignal | undefined): Promise<void> {
    const leaving = [...this.#wants].filter(([key]) => !target.has(key)).map(([, want]) => want)
    const coming = [...target].filter(([key]) => !this.#wants.has(key)).map(([, view]) => view)
    const moves: Promise<void>[] = []
    const removed: string[] = []
    for (const want of leaving) {
      const at = coming.findIndex(view => this.#canMove(want, view))
      if (at === -1) removed.push(want.view.key)
      else moves.push(this.#move(want, coming.splice(at, 1)[0] as View<C>))
    }
    // In this order a cache can fill a view from one that leaves.
    for (const view of coming) this.#want(view)
    this.#unwantAll(removed)
    await Promise.all(moves)
    await Promise.all(leaving.map(want => (this.#leaving.includes(want) ? want.gone(this.#bounds(signal)) : undefined)))
  }

  #canMove(want: Want<C>, to: View<C>): boolean {
    const { cache, wants, started } = this.#shared
    const { key, resource, projection } = want.view
    if (cache.moveHold === undefined || (this.#outlet !== undefined && this.#outlet.sink.rescoped === undefined))
      return false
    const alike =
      resource.group === to.resource.group &&
      resource.version === to.resource.version &&
      resource.plural === to.resource.plural &&
      projection.name === to.projection.name &&
      projection.kind === to.projection.kind &&
      (projection.project === to.projection.project || projection.selfNamed === true)
    const free = wants.of(to.key).size === 0 && wants.moveOf(to.key) === undefined && this.#knownAs(to).length === 0
    return started && alike && free && want.movable && wants.of(key).size === 1
  }

  async #move(want: Want<C>, to: View<C>): Promise<void> {
    const { wants } = this.#shared
    const { key } = want.view
    this.#wants.delete(key)
    wants.delete(want as Want)
    const moved = want.move(to)
    wants.moving(key, to.key, moved)
    this.#wants.set(to.key, want)
    wants.add(want as Want)
    if ((await moved) || this.#wants.get(to.key) !== want) return
    const known = this.#unwant(to.key)
    this.#want(to)
    for (const view of known) this.#tell(view)
  }

  async #tryReplace(target: Map<string, View<C>>, signal: AbortSignal | undefined): Promise<void> {
    const trial = new Trial<C>(this.name, this.#shared, target)
    this.#trial = trial
    const coming = [...target].filter(([key]) => !this.#wants.has(key)).map(([, view]) => view)
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
      if (this.#wants.has(key)) continue
      const hold = holds.get(key)
      if (hold !== undefined) kept.add(hold)
      this.#want(view, hold)
    }
    this.#unwantAll([...this.#wants.keys()].filter(key => !target.has(key)))
    await trial.release([...holds.values()].filter(hold => !kept.has(hold)))
    await this.#gone(signal)
  }

  /** Waits for what is leaving; of one view, or of all. */
  async #gone(signal: AbortSignal | undefined, key?: string): Promise<void> {
    const leaving = [...this.#leaving].filter(want => key === undefined || want.view.key === key)
    await Promise.all(leaving.map(want => want.gone(this.#bounds(signal))))
  }

  #bounds(signal: AbortSignal | undefined): WaitBounds {
    return { ms: this.#shared.closeTimeoutMs, signal }
  }

  /** Says that there will be no more: of a view, or of any. */
  #tell(view?: View<C>): void {
    const { environment } = this.#shared
    const failed = (error: unknown): void => {
      environment.onError(asError(error), { phase: `sink ${this.name}`, resource: view?.key })
    }
    try {
      const sink = this.#outlet?.sink
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
