import {
  type ChangeType,
  type CheckedKey,
  isExpired,
  isResourceNotFound,
  isTooLarge,
  type KubernetesObject,
  type MinVersion,
  type ObjectMeta,
} from '@wherry/client'
import {
  compareResourceVersions,
  type HeldVersion,
  hasReached,
  isAtLeast,
  isDeleted,
  type ReadTarget,
  type ResourceVersionOrder,
  raised,
  wasFinalized,
} from '@wherry/client/internal'
import type { Snapshot, StoreWriter } from '@wherry/informer'
import { isAnswer, isClosed, isPermanent, isStarting, Reflector, SyncWaiters } from '@wherry/informer/internal'
import type { Task } from './concurrency-limit.ts'
import { NarrowClosedError, NarrowWatchRefusedError } from './errors.ts'
import type { ViewContext } from './view-context.ts'

/**
 * How a read of an entry continues: `cached`, from the store; `wait`, after the next news of the entry; `ask`, after the object was listed again;
 * `live`, from the server, because the object can't be watched.
 */
export type Readiness = 'cached' | 'wait' | 'ask' | 'live'

/** A state of one object: the object, or its absence. */
export interface State {
  readonly object: object | undefined
  readonly bytes: number
}

export const absent: State = { object: undefined, bytes: 0 }

/** The entries of one namespace, or of all, with the metadata watch that may replace the watch of each entry. */
export interface EntryScope {
  readonly of: ViewContext
  /** Whether a watch of many objects feeds the entries, or will soon. */
  readonly isComing: boolean
  /** The watch of many objects that feeds the entries. */
  readonly feeding: EntryScope | undefined
  readonly lastError: Error | undefined
  /** The resourceVersion up to which everything was read. */
  readonly readUpTo: string | undefined
  /** The request that reads one object. */
  target(name: string): ReadTarget
}

/** How long after a first refusal a read waits for another try, in milliseconds. */
const refusedMs = 5000

/** The state that a read waits for after writes of this process. A list that begins after the last write shows all these writes. */
interface AfterWrites {
  min?: MinVersion | undefined
  /** Only a list that begins after this was set shows the object after the write. */
  mustRelist?: object | undefined
}

/**
 * One watched object of a view, present or absent (rules N1–N5). Its resourceVersion only grows: the source with the newer
 * resourceVersion wins, and an absence has the resourceVersion that proved it. Its sources are
 *
 * - its own watch, which begins with a list of that one name: the newest state;
 * - a metadata watch of many objects ({@link EntryScope}), which delivers the newest version. The entry opens its own watch if its state is
 *   older, and closes it when it has reached that version.
 */
export class Entry implements StoreWriter, Task {
  readonly scope: EntryScope
  readonly key: CheckedKey
  /** Subscriptions, and reads that wait. */
  pins = 0
  /** On the monotonic clock. */
  readAt = 0
  /** The watch of its namespace, or of all namespaces, while that watch feeds the entry. */
  versionSource: EntryScope | undefined
  /** How often the newest state was listed. */
  lists = 0
  /** Whether its own watch has a state. */
  synced = false
  isOver = false
  /** Whether the state was known once, so that the entry may have followers. */
  wasKnown = false
  readonly #writer: StoreWriter
  #own: Reflector | undefined
  /** Whether the newest state is asked for: its next watch begins with a list, which may be all that is needed. */
  #isAsked = false
  /** The resourceVersion that the version source saw, while the entry has an older object; `''`: the resourceVersion of the next list. */
  #due: string | undefined
  #isRefusalReported = false
  /** The time of the first refusal to list the object since the last state, on the monotonic clock. */
  #refusedAt: number | undefined
  /** Reads that wait. */
  #waiters: SyncWaiters | undefined
  /** The epoch of the state that is known. */
  #epoch: number | undefined
  /** The resourceVersion of the present object; `''` if the object has none, `undefined` if there is no object. */
  #version: string | undefined
  /** The uid of the last object. */
  #uid: string | undefined
  /** The resourceVersion of the last list, object or deletion: nothing older is published. */
  #reached: string | undefined
  /** The state that reads wait for. Each write makes a new record, so that a list from before the write does not clear it. */
  #after: AfterWrites | undefined

  constructor(scope: EntryScope, key: CheckedKey) {
    this.scope = scope
    this.key = key
    this.#writer = scope.of.store.writer({ key: key.text })
  }

  /** The view's value of the object; `undefined` if it is absent. @throws TransformError */
  get object(): unknown {
    return this.scope.of.store.get(this.key.text)
  }

  /** Whether a state of this epoch is known. */
  get isKnown(): boolean {
    return this.#epoch === this.scope.of.epoch
  }

  /** Whether the newest state is about to be listed. A streaming list that has failed does not count. */
  get isListing(): boolean {
    if (this.synced || (this.error !== undefined && !this.#isAsked)) return false
    return this.#own !== undefined || this.scope.of.shared.requests.has(this)
  }

  /** The last failure of its own watch. */
  get error(): Error | undefined {
    return this.#own?.lastError
  }

  /** The reason why the object can't be watched at present. */
  get refusal(): Error | undefined {
    const { error } = this
    if (error === undefined || isClosed(error)) return error
    if (!isPermanent(error)) return undefined
    const { resource } = this.scope.of
    return isResourceNotFound(error) ? error : new NarrowWatchRefusedError(resource, this.key.text, error)
  }

  /**
   * The time at which a read that waits for a list of the object gives up, on the monotonic clock: a while after the first refusal, or at once if an
   * object of the view was refused twice. `undefined`: no answer has refused it.
   */
  get givesUpAt(): number | undefined {
    if (this.#refusedAt === undefined || !isAnswer(this.error)) return undefined
    return this.#refusedAt + (this.scope.of.isRefused ? 0 : refusedMs)
  }

  /** How a read continues. Makes no request. */
  get readiness(): Readiness {
    const { error } = this
    if (error !== undefined && (isPermanent(error) || isClosed(error))) return 'live'
    if (!this.wasKnown) return 'wait'
    // No watch feeds the entry at present.
    if (!this.isKnown || (this.versionSource === undefined && !this.synced)) return 'ask'
    if (this.#due !== undefined) return 'wait'
    if (this.#after === undefined) return 'cached'
    const { mustRelist, min } = this.#after
    if (mustRelist !== undefined) return 'ask'
    if (min === undefined) return 'cached'
    const held = this.#held
    if (isDeleted(held, min)) return 'wait'
    if (hasReached(held, min.written)) return 'cached'
    const isBehind = held.reached.some(one => compareResourceVersions(one, min.written?.resourceVersion) === 'older')
    return isBehind ? 'wait' : 'ask'
  }

  /** Resolves with the next news. Rejects with the signal's reason, or a `NarrowClosedError`. */
  async changed(signal: AbortSignal | undefined): Promise<void> {
    if (this.isOver) throw new NarrowClosedError()
    this.#waiters ??= new SyncWaiters()
    await this.#waiters.wait(signal)
  }

  notifyWaiters(): void {
    const waiters = this.#waiters
    this.#waiters = undefined
    waiters?.resolve()
  }

  /** Drops the entry, without an event to the followers of its view. */
  close(): void {
    this.isOver = true
    this.#closeOwn()
    this.#writer.close({ forget: true })
    this.#waiters?.reject(new NarrowClosedError())
  }

  /** Lists the newest state by a new watch, because a list that is under way may have begun too early. */
  relist(): void {
    if (this.versionSource !== undefined) this.#due ??= ''
    this.#closeOwn()
    this.#isAsked = true
    this.scope.of.shared.requests.enter(this)
  }

  /** Finds a source for the entry if it has none. */
  assignSource(): void {
    const { feeding, isComing } = this.scope
    if (this.isOver) return
    if (feeding !== undefined && this.versionSource !== feeding) this.sawVersion(feeding, undefined, undefined)
    else if (!isComing && this.#own === undefined) this.scope.of.shared.requests.enter(this)
  }

  /** Opens the entry's own watch if it is still needed. */
  begin(): void {
    const { shared, resource } = this.scope.of
    const isAsked = this.#isAsked || this.#due !== undefined
    const isNeeded = isAsked || (this.versionSource === undefined && !this.scope.isComing)
    if (this.isOver || shared.closing.signal.aborted || this.#own !== undefined || !isNeeded) {
      shared.requests.leave(this)
      return this.notifyWaiters()
    }
    if (isAsked) shared.count('wherry_narrow_fetches_total', resource)
    const on = { watching: () => this.notifyWaiters(), error: (error: Error) => this.#failed(error) }
    const settings = isAsked ? shared.again : shared.first
    this.#own = new Reflector({ settings, target: this.scope.target(this.key.name), on })
    this.#own.add(this)
    shared.open(this.#own)
  }

  /** Tries a refused watch again. Returns a function that returns whether the server has not answered yet. */
  tryNow(): () => boolean {
    const own = this.#own
    if (own?.tryNow() !== true) return () => false
    const { lastError } = own
    return () => own.state !== 'stopped' && own.lastError === lastError
  }

  // Called by writes of this process

  /** Records an object that this process wrote, or read past the cache. */
  wrote(object: KubernetesObject): void {
    const { uid, resourceVersion, labels } = object.metadata ?? {}
    if (wasFinalized(object)) return this.deleted(uid)
    const after: AfterWrites = { ...this.#after }
    this.#after = after
    if (resourceVersion === undefined || this.#version === resourceVersion) return
    const { view } = this.scope.of
    const isSelected = view.labels.matches(labels) && view.shard?.has(uid ?? '') !== false
    // The view does not select the written object, so an absent entry is still absent at the object's resourceVersion.
    if (!isSelected && this.#version === undefined && this.isKnown) {
      if (this.#order(resourceVersion) === 'newer') this.#reached = resourceVersion
      return
    }
    // The object was changed again before the answer came, or the server's revisions have started over.
    if (this.#reachedVersions.some(one => compareResourceVersions(one, resourceVersion) === 'newer'))
      after.mustRelist = {}
    after.min = raised(after.min, { written: { uid, resourceVersion, labels }, deleted: [] })
  }

  /** Records the deletion of the object. @param uid `undefined`: any object of that name */
  deleted(uid: string | undefined): void {
    const isReceived = uid !== undefined && uid === this.#uid
    if (!isReceived) this.#after = { mustRelist: {} }
    else this.#after = { ...this.#after, min: raised(this.#after?.min, { written: undefined, deleted: [uid] }) }
  }

  /**
   * Handles a restart of the server's revisions: no known state counts until it is read again.
   * @param source the entry or watch that has found the restart, and continues
   */
  rolledBack(source: unknown): void {
    if (this.#after !== undefined) Object.assign(this.#after, { min: undefined, mustRelist: {} } satisfies AfterWrites)
    if (this.#own !== undefined && this !== source) {
      this.#closeOwn()
      this.scope.of.shared.requests.enter(this)
    }
    this.notifyWaiters()
  }

  // Called by its own watch

  replace(): Snapshot {
    const { name } = this.key
    const { of } = this.scope
    const own = this.#own
    const rollbacks = own?.stats.rollbacks
    const after = this.#after
    const mustRelist = after?.mustRelist
    const before = this.isKnown ? this.#reached : undefined
    let state = absent
    return {
      put: (object, bytes) => {
        // A server that does not know the selector returns other objects, too.
        if (metadataOf(object).name === name) state = { object, bytes }
      },
      remove: object => {
        if (metadataOf(object).name === name) state = absent
      },
      commit: resourceVersion => {
        const isBack = own?.stats.rollbacks !== rollbacks
        // The first list, and a list after a restart of the server's revisions, is the newest state.
        const isNewest = isBack || !this.synced
        this.synced = true
        of.shared.requests.leave(this)
        // A newest state that is older than the state before proves that the server's revisions have started over (rule R5).
        const isOlder = isNewest && !isBack && compareResourceVersions(resourceVersion, before) === 'older'
        if (isOlder) of.shared.environment.metrics.count('reflector_rollbacks_total', { name: of.resource })
        if (isOlder || isBack) of.rollBack(this)
        if (isNewest) {
          this.lists += 1
          if (this.#due === '') this.#due = undefined
          if (this.#after === after) this.#after = undefined
          else if (this.#after?.mustRelist === mustRelist) this.#after = { ...this.#after, mustRelist: undefined }
        }
        this.#publish(state, resourceVersion)
      },
      drop() {},
    }
  }

  change(type: ChangeType, object: object, bytes: number): void {
    const { name, resourceVersion } = metadataOf(object)
    if (name !== this.key.name) return
    const now = type === 'DELETED' ? undefined : object
    const order = this.#order(resourceVersion)
    if (order === 'newer' || order === 'unknown' || (order === 'same' && now === undefined)) {
      this.#hold(now, resourceVersion)
      this.#writer.change(type, object, bytes)
    }
    this.#noteSuccess()
  }

  progress(): void {
    this.#noteSuccess()
  }

  /** Records that the resource is gone, and the object with it. */
  clear(): void {
    this.#epoch = undefined
    this.#version = undefined
    this.#writer.clear()
    this.notifyWaiters()
  }

  // Called by the watch of its namespace, or of all

  /**
   * Records the version of the object, or its absence, from a metadata watch that feeds the entry from now on. If the view needs more than metadata,
   * the entry's own watch must reach that version.
   * @param state `undefined` if the metadata watch does not know the object's state
   */
  sawVersion(versionSource: EntryScope, state: State | undefined, resourceVersion: string | undefined): void {
    this.versionSource = versionSource
    if (state === undefined) return this.relist()
    const { object } = state
    const order = this.#order(resourceVersion)
    const isEnough = object === undefined || this.scope.of.view.projection.kind === 'metadata'
    const version = object && (metadataOf(object).resourceVersion ?? '')
    if (order !== 'older' && this.isKnown && version === this.#version) {
      if (order === 'newer') this.#reached = resourceVersion
      this.#noteSuccess()
    } else if (isEnough && (order === 'newer' || !this.wasKnown)) this.#publish(state, resourceVersion)
    else {
      // The object's version, not that of the list, which the entry's own watch may never reach.
      const isNewer = this.#order(version) === 'newer' || !this.isKnown
      this.#due = (isNewer && version) || ''
      if (this.#due === '' || !(this.synced || this.isListing)) this.relist()
      this.notifyWaiters()
    }
  }

  versionChanged(versionSource: EntryScope, type: ChangeType, object: object, bytes: number): void {
    const { resourceVersion } = metadataOf(object)
    if (this.versionSource !== versionSource || this.#order(resourceVersion) === 'older') return
    this.sawVersion(versionSource, type === 'DELETED' ? absent : { object, bytes }, resourceVersion)
  }

  /** Records that no metadata watch feeds the entry any more. */
  detach(): void {
    this.versionSource = undefined
    this.#due = undefined
    this.notifyWaiters()
  }

  /** The resourceVersions that the state and its source have reached. */
  get #reachedVersions(): readonly (string | undefined)[] {
    const { versionSource } = this
    return [this.#reached, versionSource === undefined ? this.#own?.lastSyncedResourceVersion : versionSource.readUpTo]
  }

  get #held(): HeldVersion {
    const isThere = this.#version !== undefined
    return { uid: isThere ? this.#uid : undefined, resourceVersion: this.#version, reached: this.#reachedVersions }
  }

  /** How a resourceVersion compares with the known state; `unknown` if no state of this epoch is known. */
  #order(resourceVersion: string | undefined): ResourceVersionOrder {
    return this.isKnown ? compareResourceVersions(resourceVersion, this.#reached) : 'unknown'
  }

  /** Publishes a state, unless it is older than the known one. */
  #publish({ object, bytes }: State, resourceVersion: string | undefined): void {
    this.#refusedAt = undefined
    this.scope.of.isRefused = false
    if (this.#order(resourceVersion) !== 'older') {
      const snapshot = this.#writer.replace({ reuse: !this.wasKnown || this.isKnown })
      this.#hold(object, resourceVersion)
      if (object !== undefined) snapshot.put(object, bytes)
      snapshot.commit(resourceVersion)
    }
    this.#noteSuccess()
  }

  #hold(object: object | undefined, resourceVersion: string | undefined): void {
    const metadata = object && metadataOf(object)
    this.#version = metadata && (metadata.resourceVersion ?? '')
    this.#uid = metadata?.uid ?? this.#uid
    this.#reached = resourceVersion ?? metadata?.resourceVersion
    const after = this.#after
    if (after?.min !== undefined && isAtLeast(this.#reached, after.min.written?.resourceVersion))
      after.min = { ...after.min, written: undefined }
    this.#epoch = this.scope.of.epoch
    this.wasKnown = true
  }

  #noteSuccess(): void {
    if (this.error === undefined) this.#isRefusalReported = false
    if (this.versionSource !== undefined) {
      if (this.#due !== '' && this.#order(this.#due) !== 'newer') this.#due = undefined
      if (this.#due === undefined) this.#closeOwn()
    }
    this.notifyWaiters()
  }

  /** Reports a failure to `onError`, unless it is usual for watches. A refusal is reported once, until the watch is allowed (rule N10). */
  #failed(error: Error): void {
    const { shared, resource } = this.scope.of
    const about = { resource, phase: 'watch', key: this.key.text }
    if (!isPermanent(error)) {
      if (!this.synced && isAnswer(error)) this.#wasRefused()
      if (!isExpired(error) && !isTooLarge(error) && !isStarting(error)) shared.report(error, about)
    } else if (!this.#isRefusalReported) {
      this.#isRefusalReported = true
      shared.count('wherry_narrow_refused_total', resource)
      shared.environment.onError(this.refusal ?? error, about)
    }
    shared.requests.leave(this)
    this.notifyWaiters()
  }

  #wasRefused(): void {
    const { of } = this.scope
    if (this.#refusedAt !== undefined) of.isRefused = true
    this.#refusedAt ??= of.shared.environment.clock.monotonic()
  }

  #closeOwn(): void {
    const { shared } = this.scope.of
    const own = this.#own
    this.#own = undefined
    this.#isAsked = false
    this.synced = false
    if (own !== undefined) shared.stop(own)
    shared.requests.leave(this)
  }
}

/** The metadata of an object as received. */
function metadataOf(object: object): ObjectMeta {
  return (object as { readonly metadata: ObjectMeta }).metadata
}
