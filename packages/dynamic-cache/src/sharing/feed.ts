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
  /** Called once, when all reflectors of the feed have brought a whole state. */
  synced(): void
  /** Called when the state of a reflector changes. */
  state(): void
  /** Called when the server is proved not to serve the resource. */
  missing(error: Error): void
  /** Called when a list or watch has failed, and is tried again. */
  error(error: Error): void
}

export interface FeedOptions {
  readonly client: Client
  readonly scope: View
  readonly form: ReadForm
  /** Whether the first state replaces that of another feed, and so must not be older. */
  readonly takesOver: boolean
  readonly reading: ReadingOptions
  readonly streaming: StreamingSupport
  readonly held: HeldReads
  readonly on: FeedListeners
}

/** The reflectors of one scope in one form, one for each namespace, with the writers of their stores. */
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

  /** Whether the resource is gone, or never existed. */
  get isMissing(): boolean {
    return this.#reflectors.some(({ isMissing }) => isMissing)
  }

  /** Whether the feed makes no progress at present, so that ending it loses nothing. */
  get isStuck(): boolean {
    return this.#reflectors.every(({ state }) => state === 'idle' || state === 'waiting' || state === 'missing')
  }

  /** The number of stores of the feed. */
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

  /** Adds a store. @param from a store of full objects of this feed, which fills the added store: needed once the feed has started */
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

  /** Whether the writers of a store are still staged. */
  isStaged(store: Store<unknown>): boolean {
    return this.#staged.has(store)
  }

  /** Lets the writers of a store take over from other writers. */
  promote(store: Store<unknown>, retired: readonly StoreWriter[], view?: View | undefined): void {
    this.#staged.delete(store)
    store.promote(this.writers(store), retired, view)
  }

  /** Removes a store. Returns its writers, which stay open. */
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

  /** Makes refused reflectors retry for a new wait. Returns whether an answer will come. */
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
