import type { Client, KubernetesObject, View } from '@wherry/client'
import type { InformerState, ReadingOptions, Store, StoreWriter } from '@wherry/informer'
import {
  type HeldReads,
  jointError,
  jointResourceVersion,
  jointState,
  type ReadForm,
  Reflector,
  type StreamingSupport,
  targetsFor,
} from '@wherry/informer/internal'

/** The events of a feed. */
export interface FeedListeners {
  /** All its reflectors have brought a whole state; once. */
  synced(): void
  /** A reflector does something else now. */
  state(): void
  /** It is proved that the server does not serve the resource. */
  missing(error: Error): void
  /** A list or watch failed, and is tried again. */
  error(error: Error): void
}

export interface FeedOptions {
  readonly client: Client
  readonly scope: View
  readonly form: ReadForm
  /** Its first state is to take over from another feed's: it must not be older than what that one has. */
  readonly takesOver: boolean
  readonly reading: ReadingOptions
  readonly streaming: StreamingSupport
  readonly held: HeldReads
  readonly on: FeedListeners
}

/** The reflectors of one scope in one form, one for each namespace, and the writers of the stores that they feed. */
export class Feed {
  readonly form: ReadForm
  readonly #namespaces: readonly string[] | undefined
  readonly #reflectors: readonly Reflector[]
  readonly #unsynced: Set<number>
  readonly #writers = new Map<Store<unknown>, readonly StoreWriter[]>()
  readonly #staged = new Set<Store<unknown>>()

  constructor({ client, scope, form, takesOver, reading, streaming, held, on }: FeedOptions) {
    this.form = form
    this.#namespaces = scope.namespaces
    const targets = targetsFor(scope, form)
    this.#unsynced = new Set(targets.keys())
    this.#reflectors = targets.map(
      (target, index) =>
        new Reflector({
          client,
          target,
          ...reading,
          firstList: takesOver ? 'newest' : 'any',
          streaming,
          held,
          on: {
            synced: () => {
              if (this.#unsynced.delete(index) && this.#unsynced.size === 0) on.synced()
            },
            state: () => on.state(),
            missing: error => on.missing(error),
            error: error => on.error(error),
          },
        }),
    )
  }

  get synced(): boolean {
    return this.#unsynced.size === 0
  }

  get state(): InformerState {
    return jointState(this.#reflectors)
  }

  get lastSyncedResourceVersion(): string | undefined {
    return jointResourceVersion(this.#reflectors)
  }

  get lastError(): Error | undefined {
    return jointError(this.#reflectors)
  }

  /** The resource is gone, or was never there. */
  get isMissing(): boolean {
    return this.#reflectors.some(({ isMissing }) => isMissing)
  }

  /** It gets nowhere at present: what it has begun is no loss. */
  get isStuck(): boolean {
    return this.#reflectors.every(({ state }) => state === 'idle' || state === 'waiting' || state === 'missing')
  }

  /** How many stores it feeds. */
  get size(): number {
    return this.#writers.size
  }

  get watches(): number {
    return this.#reflectors.length
  }

  has(store: Store<unknown>): boolean {
    return this.#writers.has(store)
  }

  writers(store: Store<unknown>): readonly StoreWriter[] {
    return this.#writers.get(store) ?? []
  }

  /** Feeds a store too. @param from a store of full objects that it feeds: needed once it has begun */
  add(store: Store<unknown>, staged: boolean, from?: Store<object> | undefined): void {
    const writers = this.#reflectors.map((reflector, index) => {
      const writer = store.writer({ staged })
      const fill = from && (() => entriesOf(from, this.#namespaces?.[index]))
      reflector.add(writer, fill && { fill })
      return writer
    })
    this.#writers.set(store, writers)
    if (staged) this.#staged.add(store)
  }

  /** Whether what a store gets from it is staged still. */
  isStaged(store: Store<unknown>): boolean {
    return this.#staged.has(store)
  }

  /** Lets what it brought to a store take over from other writers. */
  promote(store: Store<unknown>, retired: readonly StoreWriter[], view?: View | undefined): void {
    this.#staged.delete(store)
    store.promote(this.writers(store), retired, view)
  }

  /** Feeds a store no more. Its writers stay open. */
  remove(store: Store<unknown>): readonly StoreWriter[] {
    const writers = this.writers(store)
    this.#writers.delete(store)
    this.#staged.delete(store)
    for (const [index, writer] of writers.entries()) this.#reflectors[index]?.remove(writer)
    return writers
  }

  start(): void {
    for (const reflector of this.#reflectors) reflector.start()
  }

  retryNow(): void {
    for (const reflector of this.#reflectors) reflector.retryNow()
  }

  /** Reads all again, and reuses nothing. */
  relist(): void {
    for (const reflector of this.#reflectors) reflector.relist()
  }

  /** Has reflectors that were refused try again for a new wait. Returns whether an answer is to come. */
  tryNow(): boolean {
    return this.#reflectors.map(reflector => reflector.tryNow()).includes(true)
  }

  async stop(): Promise<void> {
    await Promise.all(this.#reflectors.map(reflector => reflector.stop()))
  }
}

function* entriesOf(
  store: Store<object>,
  namespace: string | undefined,
): Generator<{ readonly object: KubernetesObject; readonly bytes: number }> {
  for (const entry of store.entries()) {
    const object: KubernetesObject = entry.object
    if (namespace === undefined || object.metadata?.namespace === namespace) yield { object, bytes: entry.bytes }
  }
}
