import type { Scope, View } from '@wherry/client'
import { abortSignal, checkOptions } from '@wherry/client/internal'
import { type InformerState, InformerStoppedError, type SharedInformer, type Store } from '@wherry/informer'
import { isPermanent, type ReflectorSet, StoreReader, SyncWaiters, whyNotSynced } from '@wherry/informer/internal'

/** An informer of a {@link TransformCache}. It is read and followed like any informer; the cache starts and ends it. */
export class TransformInformer<C, S extends Scope = Scope> extends StoreReader<C, S> implements SharedInformer<C, S> {
  readonly view: View<C, S>
  readonly #reflectors: ReflectorSet
  readonly #waiters = new SyncWaiters()
  #store: Store<C, S> | undefined

  /** @param reflectors the reflectors that feed the store */
  constructor(store: Store<C, S>, reflectors: ReflectorSet) {
    super()
    this.view = store.view
    this.#store = store
    this.#reflectors = reflectors
    store.onSynced(() => this.#waiters.resolve())
  }

  get state(): InformerState {
    return this.#store === undefined ? 'stopped' : this.#reflectors.state
  }

  get lastSyncedResourceVersion(): string | undefined {
    return this.#store?.synced ? this.#reflectors.lastSyncedResourceVersion : undefined
  }

  get lastError(): Error | undefined {
    return this.#reflectors.lastError
  }

  get hasSynced(): boolean {
    return this.#store?.synced === true && !this.#reflectors.isMissing
  }

  async whenSynced(options: { readonly signal?: AbortSignal | undefined } = {}): Promise<void> {
    checkOptions('whenSynced', options, { signal: abortSignal })
    this.live()
    if (this.hasSynced) return
    const { signal } = options
    const isComing = signal?.aborted !== true && this.#reflectors.tryNow()
    const { lastError } = this
    if (lastError !== undefined && !isComing && (this.state === 'stopped' || isPermanent(lastError))) throw lastError
    await this.#waiters.wait(signal).catch(reason => {
      throw whyNotSynced(this, signal, reason)
    })
  }

  /** Handles a failure of the reflectors, which try again unless they have stopped. Called by the cache. */
  feedFailed(error: Error): void {
    if (!this.hasSynced && (this.state === 'stopped' || isPermanent(error))) this.#waiters.reject(error)
  }

  /** Handles the start of the watches. Called by the cache. */
  feedWatches(): void {
    this.#waiters.resolve()
  }

  /** Ends the informer. Called by the cache. */
  end(): void {
    const stopped = new InformerStoppedError(this.view.key)
    const store = this.#store
    this.#store = undefined
    store?.close(stopped)
    this.#waiters.reject(stopped)
  }

  /** The store of the informer, for the cache. */
  get store(): Store<C, S> {
    return this.live()
  }

  protected override live(): Store<C, S> {
    if (this.#store === undefined) throw new InformerStoppedError(this.view.key)
    return this.#store
  }
}
