import type { Environment, KubernetesObject, View } from '@wherry/client'
import {
  type Cursor,
  type InformerState,
  InformerStoppedError,
  NotSyncedError,
  Store,
  type StoreWriter,
} from '@wherry/informer'
import type { HeldInformer } from '../cache.ts'

/** An object of the cluster, with its key. */
export type Entry = readonly [key: string, object: KubernetesObject]

export interface MemoryInformerOptions {
  /** How long a list takes, in simulated milliseconds. @default 10 */
  readonly listMs?: number | undefined
  readonly maxTombstones?: number | undefined
}

/** The cluster that an informer reads. */
export interface Source {
  refused(view: View): Error | undefined
  list(view: View): readonly Entry[]
  /** The newest resourceVersion. */
  version(): string
}

const bytes = 100

/** An informer of a {@link MemoryCache}: a real store, filled from a map after a while. */
export class MemoryInformer implements HeldInformer<unknown> {
  readonly holds: Map<symbol, string> = new Map()
  readonly store: Store<unknown>
  readonly #environment: Environment
  readonly #options: MemoryInformerOptions
  readonly #source: Source
  readonly #waiting = new Set<{ readonly resolve: () => void; readonly reject: (error: unknown) => void }>()
  #writer: StoreWriter
  #view: View
  #selected = new Set<string>()
  #connected = false
  /** Whether the resource has vanished, and was not listed since. */
  #isGone = false
  state: InformerState = 'idle'
  lastError: Error | undefined

  constructor(view: View, environment: Environment, options: MemoryInformerOptions, source: Source) {
    this.#view = view
    this.#environment = environment
    this.#options = options
    this.#source = source
    this.store = new Store<unknown>({ view, environment, maxTombstones: options.maxTombstones })
    this.#writer = this.store.writer()
    this.list()
  }

  get view(): View {
    return this.#view
  }

  get hasSynced(): boolean {
    return this.store.synced && !this.#isGone
  }

  cursor(): Cursor<unknown> {
    if (this.state === 'stopped') throw new InformerStoppedError(this.#view.key)
    return this.store.cursor()
  }

  whenSynced({ signal }: { readonly signal?: AbortSignal | undefined } = {}): Promise<void> {
    return new Promise((resolve, reject) => {
      const late = (): void =>
        reject(new NotSyncedError(this.#view.key, this.state, undefined, signal?.reason, this.state))
      if (signal?.aborted) return late()
      if (this.state === 'stopped') return reject(new InformerStoppedError(this.#view.key))
      if (this.hasSynced) return resolve()
      if (this.lastError !== undefined) return reject(this.lastError)
      const waiter = { resolve, reject }
      this.#waiting.add(waiter)
      signal?.addEventListener('abort', () => {
        this.#waiting.delete(waiter)
        late()
      })
    })
  }

  /** Lists again, after a while. */
  list(): void {
    if (this.state === 'stopped') return
    this.#connected = false
    this.state = this.hasSynced ? 'relisting' : 'listing'
    this.#environment.clock.timer(this.#options.listMs ?? 10, () => this.#listed())
  }

  /** Receives no changes until it is made to {@link list}. */
  disconnect(): void {
    this.#connected = false
    if (this.state === 'watching') this.state = 'waiting'
  }

  /** Makes the resource unknown, or gone: all its objects are deleted. */
  vanish(error: Error): void {
    this.#connected = false
    this.state = 'missing'
    if (this.store.synced) this.#writer.clear()
    this.#selected.clear()
    this.#isGone = true
    this.#settle(error)
  }

  changed(key: string, object: KubernetesObject, selected: boolean): void {
    if (!this.#connected) return
    if (!selected) return this.deleted(key, object)
    this.#writer.change(this.#selected.has(key) ? 'MODIFIED' : 'ADDED', object, bytes)
    this.#selected.add(key)
  }

  deleted(key: string, object: KubernetesObject): void {
    if (this.#connected && this.#selected.delete(key)) this.#writer.change('DELETED', object, bytes)
  }

  async rescope(to: View): Promise<void> {
    this.#view = to
    await this.#environment.clock.turn()
    if (this.state === 'stopped') return
    const staged = this.store.writer({ staged: true })
    const before = this.#writer
    this.#fill(staged)
    this.store.promote([staged], [before], to)
    this.#writer = staged
  }

  stop(): void {
    this.state = 'stopped'
    const why = new InformerStoppedError(this.#view.key)
    this.store.close(why)
    this.#settle(why)
  }

  #listed(): void {
    if (this.state === 'stopped') return
    const error = this.#source.refused(this.#view)
    if (error !== undefined) {
      this.state = 'waiting'
      return this.#settle(error)
    }
    this.#fill(this.#writer)
    this.#connected = true
    this.#isGone = false
    this.state = 'watching'
    this.#settle(undefined)
  }

  #fill(writer: StoreWriter): void {
    const entries = this.#source.list(this.#view)
    const snapshot = writer.replace()
    for (const [, object] of entries) snapshot.put(object, bytes)
    snapshot.commit(this.#source.version())
    this.#selected = new Set(entries.map(([key]) => key))
  }

  #settle(error: Error | undefined): void {
    this.lastError = error
    for (const { resolve, reject } of [...this.#waiting]) error === undefined ? resolve() : reject(error)
    this.#waiting.clear()
  }
}
