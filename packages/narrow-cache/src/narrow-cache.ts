import {
  type KubernetesObject,
  type ObjectKey,
  OptionTypeError,
  projector,
  resourceName,
  type Scope,
  type View,
} from '@wherry/client'
import { abortSignal, checkOptions, having } from '@wherry/client/checks'
import { type Change, type Cursor, changesOf } from '@wherry/informer'
import type { Bucket } from './bucket.ts'
import { Entry, type Readiness } from './entry.ts'
import { NarrowClosedError, NarrowFullError, NarrowListError, NarrowTimeoutError } from './errors.ts'
import type { NarrowHandler, Subscription } from './handler.ts'
import { Idle } from './idle.ts'
import { type CheckedKey, checkedKey } from './key.ts'
import { Kind, kindKey } from './kind.ts'
import { atLevel, levelOf } from './level.ts'
import { NarrowView } from './narrow-view.ts'
import { type NarrowCacheOptions, type Settings, settingsOf } from './options.ts'
import { bucketsOf, escalations, type NarrowReport, viewReport } from './report.ts'
import { Shared } from './shared.ts'

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
 * `idleMs`, or when there are more than `max`. Where very many objects of a namespace are asked for, one watch of metadata
 * takes over, and they are fetched when they have changed (`escalateAt`).
 *
 * Makes no request until something is asked of it. It is a `NarrowReader` for a dynamic cache.
 *
 * ```ts
 * const narrow = new NarrowCache({ client })
 * const secret = await narrow.get(secrets, { namespace: 'prod', name: 'db' })
 * ```
 */
export class NarrowCache {
  readonly #settings: Settings
  readonly #shared: Shared
  readonly #idle: Idle
  readonly #kinds = new Map<string, Kind>()
  readonly #views = new Map<string, NarrowView>()
  #size = 0
  #closing: Promise<void> | undefined

  /**
   * Does no I/O.
   * @throws OptionTypeError, OptionRangeError
   */
  constructor(options: NarrowCacheOptions) {
    this.#settings = settingsOf(options)
    this.#shared = new Shared(this.#settings)
    const { idleMs, max } = this.#settings
    const { clock } = this.#shared.environment
    this.#idle = new Idle({ clock, idleMs, max, evict: entry => this.#evict(entry) })
  }

  /**
   * One object; `undefined` where there is none, or none that the view selects. The first time it opens a watch of that one
   * object and waits for its first state; from then on it answers from memory, at least as new as what was written or read
   * through this process ({@link NarrowCache.wrote}). The object is the cache's own: change a clone.
   *
   * Where the object can't be watched, or there is no room for it, it is read from the server each time.
   *
   * Rejects with the signal's reason, a `NarrowTimeoutError`, a `TransformError`, or what the server says.
   *
   * @throws InvalidNameError, OptionRangeError for a key that the view can't have.
   */
  async get<C, S extends Scope>(
    view: View<C, S>,
    key: ObjectKey<S>,
    options: NarrowReadOptions = {},
  ): Promise<C | undefined> {
    const { signal } = options
    if (signal === undefined) {
      const narrow = this.#views.get(view?.key)
      const entry = narrow?.entries.get(quickText(view as View, key))
      if (narrow !== undefined && entry?.readiness(narrow) === 'cached') {
        narrow.mustBe(view)
        this.#idle.touch(entry)
        return narrow.store.lister.get(entry.key.text) as C | undefined
      }
    }
    checkOptions('get', options, { signal: abortSignal })
    return (await this.#read(checkedView(view), key, signal)) as C | undefined
  }

  /**
   * Subscribes to one object. The handler is told its present state first, then what happens to it. While there is a
   * subscription the entry is never evicted. Resolves when the present state was told.
   *
   * Rejects with a `NarrowWatchRefusedError` where the server does not let it be watched, a `NarrowFullError` where there is
   * no room (rule N7), the signal's reason or a `NarrowTimeoutError`. The signal bounds this wait only.
   */
  async watch<C, S extends Scope>(
    view: View<C, S>,
    key: ObjectKey<S>,
    handler: NarrowHandler<C>,
    options: NarrowReadOptions = {},
  ): Promise<Subscription> {
    checkHandler(handler)
    checkOptions('watch', options, { signal: abortSignal })
    const { signal } = options
    const plain = checkedView(view)
    const checked = checkedKey(plain, key)
    signal?.throwIfAborted()
    const ensured = this.#ensure(plain, checked)
    if (ensured === undefined) throw this.#full(plain)
    const { entry, narrow } = ensured
    this.#pin(entry)
    try {
      const readiness = await this.#settled(entry, narrow, signal)
      this.#mustLive()
      if (readiness === 'full') throw this.#full(plain)
      const { refusal } = entry
      if (readiness === 'live' && refusal !== undefined) throw refusal
    } catch (error) {
      this.#unpin(entry)
      throw error
    }
    const end = narrow.subscribe(handler as NarrowHandler<unknown>, checked.text)
    let isOver = false
    const close = async (): Promise<void> => {
      if (isOver) return
      isOver = true
      end()
      this.#unpin(entry)
    }
    return { key: checked.text, close, [Symbol.asyncDispose]: close }
  }

  /**
   * What is cached of an object, without a request, and without counting as a read: `undefined` where nothing is known,
   * `{ object: undefined }` where it is known to be absent.
   */
  peek<C, S extends Scope>(view: View<C, S>, key: ObjectKey<S>): { readonly object: C | undefined } | undefined {
    const plain = checkedView(view)
    const { text } = checkedKey(plain, key)
    const narrow = this.#views.get(plain.key)
    narrow?.mustBe(plain)
    const entry = narrow?.entries.get(text)
    if (narrow === undefined || entry === undefined || entry.readiness(narrow) !== 'cached') return undefined
    return { object: narrow.store.lister.get(text) as C | undefined }
  }

  /**
   * Closes the watch of an object, and lets go of it in all views of the same selectors. Gives whether it did: not where
   * there is none, or where somebody subscribes to it or waits for it.
   */
  forget<S extends Scope>(view: View<unknown, S>, key: ObjectKey<S>): boolean {
    const plain = checkedView(view)
    const { text, namespace } = checkedKey(plain, key)
    const entry = this.#kinds
      .get(kindKey(plain))
      ?.buckets.get(namespace ?? '')
      ?.entries.get(text)
    if (entry === undefined || entry.pins > 0) return false
    this.#idle.remove(entry)
    this.#close(entry)
    return true
  }

  /**
   * A cursor over all entries of a view: what is there, then what changes. It keeps no entry from being evicted, and an
   * evicted object goes without a word; `watch` those that must stay.
   */
  cursor<C, S extends Scope>(view: View<C, S>): Cursor<C> {
    this.#mustLive()
    return this.#view(checkedView(view)).store.cursor() as Cursor<C>
  }

  /** The changes of all entries of a view, as a {@link NarrowCache.cursor} gives them. Ends with the signal, or with the cache. */
  changes<C, S extends Scope>(
    view: View<C, S>,
    options: { readonly signal?: AbortSignal | undefined } = {},
  ): AsyncIterableIterator<Change<C>> {
    checkOptions('changes', options, { signal: abortSignal })
    return changesOf(this.cursor(view), options)
  }

  /** There is no list of single objects: rejects with a `NarrowListError`, which names the way out (rule N12). */
  list(view: View): Promise<never> {
    return Promise.reject(new NarrowListError(checkedView(view).key))
  }

  /**
   * Says that an object was written, and what the server answered: later reads of it are at least as new (rule N9). Of any
   * client; `writesThrough` does it for all writes.
   */
  wrote(view: View, answer: object): void {
    having('the object that the server answered')('wrote.answer', answer)
    const object = answer as KubernetesObject
    const { name, namespace } = object.metadata ?? {}
    for (const entry of this.#entriesOf(view, name, namespace)) entry.saw(object)
  }

  /**
   * Says that an object was deleted: later reads do not give it any more (rule N9).
   * @param uid of the object that is gone; `undefined`: whatever it was.
   */
  deleted<S extends Scope>(view: View<unknown, S>, key: ObjectKey<S>, uid?: string | undefined): void {
    for (const entry of this.#entriesOf(view as View, key?.name, key?.namespace)) entry.sawGone(uid)
  }

  /** What it holds at present. */
  report(): NarrowReport {
    const entries = bucketsOf(this.#kinds.values()).flatMap(bucket => [...bucket.entries.values()])
    const views = [...this.#views.values()].map(viewReport)
    return {
      entries: this.#size,
      idle: this.#idle.size,
      refused: entries.filter(({ refusal }) => refusal !== undefined).length,
      streams: this.#shared.streams,
      waiting: this.#shared.waiting,
      subscriptions: views.reduce((sum, { subscriptions }) => sum + subscriptions, 0),
      views,
      escalated: escalations(this.#kinds.values()),
    }
  }

  /**
   * Ends all: from the call on no handler is called, cursors are closed, who waits is rejected with a `NarrowClosedError`.
   * Idempotent. Resolves when all watches are closed.
   */
  close(): Promise<void> {
    this.#closing ??= this.#closeAll()
    return this.#closing
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close()
  }

  async #read(view: View, key: ObjectKey, signal: AbortSignal | undefined): Promise<unknown> {
    const checked = checkedKey(view, key)
    signal?.throwIfAborted()
    const ensured = this.#ensure(view, checked)
    if (ensured === undefined) {
      this.#full(view)
      return this.#live(view, checked, signal, undefined)
    }
    const { entry, narrow } = ensured
    this.#pin(entry)
    try {
      const readiness = await this.#settled(entry, narrow, signal)
      this.#mustLive()
      if (readiness === 'full') this.#full(view)
      if (readiness === 'cached') return narrow.store.lister.get(checked.text)
      return await this.#live(view, checked, signal, entry)
    } finally {
      this.#unpin(entry)
    }
  }

  /** Waits until it is known how a read goes on. */
  async #settled(
    entry: Entry,
    narrow: NarrowView,
    signal: AbortSignal | undefined,
  ): Promise<Exclude<Readiness, 'wait'>> {
    const { timeoutMs } = this.#settings
    const first = entry.readiness(narrow)
    if (first !== 'wait') return first
    const giveUp = new AbortController()
    const aborted = (): void => giveUp.abort(signal?.reason)
    signal?.addEventListener('abort', aborted, { once: true })
    let isLate = false
    const late = (): void => {
      isLate = true
      giveUp.abort()
    }
    const { clock } = this.#shared.environment
    const timer = timeoutMs === Number.POSITIVE_INFINITY ? undefined : clock.timer(timeoutMs, late)
    try {
      for (;;) {
        await entry.news(giveUp.signal)
        const readiness = entry.readiness(narrow)
        if (readiness !== 'wait') return readiness
      }
    } catch (error) {
      if (!isLate) throw error
      // What was written may not come back by this watch: the server knows.
      if (entry.isPresent !== undefined) return 'live'
      throw new NarrowTimeoutError(narrow.view.key, entry.key.text, timeoutMs, entry.lastError)
    } finally {
      timer?.cancel()
      signal?.removeEventListener('abort', aborted)
    }
  }

  /** Asks the server. */
  async #live(
    view: View,
    { name, namespace }: CheckedKey,
    signal: AbortSignal | undefined,
    entry: Entry | undefined,
  ): Promise<unknown> {
    this.#shared.count('wherry_narrow_live_gets_total', resourceName(view.resource))
    const key = { name, namespace } as ObjectKey
    const object = await this.#settings.client.get(atLevel(view, levelOf(view)), key, { signal })
    entry?.sawLive(object as KubernetesObject | undefined)
    return object === undefined ? undefined : projector(view)(object)
  }

  /** @throws ViewConflictError */
  #view(view: View): NarrowView {
    this.#mustLive()
    const found = this.#views.get(view.key)
    if (found !== undefined) {
      found.mustBe(view)
      return found
    }
    this.#sweep()
    const narrow = new NarrowView(view, this.#shared.environment, this.#settings.freeze)
    this.#views.set(view.key, narrow)
    return narrow
  }

  /** The entry of an object, which feeds that view; `undefined` where there is no room. */
  #ensure(view: View, key: CheckedKey): { readonly entry: Entry; readonly narrow: NarrowView } | undefined {
    this.#mustLive()
    this.#views.get(view.key)?.mustBe(view)
    const found = this.#kinds
      .get(kindKey(view))
      ?.buckets.get(key.namespace ?? '')
      ?.entries.get(key.text)
    if (found !== undefined) {
      const narrow = this.#view(view)
      found.join(narrow)
      return { entry: found, narrow }
    }
    // What is evicted may be the last of its view and kind: these are made, or found, afterwards.
    const isOverBound = !this.#makeRoom()
    const bucket = this.#kind(view).bucket(key.namespace)
    if (isOverBound && !bucket.rise()) {
      this.#tidy(bucket)
      return undefined
    }
    const narrow = this.#view(view)
    const entry = new Entry(bucket, key)
    entry.isOverBound = isOverBound
    this.#size += 1
    this.#gauge()
    entry.join(narrow)
    bucket.add(entry)
    return { entry, narrow }
  }

  #kind(view: View): Kind {
    const key = kindKey(view)
    const found = this.#kinds.get(key)
    if (found !== undefined) return found
    const kind = new Kind(view, this.#shared)
    this.#kinds.set(key, kind)
    return kind
  }

  /** Evicts until there is room for one; `false` where there is none. */
  #makeRoom(): boolean {
    while (this.#size >= this.#settings.max) {
      const oldest = this.#idle.take()
      if (oldest === undefined) return false
      this.#evict(oldest)
    }
    return true
  }

  #tidy({ kind, entries, namespace }: Bucket): void {
    if (entries.size > 0) return
    kind.buckets.delete(namespace ?? '')
    if (kind.buckets.size === 0) this.#kinds.delete(kindKey(kind.view))
  }

  /** Counts that there was no room. */
  #full(view: View): NarrowFullError {
    this.#shared.count('wherry_narrow_full_total', resourceName(view.resource))
    return new NarrowFullError(this.#settings.max)
  }

  #pin(entry: Entry): void {
    if (entry.pins === 0) this.#idle.remove(entry)
    entry.pins += 1
  }

  #unpin(entry: Entry): void {
    entry.pins -= 1
    if (entry.pins > 0 || entry.isOver) return
    if (entry.isFull) this.#close(entry)
    else this.#idle.add(entry)
  }

  #evict(entry: Entry): void {
    this.#shared.count('wherry_narrow_evictions_total', entry.kind.resource)
    this.#close(entry)
  }

  #close(entry: Entry): void {
    if (entry.isOver) return
    const views = [...entry.views.keys()]
    this.#size -= 1
    this.#gauge()
    entry.close(new NarrowClosedError())
    entry.bucket.remove(entry, this.#size <= this.#settings.max)
    for (const narrow of views) this.#drop(narrow)
    this.#tidy(entry.bucket)
  }

  /** Lets go of views that nobody reads or follows any more. */
  #sweep(): void {
    for (const narrow of [...this.#views.values()]) this.#drop(narrow)
  }

  #drop(narrow: NarrowView): void {
    if (!narrow.isIdle) return
    narrow.close()
    this.#views.delete(narrow.view.key)
  }

  #entriesOf({ resource }: View, name: string | undefined, namespace: string | undefined): Entry[] {
    if (name === undefined) return []
    const text = namespace === undefined ? name : `${namespace}/${name}`
    return [...this.#kinds.values()]
      .filter(({ view: { resource: other } }) => other.group === resource.group && other.plural === resource.plural)
      .flatMap(({ buckets }) => buckets.get(namespace ?? '')?.entries.get(text) ?? [])
  }

  #gauge(): void {
    this.#shared.environment.metrics.gauge('wherry_narrow_entries', this.#size)
  }

  #mustLive(): void {
    if (this.#closing !== undefined) throw new NarrowClosedError()
  }

  async #closeAll(): Promise<void> {
    this.#idle.close()
    const buckets = bucketsOf(this.#kinds.values())
    for (const bucket of buckets) {
      for (const entry of [...bucket.entries.values()]) entry.close(new NarrowClosedError())
      bucket.close()
    }
    this.#size = 0
    this.#kinds.clear()
    for (const narrow of this.#views.values()) narrow.close()
    this.#views.clear()
    await this.#shared.close()
  }
}

/** The text of a key that may be wrong: then there is no entry of it. */
function quickText({ resource }: View, key: ObjectKey): string {
  const namespace = key?.namespace
  if ((namespace !== undefined) !== resource.namespaced) return ''
  return namespace === undefined ? key?.name : `${namespace}/${key.name}`
}

/** @throws OptionTypeError */
function checkedView(view: unknown): View {
  const { resource, key } = (view ?? {}) as Partial<View>
  if (typeof resource?.plural === 'string' && typeof key === 'string') return view as View
  throw new OptionTypeError('view', 'a resource or a view of one', view === null ? 'null' : typeof view)
}

/** A handler without any of its functions is a mistake. */
function checkHandler(handler: unknown): void {
  const takes = '{ add, update, delete, absent }, each a function or absent, one of them at least'
  const { add, update, absent, delete: remove } = (handler ?? {}) as Partial<Record<string, unknown>>
  const given = [add, update, absent, remove].filter(one => one !== undefined)
  if (given.length === 0) throw new OptionTypeError('watch.handler', takes, `none of them (${typeof handler})`)
  for (const one of given) {
    if (typeof one !== 'function') throw new OptionTypeError('watch.handler', takes, typeof one)
  }
}
