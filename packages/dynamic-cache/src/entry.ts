import { isResourceNotFound, type Scope, type View } from '@wherry/client'
import type { InformerState, Store } from '@wherry/informer'
import { isClosed, isPermanent, SyncWaiters, whyNotSynced } from '@wherry/informer/internal'
import { InformerRemovedError } from './errors.ts'
import type { Rescoping } from './rescoping.ts'
import type { SharedWatch } from './sharing/shared-watch.ts'

/** How an entry treats a resource that the server does not know (rule D7). */
export type WhenUnknown = 'error' | 'wait'

/** A cached view: its store, and its users. */
export class Entry<C = unknown, S extends Scope = Scope> {
  readonly store: Store<C, S>
  readonly whenUnknown: WhenUnknown
  /** The start of the entry, on the wall clock, in milliseconds. */
  readonly since: number
  /** Whether `informer()` or a read asked for the view, and not only a hold. */
  asked: boolean = false
  /** The holders' names, by hold. */
  readonly holds: Map<object, string> = new Map()
  /** The move to another scope (rule D9), until its difference was delivered. */
  rescoping: Rescoping | undefined
  watch: SharedWatch
  readonly #waiters = new SyncWaiters()
  #ended: Error | undefined

  constructor(store: Store<C, S>, watch: SharedWatch, whenUnknown: WhenUnknown, since: number) {
    this.store = store
    this.watch = watch
    this.whenUnknown = whenUnknown
    this.since = since
    store.onSynced(() => this.#waiters.resolve())
  }

  get view(): View<C, S> {
    return this.store.view
  }

  get state(): InformerState {
    return this.#ended === undefined ? this.watch.state(this.#key) : 'stopped'
  }

  get lastSyncedResourceVersion(): string | undefined {
    return this.watch.lastSyncedResourceVersion(this.#key)
  }

  get lastError(): Error | undefined {
    return this.watch.lastError(this.#key)
  }

  /** Whether the entry has its first state, and its resource exists. */
  get hasSynced(): boolean {
    return this.store.synced && !this.watch.isMissing(this.#key)
  }

  /** Whether the server does not serve the resource, and the cache waits until it does (rule D7). */
  get isAbsent(): boolean {
    return this.whenUnknown === 'wait' && this.watch.isMissing(this.#key)
  }

  get holders(): readonly string[] {
    return [...new Set(this.holds.values())]
  }

  start(): void {
    this.watch.join(this.#key)
  }

  /**
   * Resolves when the entry has its first state. Rejects with the error that makes waiting pointless, or a `NotSyncedError` (rules R36, D2).
   * @param orAbsent whether to resolve also if {@link Entry.isAbsent} is true
   */
  async whenSynced(signal?: AbortSignal | undefined, orAbsent = false): Promise<void> {
    if (this.#ended !== undefined) throw this.#ended
    const isOver = (): boolean => this.hasSynced || (orAbsent && this.isAbsent)
    if (isOver()) return
    const isComing = signal?.aborted !== true && this.watch.tryNow()
    const { lastError } = this
    if (lastError !== undefined && this.#isPermanent(lastError) && !isComing) throw lastError
    await this.#waiters.wait(signal, undefined, isOver).catch(reason => {
      throw whyNotSynced(this, signal, reason, 'idle')
    })
  }

  /** Handles the failure of a watch, which tries again. Ignores watches of other entries. */
  failed(watch: SharedWatch, error: Error): void {
    if (watch === this.rescoping?.watch && this.#isPermanent(error)) this.rescoping.fail(error)
    if (watch === this.watch && !this.hasSynced && this.#isPermanent(error)) this.#waiters.reject(error)
  }

  /** Handles the news that the server serves the resource of a watch, or does not. */
  known(watch: SharedWatch): void {
    if (watch === this.watch) this.#waiters.resolve()
  }

  /** Ends the entry: rejects its waits, and drops the store. */
  end(why: Error = new InformerRemovedError(this.view.key)): void {
    if (this.#ended !== undefined) return
    this.#ended = why
    this.holds.clear()
    this.rescoping?.end(why)
    this.watch.leave(this.#key)
    this.#waiters.reject(why)
    this.store.close(why)
  }

  #isPermanent(error: Error): boolean {
    // Waiting for a closed client is pointless too.
    if (isClosed(error)) return true
    return isPermanent(error) && !(this.whenUnknown === 'wait' && isResourceNotFound(error))
  }

  get #key(): Store<unknown> {
    return this.store as unknown as Store<unknown>
  }
}
