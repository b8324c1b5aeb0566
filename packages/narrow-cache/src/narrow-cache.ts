import type {
  CheckedKey,
  FromServer,
  KeyOf,
  KubernetesObject,
  ObjectKey,
  ResourceDefinition,
  Scope,
  View,
} from '@wherry/client'
import {
  abortSignal,
  anySignal,
  asKey,
  checkedKey,
  checkOptions,
  having,
  keyText,
  projector,
  resourceName,
  unprojected,
  viewCheck,
} from '@wherry/client/internal'
import type { Change, Cursor } from '@wherry/informer'
import { changesOf, withTransformErrors } from '@wherry/informer/internal'
import { CacheContext } from './cache-context.ts'
import type { Entry } from './entry.ts'
import { EntryCache } from './entry-cache.ts'
import { NarrowClosedError, NarrowListError, NarrowTimeoutError } from './errors.ts'
import { checkHandler, type NarrowHandler, type Subscription } from './handler.ts'
import { type NarrowCacheOptions, settingsOf } from './options.ts'
import { escalations, type NarrowReport, viewReport } from './report.ts'

/** How long a read waits for the watch to catch up with a write, in milliseconds. Then the object is listed again. */
const catchUpMs = 5000

/** Bounds of a read. */
export interface NarrowReadOptions {
  /** Aborts the wait, with its reason. @default none */
  readonly signal?: AbortSignal | undefined
}

/**
 * A cache of single objects: it watches each requested object by its name, and receives no other objects of its kind. It sends no request until it is used.
 * It is a `NarrowReader` for a dynamic cache.
 *
 * **Flow.** The first `get` of an object opens its watch, which starts with the object or its absence; later reads send no request. An entry without
 * subscribers is closed when it was not read for `idleMs`, or when there are more than `max` entries. If very many objects of one namespace, or of all, are
 * requested, one watch of metadata takes over, and each object is listed by its name when it has changed (`escalateAt`, `escalateAllAt`).
 *
 * **Guarantees.** An entry is as fresh as its watch. It survives failures of its watch. A read is never older than a write that was reported to the cache.
 * Ended watches are reopened at 100 requests a second at most in total.
 *
 * **Caveats.** A read waits for the first state of the object. The account needs the rights to list and to watch the object.
 *
 * **Errors.** If the server refuses the watch, `watch` rejects with a `NarrowWatchRefusedError`, and `get` asks the server. Both reject with a
 * `NarrowTimeoutError` if no state comes in time.
 *
 * @example
 * ```ts
 * import { Client } from '@wherry/client'
 * import { secrets } from '@wherry/client/resources/core'
 * import { NarrowCache } from '@wherry/narrow-cache'
 *
 * const narrow = new NarrowCache({ client: await Client.connect() })
 * const key = { namespace: 'arcade', name: 'db' }
 * const secret = await narrow.get(secrets, key) // opens a watch of this Secret
 * console.log(Object.keys(secret?.data ?? {}))
 * await narrow.get(secrets, key) // from memory
 * await narrow.close()
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
   * Reads one object; `undefined` if it does not exist, or the view does not select it. The first read opens a watch of this object and waits for
   * its first state. Later reads answer from memory, with a state at least as new as what this process wrote or read ({@link NarrowCache.wrote}).
   * The object belongs to the cache: change a `structuredClone(object)`.
   *
   * If the object can't be watched, or `max` other entries have subscribers or waiting reads, each read asks the server.
   *
   * Rejects with the signal's reason, a `NarrowTimeoutError`, a `NarrowClosedError`, a `TransformError`, or the server's error. If the server refuses
   * the first state (500, 503 and the like), `get` rejects after one retry, or after 5 s.
   *
   * @throws InvalidNameError, OptionRangeError for a key that the view can't have
   */
  async get<C, S extends Scope>(
    view: View<C, S>,
    key: KeyOf<S>,
    options?: NarrowReadOptions,
  ): Promise<FromServer<C> | undefined> {
    // Most calls have no options, and the check would cost a large part of a read from memory.
    if (options !== undefined) checkOptions('get', options, { signal: abortSignal })
    const signal = options?.signal
    if (signal === undefined) {
      // A key that does not fit the view finds no entry, or an entry of another name, and is checked below.
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
   * Subscribes to one object. The handler receives its present state first, then its changes. While there is a subscription, the entry is never
   * evicted. Resolves when the present state was delivered.
   *
   * Rejects with a `NarrowWatchRefusedError` if the server does not allow the watch, with the server's error if it refuses the state in another way
   * (after one retry, or after 5 s), with the signal's reason, or with a `NarrowTimeoutError`. The signal bounds only this wait. There may be more
   * subscriptions than `max`: then the objects of the view share one watch, and `onWarning` is called once (rule N7).
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
   * The cached state of an object, without a request, and without counting as a read: `undefined` if a `get` could not answer from memory,
   * `{ object: undefined }` if the object is known to be absent.
   */
  peek<C, S extends Scope>(view: View<C, S>, key: KeyOf<S>): { readonly object: C | undefined } | undefined {
    const entry = this.#find(view, key)
    return entry?.readiness === 'cached' ? { object: entry.object as C | undefined } : undefined
  }

  /**
   * Closes the watch of an object and drops the object. Returns false, and does nothing, if the object has no entry, or if it has subscribers or waiting
   * reads.
   */
  forget<S extends Scope>(view: View<unknown, S>, key: KeyOf<S>): boolean {
    const entry = this.#find(view, key)
    if (entry === undefined || entry.pins > 0) return false
    this.#entries.remove(entry)
    return true
  }

  /**
   * A cursor over all entries of a view: the existing entries, then their changes. It does not keep entries from eviction, and an eviction is not
   * reported; use `watch` for objects that must stay.
   */
  cursor<C, S extends Scope>(view: View<C, S>): Cursor<C> {
    return this.#entries.of(checkedView(view)).store.cursor() as Cursor<C>
  }

  /** The changes of all entries of a view, as {@link NarrowCache.cursor} gives them. Ends with the signal or the cache. */
  changes<C, S extends Scope>(view: View<C, S>, options: NarrowReadOptions = {}): AsyncIterableIterator<Change<C>> {
    checkOptions('changes', options, { signal: abortSignal })
    return changesOf(this.cursor(view), options)
  }

  /** Single objects can't be listed: rejects with a `NarrowListError`, which names the alternatives (rule N12). */
  async list(view: View): Promise<never> {
    throw new NarrowListError(checkedView(view).key)
  }

  /**
   * Reports a write of an object, by any client, with the server's answer: later reads of it are at least as new (rule N9).
   * `client.withWriteListeners(narrow)` reports all writes of a client.
   */
  wrote(view: View, answer: object): void {
    having('the object that the server answered')('wrote.answer', answer)
    const object = answer as KubernetesObject
    const { name, namespace } = object.metadata ?? {}
    for (const entry of this.#entries.named(view, name, namespace)) entry.wrote(object)
  }

  /**
   * Reports the deletion of an object: later reads do not return it (rule N9).
   *
   * @param uid of the deleted object; `undefined`: any object of that name
   */
  deleted<S extends Scope>(view: View<unknown, S>, key: KeyOf<S>, uid?: string | undefined): void {
    const { name, namespace } = asKey(key) ?? {}
    for (const entry of this.#entries.named(view as View, name, namespace)) entry.deleted(uid)
  }

  /** As `DynamicCache.holdReads`, for the objects of this cache. Reads wait as for a server that does not answer. */
  holdReads(
    resource: Pick<ResourceDefinition, 'group' | 'plural'>,
    until: (namespace: string | undefined) => Promise<void> | undefined,
  ): () => void {
    return this.#shared.held.hold(resource, until)
  }

  /** As `DynamicCache.relist`: no state of a resource's objects counts until it is read again. */
  relist(resource: Pick<ResourceDefinition, 'group' | 'plural'>): void {
    this.#entries.relist(resource)
  }

  /**
   * The number of a view's entries, divided by that of its objects: more than 1 if there are entries of absent objects. `undefined` unless one watch of the
   * metadata of all objects is open. Sends no request.
   */
  part(view: View): number | undefined {
    const found = this.#entries.find(checkedView(view))
    return found?.known === undefined ? undefined : found.entries.size / Math.max(1, found.known)
  }

  /** A summary of the current state. */
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
   * Ends everything: after the call no handler is called, cursors are closed, and waits reject with a `NarrowClosedError`. Idempotent. Resolves
   * when all watches are closed.
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
   * Waits until an entry has a state that is as new as this process' writes and reads; `live`: only the server has such a state.
   * @param isRetrying returns whether a watch is being retried, and the server has not answered yet. Given for a subscription, because a single request
   * can't answer it
   */
  async #ready(entry: Entry, signal: AbortSignal | undefined, isRetrying?: () => boolean): Promise<'cached' | 'live'> {
    const { timeoutMs } = this.#shared.settings
    const { clock } = this.#shared.environment
    const lateMs = Math.min(catchUpMs, timeoutMs / 2)
    const beganAt = clock.monotonic()
    /** The value of `entry.lists` from which on a list was begun after this read. */
    let lists: number | undefined
    for (;;) {
      const { readiness } = entry
      if (readiness === 'cached' || (lists !== undefined && entry.lists >= lists)) return 'cached'
      if (readiness === 'live' && isRetrying?.() !== true) return 'live'
      const tookMs = clock.monotonic() - beganAt
      const isLate = tookMs >= lateMs
      // For a subscription, a known object is listed again; a read asks the server instead.
      const isListed = !entry.wasKnown || (lists !== undefined && isRetrying !== undefined)
      const givesUpAt = isListed ? entry.givesUpAt : undefined
      if (givesUpAt !== undefined && clock.monotonic() >= givesUpAt) throw entry.error
      if (tookMs >= timeoutMs && !entry.wasKnown) throw this.#timeout(entry)
      if (tookMs >= timeoutMs) return 'live'
      if (entry.wasKnown && (readiness === 'ask' || isLate)) {
        lists ??= entry.lists + (entry.isListing ? 2 : 1)
        if (!entry.isListing) entry.relist()
        else if (entry.error !== undefined && isRetrying === undefined) return 'live'
      }
      // A timer may fire a little early.
      const untilMs = Math.min(isLate ? timeoutMs : lateMs, (givesUpAt ?? Number.POSITIVE_INFINITY) - beganAt)
      const leftMs = Math.max(1, untilMs - tookMs)
      const timer = leftMs === Number.POSITIVE_INFINITY ? undefined : clock.timer(leftMs, () => entry.notifyWaiters())
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
    const ending = anySignal(signal, closing.signal)
    const object = await settings.client.get(unprojected(view), key, { signal: ending })
    ending.throwIfAborted()
    // Later reads must not be older than this one.
    if (object === undefined) return entry?.deleted(undefined)
    entry?.wrote(object as KubernetesObject)
    return projector(withTransformErrors(view))(object)
  }
}

/** @throws OptionTypeError */
function checkedView(view: unknown): View {
  viewCheck('view', view)
  return view as View
}
