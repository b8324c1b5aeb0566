import type { Scope, View } from '@wherry/client'
import { abortSignal, checkOptions, flag } from '@wherry/client/internal'
import type { InformerState, SharedInformer, Store } from '@wherry/informer'
import { StoreReader } from '@wherry/informer/internal'
import type { Entry } from './entry.ts'
import { InformerRemovedError } from './errors.ts'

/** What an informer reads, for as long as the cache has it: then nothing of it is held (rule D4). */
export interface HeldEntry<C, S extends Scope> {
  view: View<C, S>
  entry: Entry<C, S> | undefined
}

/**
 * An informer of a dynamic cache: read and followed as any other, started by the cache and ended by it. Once it was removed,
 * it holds nothing, and every use of it is an `InformerRemovedError`; ask the cache for another.
 */
export class CachedInformer<C, S extends Scope = Scope> extends StoreReader<C, S> implements SharedInformer<C, S> {
  readonly #held: HeldEntry<C, S>

  constructor(held: HeldEntry<C, S>) {
    super()
    this.#held = held
  }

  /** What it is of. It changes when the cache moves it to another scope. */
  get view(): View<C, S> {
    return this.#held.entry?.view ?? this.#held.view
  }

  get state(): InformerState {
    return this.#held.entry?.state ?? 'stopped'
  }

  get lastSyncedResourceVersion(): string | undefined {
    return this.#held.entry?.lastSyncedResourceVersion
  }

  get lastError(): Error | undefined {
    return this.#held.entry?.lastError
  }

  get hasSynced(): boolean {
    return this.#held.entry?.hasSynced === true
  }

  /** Whether the server does not serve its resource, and the cache waits until it does (`whenUnknown: 'wait'`). */
  get isAbsent(): boolean {
    return this.#held.entry?.isAbsent === true
  }

  /**
   * As {@link SharedInformer.whenSynced}. With `orAbsent` it also resolves where {@link CachedInformer.isAbsent}: there is no first state to
   * wait for.
   */
  async whenSynced(
    options: { readonly signal?: AbortSignal | undefined; readonly orAbsent?: boolean | undefined } = {},
  ): Promise<void> {
    checkOptions('whenSynced', options, { signal: abortSignal, orAbsent: flag })
    return this.#live().whenSynced(options.signal, options.orAbsent)
  }

  protected override live(): Store<C, S> {
    return this.#live().store
  }

  #live(): Entry<C, S> {
    const { entry, view } = this.#held
    if (entry === undefined) throw new InformerRemovedError(view.key)
    return entry
  }
}
