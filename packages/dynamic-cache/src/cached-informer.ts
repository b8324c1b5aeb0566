import type { Scope, View } from '@wherry/client'
import { abortSignal, checkOptions, flag } from '@wherry/client/internal'
import type { InformerState, SharedInformer, Store } from '@wherry/informer'
import { StoreReader } from '@wherry/informer/internal'
import type { Entry } from './entry.ts'
import { InformerRemovedError } from './errors.ts'

/** The entry that an informer reads, while the cache has it. Afterwards the informer holds nothing (rule D4). */
export interface HeldEntry<C, S extends Scope> {
  view: View<C, S>
  entry: Entry<C, S> | undefined
}

/**
 * An informer of a dynamic cache, which starts and ends it. After its removal it holds nothing: its state is `stopped`, and
 * reads, waits and new handlers fail with an `InformerRemovedError`. Ask the cache for a new informer.
 */
export class CachedInformer<C, S extends Scope = Scope> extends StoreReader<C, S> implements SharedInformer<C, S> {
  readonly #held: HeldEntry<C, S>

  constructor(held: HeldEntry<C, S>) {
    super()
    this.#held = held
  }

  /** The view of the informer. It changes when the cache moves the informer to another scope. */
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

  /** Whether the server does not serve the resource, and the cache waits until it does (`whenUnknown: 'wait'`). */
  get isAbsent(): boolean {
    return this.#held.entry?.isAbsent === true
  }

  /**
   * As {@link SharedInformer.whenSynced}. With `orAbsent` it also resolves if {@link CachedInformer.isAbsent} is true, because no first state will
   * come.
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
