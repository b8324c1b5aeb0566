import type { FromServer, KubernetesObject, ObjectKey, Scope, View } from '@wherry/client'
import {
  abortSignal,
  asKey,
  type CheckedKey,
  checkedKey,
  checkOptions,
  having,
  type KeyOf,
  keyText,
  projector,
  resourceName,
  unprojected,
  viewCheck,
} from '@wherry/client/internal'
import { type Change, type Cursor, changesOf, guarded } from '@wherry/informer/internal'
import { CacheContext } from './cache-context.ts'
import type { Entry } from './entry.ts'
import { EntryCache } from './entry-cache.ts'
import { NarrowClosedError, NarrowListError, NarrowTimeoutError } from './errors.ts'
import { checkHandler, type NarrowHandler, type Subscription } from './handler.ts'
import { type NarrowCacheOptions, settingsOf } from './options.ts'
import { escalations, type NarrowReport, viewReport } from './report.ts'

/** How long a read waits for the watch to catch up with a write, in milliseconds. Then the object is listed anew. */
const catchUpMs = 5000

/** How a read may be bounded. */
export interface NarrowReadOptions {
  /** Ends the wait, with its reason. @default none */
  readonly signal?: AbortSignal | undefined
}

/**
 * A cache of single objects: each that is asked for is watched by its name, and nothing else of its kind is received.
 *
 * The first `get` of an object opens its watch, which begins with the object or its absence; later ones make no request.
 * An entry outlives whatever happens to its watch. One that nobody subscribes to is closed when it was not read for
 * `idleMs`, or when there are more than `max`. Where very many objects of a namespace, or of all, are asked for, one watch of
 * metadata takes over, and each is listed by its name when it has changed (`escalateAt`, `escalateAllAt`). Watches that end are opened
 * again at 100 requests a second at most, in all.
 *
 * Makes no request until something is asked of it. It is a `NarrowReader` for a dynamic cache.
 *
 * ```ts
 * const narrow = new NarrowCache({ client })
 * const secret = await narrow.get(secrets, { namespace: 'prod', name: 'db' })
 * ```
 */
export class NarrowCache {
  readonly #shared: CacheContext
  readonly #entries: EntryCache

  /**
   * Does no I/O.
   * @throws OptionTypeError, OptionRangeError
   */
  constructor(options: NarrowCacheOptions) {
    this.#shared = new CacheContext(settingsOf(options))
    this.#entries = new EntryCache(this.#shared)
  }

  /**
   * One object; `undefined` where there is none, or none that the view selects. The first time it opens a watch of that one
   * object and waits for its first state; from then on it answers from memory, at least as new as what was written or read
   * through this process ({@link NarrowCache.wrote}). The object is the cache's own: change a `structuredClone(object)`.
   *
   * Where the object can't be watched, or `max` others have subscribers, it is read from the server each time.
   *
   * Rejects with the signal's reason, a `NarrowTimeoutError`, a `TransformError`, or what the server says. Where the server refuses the first
   * state (500, 503 and the like) that is after one more try, or after 5 s.
   *
   * @throws InvalidNameError, OptionRangeError for a key that the view can't have.
   */
  async get<C, S extends Scope>(
    view: View<C, S>,
    key: KeyOf<S>,
    options?: NarrowReadOptions,
  ): Promise<FromServer<C> | undefined> {
    // Mostly there are none, and the check would cost a good part of a read from memory.
    if (options !== undefined) checkOptions('get', options, { signal: abortSignal })
    const signal = options?.signal
    if (signal === undefined) {
      // A key that does not fit the view finds no entry, or one of another name. It is checked below.
      const given = key && asKey(key)
      const entry = given && this.#entries.find(view as View)?.entries.get(keyText(given))
      if (entry?.readiness === 'cached' && entry.key.name === given.name) {
        this.#entries.touch(entry)
        return entry.object as FromServer<C> | undefined
      }
    }
    return (await this.#read(checkedView(view), key, signal)) as FromServer<C> | undefined
  }

  /**
   * Subscribes to one object. The handler is told its present state first, then what happens to it. While there is a
   * subscription the entry is never evicted. Resolves when the present state was told.
   *
   * Rejects with a `NarrowWatchRefusedError` where the server does not let it be watched, what the server says where it refuses the state in
   * another way (after one more try, or after 5 s), the signal's reason or a `NarrowTimeoutError`. The signal bounds this wait only. There
   * may be more subscriptions than `max`: then the objects of the view share one watch, and `onWarning` is told once (rule N7).
   */
  async watch<C, S extends Scope>(
    view: View<C, S>,
    key: KeyOf<S>,
    handler: NarrowHandler<C>,
    options: NarrowReadOptions = {},
  ): Promise<Subscription> {
    checkHandler(handler)
    checkOptions('watch', options, { signal: abortSignal })
    const { signal } = options
    const plain = checkedView(view)
    const checked = checkedKey(plain, key)
    signal?.throwIfAborted()
    const entry = this.#entries.pin(plain, checked)
    let end: () => boolean
    try {
      if ((await this.#ready(entry, signal, entry.tryNow())) === 'live') throw entry.refusal ?? this.#timeout(entry)
      end = this.#entries.of(plain).subscriptions.add(handler as NarrowHandler<unknown>, checked.text)
    } catch (error) {
      this.#entries.unpin(entry)
      throw error
    }
    const close = async (): Promise<void> => {
      if (end()) this.#entries.unpin(entry)
    }
    return { key: checked.text, close, [Symbol.asyncDispose]: close }
  }

  /**
   * What is cached of an object, without a request, and without counting as a read: `undefined` where nothing is known,
   * `{ object: undefined }` where it is known to be absent.
   */
  peek<C, S extends Scope>(view: View<C, S>, key: KeyOf<S>): { readonly object: C | undefined } | undefined {
    const entry = this.#find(view, key)
    return entry?.readiness === 'cached' ? { object: entry.object as C | undefined } : undefined
  }

  /**
   * Closes the watch of an object, and lets go of it. Returns whether it did: not if there is none, or if somebody subscribes to it or
   * waits for it.
   */
  forget<S extends Scope>(view: View<unknown, S>, key: KeyOf<S>): boolean {
    const entry = this.#find(view, key)
    if (entry === undefined || entry.pins > 0) return false
    this.#entries.remove(entry)
    return true
  }

  /**
   * A cursor over all entries of a view: what is there, then what changes. It keeps no entry from being evicted, and an
   * evicted object goes without a word; `watch` those that must stay.
   */
  cursor<C, S extends Scope>(view: View<C, S>): Cursor<C> {
    return this.#entries.of(checkedView(view)).store.cursor() as Cursor<C>
  }

  /** The changes of all entries of a view, as a {@link NarrowCache.cursor} gives them. Ends with the signal, or with the cache. */
  changes<C, S extends Scope>(view: View<C, S>, options: NarrowReadOptions = {}): AsyncIterableIterator<Change<C>> {
    checkOptions('changes', options, { signal: abortSignal })
    return changesOf(this.cursor(view), options)
  }

  /** There is no list of single objects: rejects with a `NarrowListError`, which names the way out (rule N12). */
  async list(view: View): Promise<never> {
    throw new NarrowListError(checkedView(view).key)
  }

  /**
   * Says that an object was written, and what the server answered: later reads of it are at least as new (rule N9). By any client.
   * `client.withWriteListeners(narrow)` says it of all its writes.
   */
  wrote(view: View, answer: object): void {
    having('the object that the server answered')('wrote.answer', answer)
    const object = answer as KubernetesObject
    const { name, namespace } = object.metadata ?? {}
    for (const entry of this.#entries.named(view, name, namespace)) entry.wrote(object)
  }

  /**
   * Says that an object was deleted: later reads do not give it any more (rule N9).
   * @param uid of the object that is gone; `undefined`: whatever it was.
   */
  deleted<S extends Scope>(view: View<unknown, S>, key: KeyOf<S>, uid?: string | undefined): void {
    const { name, namespace } = asKey(key) ?? {}
    for (const entry of this.#entries.named(view as View, name, namespace)) entry.deleted(uid)
  }

  /**
   * Which part of a view's objects has an entry, as one watch of the metadata of all tells; `undefined` where there is no such watch. Makes no
   * request.
   */
  part(view: View): number | undefined {
    const found = this.#entries.find(checkedView(view))
    return found?.known === undefined ? undefined : found.entries.size / Math.max(1, found.known)
  }

  /** What it holds at present. */
  report(): NarrowReport {
    const views = this.#entries.views.map(viewReport)
    const entries = this.#entries.views.flatMap(one => [...one.entries.values()])
    return {
      entries: entries.length,
      idle: entries.filter(({ pins }) => pins === 0).length,
      refused: entries.filter(({ refusal }) => refusal !== undefined).length,
      streams: this.#shared.streams,
      waiting: this.#shared.requests.waiting,
      subscriptions: views.reduce((sum, { subscriptions }) => sum + subscriptions, 0),
      views,
      escalated: escalations(this.#entries.views),
    }
  }

  /**
   * Ends all: from the call on no handler is called, cursors are closed, and waits are rejected with a `NarrowClosedError`.
   * Idempotent. Resolves when all watches are closed.
   */
  async close(): Promise<void> {
    this.#shared.closing.abort(new NarrowClosedError())
    this.#entries.close()
    await this.#shared.ended()
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close()
  }

  /** The entry of an object, if there is one. @throws ViewConflictError */
  #find<S extends Scope>(view: View<unknown, S>, key: KeyOf<S>): Entry | undefined {
    const plain = checkedView(view)
    const { text } = checkedKey(plain, key)
    return this.#entries.find(plain)?.entries.get(text)
  }

  async #read(view: View, key: KeyOf, signal: AbortSignal | undefined): Promise<unknown> {
    const checked = checkedKey(view, key)
    signal?.throwIfAborted()
    const entry = this.#entries.pinIfRoom(view, checked)
    if (entry === undefined) return this.#live(view, checked, signal)
    try {
      const readiness = await this.#ready(entry, signal)
      return readiness === 'cached' ? entry.object : await this.#live(view, checked, signal, entry)
    } finally {
      this.#entries.unpin(entry)
    }
  }

  /**
   * Waits until an entry has a state that is as new as what this process knows; `live`: it can't be had.
   * @param isToCome for a subscription, which the server is not asked in place of: whether the answer to a watch that is tried again is
   * still to come
   */
  async #ready(entry: Entry, signal: AbortSignal | undefined, isToCome?: () => boolean): Promise<'cached' | 'live'> {
    const { timeoutMs } = this.#shared.settings
    const { clock } = this.#shared.environment
    const lateMs = Math.min(catchUpMs, timeoutMs / 2)
    const beganAt = clock.monotonic()
    /** How many lists there are once there is one that was begun after this read. */
    let lists: number | undefined
    for (;;) {
      const { readiness } = entry
      if (readiness === 'cached' || (lists !== undefined && entry.lists >= lists)) return 'cached'
      if (readiness === 'live' && isToCome?.() !== true) return 'live'
      const tookMs = clock.monotonic() - beganAt
      const isLate = tookMs >= lateMs
      // A known object is listed anew for a subscription; a read asks the server then.
      const isListed = !entry.wasKnown || (lists !== undefined && isToCome !== undefined)
      const givesUpAt = isListed ? entry.givesUpAt : undefined
      if (givesUpAt !== undefined && clock.monotonic() >= givesUpAt) throw entry.error
      if (tookMs >= timeoutMs && !entry.wasKnown) throw this.#timeout(entry)
      if (tookMs >= timeoutMs) return 'live'
      if (entry.wasKnown && (readiness === 'ask' || isLate)) {
        lists ??= entry.lists + (entry.isListing ? 2 : 1)
        if (!entry.isListing) entry.refresh()
        else if (entry.error !== undefined && isToCome === undefined) return 'live'
      }
      // A timer may fire a little early.
      const untilMs = Math.min(isLate ? timeoutMs : lateMs, (givesUpAt ?? Number.POSITIVE_INFINITY) - beganAt)
      const leftMs = Math.max(1, untilMs - tookMs)
      const timer = leftMs === Number.POSITIVE_INFINITY ? undefined : clock.timer(leftMs, () => entry.news())
      await entry.changed(signal).finally(() => timer?.cancel())
    }
  }

  #timeout({ key, scope, error = scope.lastError }: Entry): NarrowTimeoutError {
    return new NarrowTimeoutError(scope.of.view.key, key.text, this.#shared.settings.timeoutMs, error)
  }

  /** Asks the server, and keeps nothing. */
  async #live(view: View, { name, namespace }: CheckedKey, signal?: AbortSignal, entry?: Entry): Promise<unknown> {
    this.#shared.count('wherry_narrow_live_gets_total', resourceName(view.resource))
    const key = { name, namespace } as ObjectKey
    const { closing, settings } = this.#shared
    const ending = signal === undefined ? closing.signal : AbortSignal.any([signal, closing.signal])
    const object = await settings.client.get(unprojected(view), key, { signal: ending })
    ending.throwIfAborted()
    // Later reads are not to be older.
    if (object === undefined) return entry?.deleted(undefined)
    entry?.wrote(object as KubernetesObject)
    return projector(guarded(view))(object)
  }
}

/** @throws OptionTypeError */
function checkedView(view: unknown): View {
  viewCheck('view', view)
  return view as View
}
