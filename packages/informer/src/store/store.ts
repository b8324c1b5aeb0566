import {
  type ChangeType,
  type Environment,
  type KeyOf,
  LabelSelector,
  OptionRangeError,
  OptionTypeError,
  type Scope,
  type View,
} from '@wherry/client'
import {
  anything,
  callback,
  callGuarded,
  checkOptions,
  checkSegment,
  compareResourceVersions,
  flag,
  guarded,
  having,
  integer,
  milliseconds,
  redactError,
  resourceName,
  text,
  viewCheck,
  watched,
} from '@wherry/client/internal'
import { Entry } from '../entries/entry.ts'
import { checkKey, type Identity, identityOf, isSameState } from '../entries/identity.ts'
import type { WriterId } from '../entries/writer-id.ts'
import { LabelsNotKeptError, TransformError } from '../errors.ts'
import type { Cursor } from '../journal/cursor.ts'
import { FirstList } from '../journal/first-list.ts'
import { Journal } from '../journal/journal.ts'
import { JournalCursor } from '../journal/journal-cursor.ts'
import type { KeyedListerOptions, Lister, ObjectVersion } from '../lister.ts'
import type { Handler, Registration, RegistrationOptions } from '../registrations/handler.ts'
import { Registrations } from '../registrations/registrations.ts'
import { type Handover, type HandoverStore, handOver, type LastKnown } from './handover.ts'
import { type IndexFunction, Indices } from './indices.ts'
import type { ListSnapshot } from './list-snapshot.ts'
import { SourceWriter, type WriterTarget } from './source-writer.ts'
import type { StoreWriter, WriterOptions } from './store-writer.ts'
import { labelsOf, Transformer } from './transformer.ts'

// An import would read all exports of the module, and so load 0.7 MB that Node loads lazily.
const { isDeepStrictEqual } = process.getBuiltinModule('node:util')

/** The options of a {@link Store}. */
export interface StoreOptions<C, S extends Scope = Scope> {
  /** Its view: a resource, a scope and a projection. */
  readonly view: View<C, S>
  /** The clock, and the receiver of background errors. */
  readonly environment: Environment
  /**
   * Freezes stored objects, and the objects that a projection of yours receives, so that code which changes one fails (rule R37). Costs about as much as
   * decoding. Parts that several objects share are always frozen.
   * @default true unless `NODE_ENV` is `production`
   */
  readonly freeze?: boolean | undefined
  /** Indices by name. You can add more later. @default none */
  readonly indices?: Readonly<Record<string, IndexFunction<C>>> | undefined
  /** The maximum number of deletions that are kept for slow cursors. @default the larger of 10,000 and the largest number of objects so far */
  readonly maxTombstones?: number | undefined
  /** The maximum size of the deleted objects that are kept, in bytes as received. @default 33_554_432 (32 MiB) */
  readonly maxTombstoneBytes?: number | undefined
  /** Makes the stored value of an object as decoded. @default the view's projection */
  readonly transform?: ((object: object) => C) | undefined
}

/** The contents of a store, and their cost. */
export interface StoreStats {
  /** The number of objects, failed ones included. */
  readonly objects: number
  /** The number of these that could not be transformed in their newest state, even if an earlier value is still served. */
  readonly failed: number
  /** Bytes of the stored objects, as received. */
  readonly receivedBytes: number
  /**
   * The share of `managedFields` in the bytes received since the store was made, from 0 to 1, measured in a sample of the objects. Only full and
   * exact views store them.
   */
  readonly managedFieldsShare: number
  readonly tombstones: number
  /** Bytes of the objects of tombstones, as received. */
  readonly tombstoneBytes: number
  readonly cursors: number
  readonly registrations: number
  /** The number of failed transforms since the store was made. */
  readonly transformFailures: number
}

/**
 * Holds the objects of one view. Writers change it, a lister's methods read it, cursors and registrations follow it. It stores what the view's
 * projection makes of each object; equal parts of several objects (namespace, kind, values of labels, whole labels, …) are stored once. Its own
 * cost is about 220 bytes an object.
 *
 * An event of a watch goes from `SourceWriter.change` to `change` here, which changes the entry, the journal and the indices, and then calls the handlers
 * (rules R25, R26).
 *
 * @throws OptionTypeError, OptionRangeError
 * @example
 * ```ts
 * import { Client } from '@wherry/client'
 * import { configMaps } from '@wherry/client/resources/core'
 * import { Store } from '@wherry/informer'
 *
 * const { environment } = await Client.connect()
 * const store = new Store({ view: configMaps, environment })
 * const snapshot = store.writer().replace()
 * const settings = { metadata: { name: 'settings', namespace: 'arcade', uid: '1', resourceVersion: '7' } }
 * snapshot.put(settings, 100)
 * snapshot.commit('7')
 * console.log(store.get('arcade/settings')?.metadata?.resourceVersion) // 7
 * ```
 */
export class Store<C, S extends Scope = Scope> implements Lister<C, S>, WriterTarget<C>, HandoverStore<C> {
  readonly #environment: Environment
  readonly #journal: Journal<C>
  readonly #indices: Indices<C>
  readonly #registrations: Registrations<C>
  readonly #transformer: Transformer<C>
  #view: View<C, S>
  #entries = new Map<string, Entry<C>>()
  /** Entries that keep the value of an earlier state, because their newest state could not be transformed. */
  readonly #stale = new Map<Entry<C>, TransformError>()
  /** The number of entries without a value. */
  #failed = 0
  #bytes = 0
  #transformFailures = 0
  /** Errors that are reported before handlers are called. */
  #errors: TransformError[] = []
  #mark = 0
  /** The number of open writers that have not committed. */
  #unsynced = 0
  #hasSyncedWriter = false
  readonly #staged = new Set<SourceWriter<C>>()
  /** Deletions, while there are staged writers. */
  #deletions: Map<string, LastKnown> | undefined
  #handover: Handover<C> | undefined
  readonly #syncListeners = new Set<() => void>()
  /** The reason of the close, if the store was closed. */
  #why: Error | undefined

  constructor(options: StoreOptions<C, S>) {
    checkOptions('store', options, checks)
    for (const option of ['view', 'environment'] as const) checks[option](`store.${option}`, options[option])
    const { view, maxTombstones, maxTombstoneBytes = 32 * 1024 * 1024, indices = {}, transform } = options
    const environment = guarded(options.environment)
    const { clock } = environment
    const { freeze = process.env.NODE_ENV !== 'production' } = options
    const report = (phase: string) => (error: unknown, key?: string) => this.#report(phase, error, key)
    this.#view = view
    this.#environment = environment
    this.#indices = new Indices((error, key) => this.#report('index', redactError(view.resource, error), key))
    this.#transformer = new Transformer({ view, transform, freeze })
    const failed = (): Iterable<Entry<C>> => this.#failedEntries()
    this.#journal = new Journal<C>({ view, clock, maxTombstones, maxTombstoneBytes, failed, onError: report('cursor') })
    this.#registrations = new Registrations({
      journal: this.#journal,
      clock,
      isFailed: key => {
        const entry = this.#entries.get(key)
        return entry && entry.failure !== undefined
      },
      onError: report('handler'),
    })
    for (const [name, index] of Object.entries(indices)) this.addIndex(name, index)
  }

  /** {@link promote} may change its scope. */
  get view(): View<C, S> {
    return this.#view
  }

  /** Whether all writers have synced, and there is at least one. Once true, it stays true. */
  get synced(): boolean {
    return this.#journal.syncedAt <= this.#journal.head
  }

  /** Calls `fn` once when the store has synced: at once if it has. Returns a function that cancels this. */
  onSynced(fn: () => unknown): () => void {
    callback('onSynced', fn)
    if (this.synced) {
      watched(fn(), error => this.#report('synced', error))
      return () => {}
    }
    // The same function twice is two listeners.
    const listener = (): void => callGuarded(fn, error => this.#report('synced', error))
    this.#syncListeners.add(listener)
    return () => this.#syncListeners.delete(listener)
  }

  // Reads. Each but `stats` throws the reason once the store is closed.

  get size(): number {
    this.#checkOpen()
    return this.#entries.size
  }

  get(key: KeyOf<S> | string): C | undefined {
    const value = this.#find(key)?.value
    if (value instanceof TransformError) throw new TransformError(value.view, value.key, value.cause)
    return value
  }

  version(key: KeyOf<S> | string): ObjectVersion | undefined {
    const entry = this.#find(key)
    return entry && { uid: entry.uid, resourceVersion: entry.resourceVersion }
  }

  keys(): IterableIterator<string> {
    this.#checkOpen()
    return this.#keys()
  }

  failed(): readonly string[] {
    this.#checkOpen()
    const keys = [...this.#stale.keys()].map(({ key }) => key)
    for (const { key } of this.#failedEntries()) keys.push(key)
    return keys
  }

  list(options: KeyedListerOptions = {}): C[] {
    checkOptions('list', options, { namespace: anything, labels: anything, index: checkIndex, keys: callback })
    this.#checkOpen()
    const { namespace, labels, index, keys } = options
    if (namespace !== undefined) checkSegment('namespace', namespace)
    const selector = LabelSelector.of(labels === undefined ? LabelSelector.everything : labels, 'list.labels')
    if (selector.text !== '' && this.#transformer.dropsLabels) throw new LabelsNotKeptError(this.#view.key)
    const start = namespace === undefined ? '' : `${namespace}/`
    const values: C[] = []
    for (const entry of this.#candidates(namespace, selector, index)) {
      if (entry.failure !== undefined || !entry.key.startsWith(start)) continue
      if (keys !== undefined && !keys(entry.key)) continue
      const value = entry.value as C
      if (selector.text === '' || selector.matches(labelsOf(value))) values.push(value)
    }
    return values
  }

  /** The values and their bytes as received, to fill another store. If the store is closed before all were read, the iteration throws the reason. */
  entries(): IterableIterator<{ readonly object: C; readonly bytes: number }> {
    this.#checkOpen()
    return this.#values()
  }

  stats(): StoreStats {
    const { tombstones, readers } = this.#journal
    return {
      objects: this.#entries.size,
      failed: this.#failed + this.#stale.size,
      receivedBytes: this.#bytes,
      managedFieldsShare: this.#transformer.managedFieldsShare,
      tombstones: tombstones.size,
      tombstoneBytes: tombstones.bytes,
      cursors: readers.size,
      registrations: this.#registrations.size,
      transformFailures: this.#transformFailures,
    }
  }

  // Followers.

  /** A cursor at the start of the journal. */
  cursor(): Cursor<C> {
    this.#checkOpen()
    return new JournalCursor(this.#journal)
  }

  /** Adds a handler. It first receives all objects that exist, from the next turn of the event loop on. */
  register(handler: Handler<C>, options: RegistrationOptions = {}): Registration {
    this.#checkOpen()
    checkHandler(handler)
    checkOptions('register', options, { resyncMs: milliseconds({ min: 1 }) })
    return this.#registrations.add(handler, options.resyncMs)
  }

  /**
   * Adds an index, also over the objects that exist. Does nothing if that name has this function already, or an index by the same label: several
   * users of a store may ask for it.
   * @throws OptionRangeError if the name has another function.
   */
  addIndex(name: string, index: IndexFunction<C>): void {
    this.#checkOpen()
    this.#indices.add(name, index, this.#entries.values())
  }

  // Writers.

  writer(options: WriterOptions = {}): StoreWriter {
    this.#checkOpen()
    checkOptions('writer', options, { key: text, staged: flag })
    const { key, staged = false } = options
    const writer = new SourceWriter(this, key, staged)
    if (staged) {
      this.#staged.add(writer)
      this.#deletions ??= new Map(this.#handover?.deletions(this))
    } else this.#unsynced++
    return writer
  }

  /**
   * Lets staged writers take over from others, at once. Of an object that both have, the newer state stays; if both have the same uid and resourceVersion,
   * nothing happens. Objects that only the old writers had are deleted (`finalStateUnknown`), new ones are added. Changes that the old writers had already
   * delivered, and that the new writers have not reached, are neither undone nor delivered twice. They are settled when the new writers reach them, so these
   * must pass on the resourceVersions of lists and bookmarks ({@link Snapshot.commit}, {@link StoreWriter.progress}). Closes the old writers.
   *
   * @param view the view from now on, if its scope changes; of the same resource and projection.
   * @throws OptionTypeError for a writer of another store, OptionRangeError for one that is not staged, has not committed, or is closed.
   */
  promote(staged: readonly StoreWriter[], retired: readonly StoreWriter[], view: View<C, S> = this.#view): void {
    this.#checkOpen()
    const [next, former] = [this.#own('staged', staged), this.#own('retired', retired)]
    if (next.length === 0) throw new OptionRangeError('promote.staged', 'at least one writer', 'none')
    for (const writer of next) {
      if (writer.isOpen && writer.staged !== undefined && writer.synced) continue
      throw new OptionRangeError('promote.staged', 'staged writers that are open and have committed', 'another')
    }
    this.#checkView(view)
    this.#view = view
    this.#journal.view = view
    this.#transformer.view = view
    const deletions = this.#deletions ?? new Map()
    this.#handover = handOver(this, { earlier: this.#handover, deletions, next, former })
    for (const writer of next) this.#unstage(writer)
    for (const writer of former) writer.close()
    this.#hasSyncedWriter = true
    this.#publish()
  }

  /** Drops everything. Cursors and registrations end, without an event. Waits for a sync reject with `why`, and reads throw it. Idempotent. */
  close(why: Error): void {
    if (this.#why !== undefined) return
    this.#why = why
    this.#registrations.close(why)
    this.#journal.close()
    this.#indices.clear()
    this.#entries = new Map()
    this.#stale.clear()
    this.#deletions = undefined
    this.#bytes = 0
    this.#failed = 0
    this.#staged.clear()
    this.#syncListeners.clear()
    this.#handover = undefined
  }

  // Called by its writers, snapshots and promotions.

  entryOf(key: string): Entry<C> | undefined {
    return this.#entries.get(key)
  }

  nextMark(): number {
    return ++this.#mark
  }

  received(object: object, identity: Identity, bytes: number): Entry<C> {
    const { key } = identity
    const held = this.#entries.get(key)
    const isHeld = held !== undefined && isSameState(held, identity)
    const value = isHeld ? (this.#stale.get(held) ?? held.value) : this.#transformer.run(object, key, bytes)
    return new Entry(identity, value, bytes)
  }

  receivedIfOther(object: object, identity: Identity, bytes: number): Entry<C> | undefined {
    const { key } = identity
    const held = this.#entries.get(key)
    const known = held && (this.#stale.get(held) ?? held.value)
    const value = this.#transformer.run(object, key, bytes)
    const isKnown = value instanceof TransformError ? known instanceof TransformError : isEqual(value, known)
    return isKnown ? undefined : new Entry(identity, value, bytes)
  }

  firstList(writer: SourceWriter<C>): FirstList<C> | undefined {
    if (!this.#isPristine || writer.staged !== undefined) return undefined
    return new FirstList(this.#journal.head, this.#journal.tick, writer)
  }

  change(type: ChangeType, object: object, bytes: number, writer: SourceWriter<C>): void {
    if (this.#why !== undefined) return
    const identity = identityOf(object)
    const held = this.#entries.get(identity.key)
    // The usual event: a new state of an object of this writer, with a value before and after. It takes one look-up, and collects no changes.
    if (held?.writer === writer && type !== 'DELETED' && held.uid === identity.uid && this.#handover === undefined) {
      if (isSameState(held, identity)) return
      const old = held.value
      const value = this.#transformer.run(object, held.key, bytes, old)
      if (!(old instanceof TransformError || value instanceof TransformError)) {
        this.#bytes += bytes - held.bytes
        held.bytes = bytes
        held.uid = identity.uid
        held.resourceVersion = identity.resourceVersion
        this.#setValue(held, value)
        return this.#registrations.notifyUpdate(held.key, held.born, value, old)
      }
      this.#update(held, new Entry(identity, value, bytes))
    } else this.#apply(type, object, identity, bytes, writer)
    this.#notify()
    if (identity.resourceVersion !== undefined) this.progress(writer, identity.resourceVersion)
  }

  commit(snapshot: ListSnapshot<C>, writer: SourceWriter<C>): void {
    if (this.#why !== undefined) return
    if (this.#isPristine) this.#adopt(snapshot, writer)
    else {
      const { pending, mark, others, differing, reuse, firstList } = snapshot
      firstList?.undo()
      const isOutdated = (entry: Entry<C>, version: string | undefined, held: Entry<C> | undefined): boolean =>
        this.#handover?.isOutdated(entry.key, version, held, !reuse) === true
      for (const entry of this.entriesOf([writer])) {
        if (pending.has(entry.key)) continue
        const isListed = entry.mark === mark
        // This writer never had this state, so its list does not say whether the object was deleted or is out of its scope.
        const isUnconfirmed = this.#handover?.unconfirmed.has(entry)
        const isAhead = isOutdated(entry, isListed ? entry.resourceVersion : writer.reached, entry)
        if (isListed || isAhead) continue
        if (isUnconfirmed) this.removeUnwatched(entry)
        else this.#remove(entry, undefined)
      }
      for (const entry of pending.values()) {
        const held = this.#entries.get(entry.key)
        if (!isOutdated(entry, entry.resourceVersion, held)) this.put(entry, writer, differing.has(entry))
      }
      for (const entry of others) {
        if (entry.mark !== mark || this.#entries.get(entry.key) !== entry) continue
        isOutdated(entry, entry.resourceVersion, entry)
        entry.assignTo(writer)
      }
    }
    if (!writer.synced) {
      writer.synced = true
      this.#unsynced--
      this.#hasSyncedWriter = true
    }
    this.#publish()
  }

  /** Records the progress of a writer. `undefined`: it has the newest state, or is closed. */
  progress(writer: SourceWriter<C>, resourceVersion: string | undefined): void {
    const handover = this.#handover
    if (handover === undefined || !handover.reached(writer, resourceVersion)) return
    this.#handover = undefined
    handover.settle(this)
    this.#notify()
  }

  clear(writer: SourceWriter<C>): void {
    for (const entry of this.entriesOf([writer])) this.removeUnwatched(entry)
    this.#notify()
  }

  closed(writer: SourceWriter<C>, forget: boolean): void {
    if (this.#why !== undefined) return
    if (forget) for (const entry of this.entriesOf([writer])) this.#forget(entry)
    this.#unstage(writer)
    this.progress(writer, undefined)
    if (writer.synced || writer.staged !== undefined) return
    this.#unsynced--
    this.#publish()
  }

  /** The entries of some writers, which may be removed meanwhile. Scans all entries unless each writer has one key: lists would cost memory. */
  *entriesOf(writers: Iterable<WriterId>): Iterable<Entry<C>> {
    const sought = new Set<WriterId | undefined>()
    let left = 0
    for (const writer of writers) {
      const only = writer.key === undefined ? undefined : this.#entries.get(writer.key)
      if (only?.writer === writer && writer.size === 1) yield only
      else if (writer.size > 0) {
        sought.add(writer)
        left += writer.size
      }
    }
    if (left === 0) return
    for (const entry of this.#entries.values()) {
      if (!sought.has(entry.writer)) continue
      yield entry
      if (--left === 0) return
    }
  }

  /**
   * Stores a received entry, unless the store has this state already, or a newer one of another open writer: two writers are two sources (rule
   * R13). `differs`: it is another value with the same resourceVersion.
   */
  put(received: Entry<C>, writer: WriterId, differs: boolean = false): void {
    const held = this.#entries.get(received.key)
    if (held === undefined) return this.#insert(received, writer)
    if (held.writer !== writer && held.writer?.isOpen && isOlder(received, held)) return
    if (held.uid !== received.uid) {
      this.#takeOut(held)
      // No event was delivered of an entry without a value, and its key stays in use.
      if (held.failure === undefined) this.#notifyRemoved(held, undefined)
      return this.#insert(received, writer)
    }
    held.assignTo(writer)
    if (differs || !isSameState(held, received)) this.#update(held, received)
  }

  /** Removes an object that no writer watches any more. It may still exist on the server. */
  removeUnwatched(entry: Entry<C>): void {
    this.#deletions?.set(entry.key, { resourceVersion: entry.resourceVersion, isInclusive: false })
    this.#takeOut(entry)
    this.#notifyRemoved(entry, undefined)
  }

  /** Applies an event that is not a plain update. */
  #apply(type: ChangeType, object: object, identity: Identity, bytes: number, writer: SourceWriter<C>): void {
    const { key, resourceVersion } = identity
    const held = this.#entries.get(key)
    if (this.#handover?.isOutdated(key, resourceVersion, held)) return
    if (type === 'DELETED') {
      // If another writer has the object, that writer reports its deletion.
      if (held === undefined || (held.writer !== writer && held.writer?.isOpen)) return
      this.#remove(held, new Entry(identity, this.#transformer.run(object, key, bytes), bytes))
    } else if (held !== undefined && isSameState(held, identity)) held.assignTo(writer)
    else this.put(this.received(object, identity, bytes), writer)
  }

  /** Takes over the entries of a first snapshot without copying them. */
  #adopt({ pending, firstList }: ListSnapshot<C>, writer: WriterId): void {
    this.#entries = pending
    let added: readonly Entry<C>[]
    if (firstList !== undefined && this.#journal.addedFirst(firstList)) {
      added = firstList.entries
      writer.size = added.length
      this.#bytes = firstList.bytes
    } else {
      firstList?.undo()
      added = this.#journal.addedAll(pending.values(), entry => {
        entry.assignTo(writer)
        this.#bytes += entry.bytes
        const { failure } = entry
        if (failure !== undefined) this.#hasFailed(entry.key, failure)
        return failure === undefined
      })
    }
    if (!this.#indices.isEmpty) for (const entry of added) this.#indices.put(entry)
    this.#registrations.addedAll(added)
  }

  #insert(entry: Entry<C>, writer: WriterId): void {
    this.#entries.set(entry.key, entry)
    this.#deletions?.delete(entry.key)
    entry.assignTo(writer)
    this.#bytes += entry.bytes
    const { failure } = entry
    if (failure === undefined) this.#hasFirstValue(entry)
    else {
      this.#journal.addedWithoutValue(entry)
      this.#hasFailed(entry.key, failure)
    }
  }

  #update(entry: Entry<C>, received: Entry<C>): void {
    const old = entry.value
    const { value } = received
    this.#bytes += received.bytes - entry.bytes
    entry.bytes = received.bytes
    entry.uid = received.uid
    entry.resourceVersion = received.resourceVersion
    if (value instanceof TransformError) {
      if (old instanceof TransformError) entry.value = value
      else this.#stale.set(entry, value)
      this.#countFailure(value)
    } else if (old instanceof TransformError) {
      this.#failed--
      entry.value = value
      this.#hasFirstValue(entry)
    } else {
      this.#setValue(entry, value)
      this.#registrations.updated(entry.key, entry.born, value, old)
    }
  }

  /** Removes a deleted object. `final`: its last state; `undefined` if that was not seen. */
  #remove(entry: Entry<C>, final: Entry<C> | undefined): void {
    const last = final === undefined || isOlder(final, entry) ? entry : final
    // A list that does not contain the object proves that this state is gone; an event has a resourceVersion of its own.
    this.#deletions?.set(entry.key, { resourceVersion: last.resourceVersion, isInclusive: final === undefined })
    this.#takeOut(entry)
    if (final?.failure !== undefined) this.#countFailure(final.failure)
    this.#notifyRemoved(entry, final?.uid === entry.uid ? final : undefined)
  }

  /** Removes an entry without an event. */
  #forget(entry: Entry<C>): void {
    this.#takeOut(entry)
    if (entry.failure === undefined) this.#journal.forget(entry)
    else this.#registrations.forgetFailed(entry.key)
  }

  #takeOut(entry: Entry<C>): void {
    this.#entries.delete(entry.key)
    entry.release()
    this.#bytes -= entry.bytes
    if (entry.failure !== undefined) this.#failed--
    this.#stale.delete(entry)
    this.#indices.remove(entry)
  }

  #notifyRemoved(entry: Entry<C>, final: Entry<C> | undefined): void {
    const { key, born, failure } = entry
    if (failure !== undefined) {
      this.#journal.removedWithoutValue(key)
      this.#registrations.failedChanged(key)
      return
    }
    const last = final !== undefined && final.failure === undefined ? final : entry
    const finalStateUnknown = final === undefined
    this.#registrations.deleted({ key, born, object: last.value as C, finalStateUnknown })
    this.#journal.removed(entry, last, finalStateUnknown, final?.bytes ?? entry.bytes)
  }

  #hasFirstValue(entry: Entry<C>): void {
    this.#journal.added(entry)
    this.#indices.put(entry)
    this.#registrations.added(entry.key, entry.born, entry.value as C)
  }

  #setValue(entry: Entry<C>, value: C): void {
    entry.value = value
    if (this.#stale.size > 0) this.#stale.delete(entry)
    this.#journal.changed(entry)
    this.#indices.put(entry)
  }

  #hasFailed(key: string, error: TransformError): void {
    this.#failed++
    this.#registrations.failedChanged(key)
    this.#countFailure(error)
  }

  #countFailure(error: TransformError): void {
    this.#transformFailures++
    this.#errors.push(error)
  }

  /** Reports failed transforms, then calls handlers with the collected changes. */
  #notify(): void {
    if (this.#errors.length > 0) {
      const errors = this.#errors
      this.#errors = []
      for (const error of errors) {
        this.#environment.metrics.count('wherry_informer_transform_failures_total', { resource: this.#resource })
        this.#report('transform', error, error.key)
      }
    }
    this.#registrations.notify()
  }

  /** Notifies handlers and, if this was the last missing writer, that the store has synced. */
  #publish(): void {
    const isFirst = !this.synced && this.#unsynced === 0 && this.#hasSyncedWriter
    if (isFirst) this.#journal.synced()
    this.#notify()
    if (!isFirst) return
    const listeners = [...this.#syncListeners]
    this.#syncListeners.clear()
    for (const listener of listeners) listener()
  }

  #unstage(writer: SourceWriter<C>): void {
    this.#staged.delete(writer)
    if (this.#staged.size === 0) this.#deletions = undefined
  }

  #own(option: string, writers: readonly StoreWriter[]): SourceWriter<C>[] {
    return writers.map(writer => {
      if (writer instanceof SourceWriter && writer.target === this) return writer as SourceWriter<C>
      throw new OptionTypeError(`promote.${option}`, 'writers of this store', 'another')
    })
  }

  #checkView(view: View<C, S>): void {
    const [a, b] = [this.#view, view]
    if (resourceName(a.resource) === resourceName(b.resource) && a.projection.name === b.projection.name) return
    throw new OptionRangeError('promote.view', 'a view of the same resource and projection', JSON.stringify(view.key))
  }

  #checkOpen(): void {
    if (this.#why !== undefined) throw this.#why
  }

  #find(key: KeyOf<S> | string): Entry<C> | undefined {
    this.#checkOpen()
    // A key that is found is valid; only an unknown key must be checked.
    const entry = typeof key === 'string' ? this.#entries.get(key) : undefined
    return entry ?? this.#entries.get(checkKey(this.#view.resource, key))
  }

  /** The entries to look at for a list. */
  #candidates(
    namespace: string | undefined,
    selector: LabelSelector,
    index: KeyedListerOptions['index'],
  ): Iterable<Entry<C>> {
    if (index !== undefined) return this.#indices.under(index.name, index.value)
    const labelled = this.#indices.selected(selector)
    if (labelled !== undefined) return labelled
    const isWhole = namespace === undefined || this.#view.namespaces?.length === 1
    return isWhole ? this.#entries.values() : this.#indices.within(namespace, this.#entries)
  }

  *#keys(): IterableIterator<string> {
    for (const key of this.#entries.keys()) {
      this.#checkOpen()
      yield key
    }
  }

  *#values(): IterableIterator<{ readonly object: C; readonly bytes: number }> {
    for (const entry of this.#entries.values()) {
      this.#checkOpen()
      if (entry.failure === undefined) yield { object: entry.value as C, bytes: entry.bytes }
    }
  }

  /** The entries without a value. */
  *#failedEntries(): Iterable<Entry<C>> {
    let left = this.#failed
    if (left === 0) return
    for (const entry of this.#entries.values()) {
      if (entry.failure === undefined) continue
      yield entry
      if (--left === 0) return
    }
  }

  /** Whether the store is empty, no writer is staged, and no handover is open. */
  get #isPristine(): boolean {
    return this.#entries.size === 0 && this.#deletions === undefined && this.#handover === undefined
  }

  get #resource(): string {
    return resourceName(this.#view.resource)
  }

  #report(phase: string, error: unknown, key?: string | undefined): void {
    const known = error instanceof Error ? error : new Error(`${phase} of ${this.#view.key} failed`, { cause: error })
    this.#environment.onError(known, { resource: this.#resource, phase, key })
  }
}

function isOlder(a: Entry<unknown>, b: Entry<unknown>): boolean {
  return compareResourceVersions(a.resourceVersion, b.resourceVersion) === 'older'
}

/** Values that are nested too deeply to be compared count as different. */
function isEqual(a: unknown, b: unknown): boolean {
  try {
    return isDeepStrictEqual(a, b)
  } catch {
    return false
  }
}

const checks = {
  view: viewCheck,
  environment: having('an Environment', 'onError', 'random'),
  freeze: flag,
  indices: having('index functions by name'),
  maxTombstones: integer(0),
  maxTombstoneBytes: integer(0),
  transform: callback,
}

/** A handler without any of its functions is a mistake: a function was given in its place, or a name is wrong. */
function checkHandler(handler: unknown): void {
  const takes = '{ add, update, delete, onTransformFailed }, each a function or absent, one of them at least'
  const given = handler as Partial<Record<keyof Handler<unknown>, unknown>> | null | undefined
  const functions = [given?.add, given?.update, given?.delete, given?.onTransformFailed].filter(fn => fn !== undefined)
  if (functions.length === 0) throw new OptionTypeError('handler', takes, `none of them (${typeof handler})`)
  for (const fn of functions) if (typeof fn !== 'function') throw new OptionTypeError('handler', takes, typeof fn)
}

function checkIndex(option: string, value: unknown): void {
  checkOptions(option, value, { name: text, value: anything })
  const { name, value: under } = value as { readonly name?: unknown; readonly value?: unknown }
  if (name === undefined || typeof under !== 'string') {
    throw new OptionRangeError(option, '{ name, value }, both strings', 'something else')
  }
}
