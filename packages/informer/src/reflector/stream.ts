import { type ChangeType, TimeoutError, type Timer, type Watch, type WatchEnd } from '@wherry/client'
import { type InvalidObjectError, openWatch, type WatchStart } from '@wherry/client/internal'
import type { ReflectorContext } from './reflector-context.ts'
import { keyOf, type SnapshotFanOut } from './writers.ts'

/** How a stream ended: as its watch did, or `silent`: it was given up because its initial state made no progress (rule R12). */
export type StreamEnd = WatchEnd | { readonly how: 'silent'; readonly error: TimeoutError }

/** A stream that is over. */
export interface Ended {
  readonly end: StreamEnd
  readonly livedMs: number
  /** The time since the server accepted the watch, in milliseconds; 0 if it never did. */
  readonly openMs: number
  /** The number of events after the initial ones. */
  readonly events: number
}

/** Receives the events of a stream. */
export interface StreamFollower {
  /** Called when the server has accepted the watch. */
  opened?(): void
  /** The initial state is in the stores; the stream goes on as the watch. */
  whole?(): void
  draining?(): void
  /** Called when the watch has ended; not after `abort`. */
  ended(ended: Ended): void
}

/** How long the initial state may keep silent, in milliseconds (rule R12). */
const silenceMs = 30_000
/** How long initial events may take to reach a further key in the order of keys, in milliseconds (rule R12). */
const standstillMs = 60_000

/** An initial state that is being read. */
interface InitialState {
  readonly reading: SnapshotFanOut
  /** The last key so far, and the time of its event. */
  lastKey: string
  lastKeyAt: number
  standstill: Timer | undefined
}

/** One watch request. It delivers the initial events, up to the bookmark that ends them, and then changes, to the stores. */
export class Stream {
  readonly #context: ReflectorContext
  readonly #watch: Watch
  readonly #begunAt: number
  #openedAt: number | undefined
  /** The minimum resourceVersion of the initial events; `''`: the newest. */
  readonly #asked: string
  #follower: StreamFollower
  /** The initial events; `undefined` after their end. */
  #initial: InitialState | undefined
  #draining = false
  #received = false
  #events = 0
  #ended: Ended | undefined

  constructor(context: ReflectorContext, start: WatchStart, follower: StreamFollower) {
    const { settings, stats, clock } = context
    this.#context = context
    this.#asked = start.resourceVersion
    this.#follower = follower
    this.#begunAt = clock.monotonic()
    stats.watches += 1
    context.count('reflector_watches_total')
    if (start.initialEvents === true) {
      stats.lists += 1
      context.count('reflector_lists_total')
      const reading = context.read(start.resourceVersion)
      this.#initial = { reading, lastKey: '', lastKeyAt: this.#begunAt, standstill: undefined }
    }
    this.#watch = openWatch(settings.context, context.target, start, this, {
      timeoutSeconds: context.timeoutSeconds(),
      gzip: settings.context.gzip,
      maxLineBytes: settings.maxObjectBytes,
    })
    if (this.#initial !== undefined) this.#awaitProgress(this.#initial)
  }

  /** Replaces the follower. The new one receives `ended` or `draining` at once, if the old one has received it. */
  follow(follower: StreamFollower): void {
    this.#follower = follower
    if (this.#ended !== undefined) follower.ended(this.#ended)
    else if (this.#draining) follower.draining?.()
  }

  hold(): void {
    this.#watch.hold()
  }

  release(): void {
    this.#watch.release()
  }

  /** Ends the watch. Its follower receives nothing more. */
  abort(): void {
    if (this.#ended !== undefined) return
    this.#watch.abort()
    this.#over({ how: 'closed' })
  }

  opened(): void {
    const context = this.#context
    context.lastError = undefined
    this.#openedAt = context.clock.monotonic()
    this.#follower.opened?.()
    context.notify(() => context.on.watching?.())
  }

  event(type: ChangeType, object: object, length: number): void {
    this.#received = true
    const initial = this.#initial
    if (initial === undefined) {
      this.#events += 1
      this.#context.change(type, object, length)
    } else if (type === 'DELETED') initial.reading.remove(object)
    else {
      this.#context.stats.bytes += length
      if (type === 'ADDED') this.#noteKey(initial, keyOf(object))
      initial.reading.put(object, length)
    }
  }

  bookmark(resourceVersion: string, initialEventsEnd: boolean): void {
    this.#received = true
    if (this.#initial === undefined) this.#context.bookmark(resourceVersion)
    else if (initialEventsEnd) this.#whole(this.#initial.reading, resourceVersion)
  }

  skipped(error: InvalidObjectError): void {
    this.#received = true
    this.#context.skipped(error, this.#initial === undefined ? 'watch' : 'list')
  }

  draining(): void {
    this.#draining = true
    this.#follower.draining?.()
  }

  end(end: StreamEnd): void {
    this.#follower.ended(this.#over(end))
  }

  #whole(reading: SnapshotFanOut, resourceVersion: string): void {
    const context = this.#context
    context.checkAge(resourceVersion, this.#asked)
    this.#endInitial()
    context.failures.streamingList = 0
    context.observe('reflector_list_duration_seconds', (context.clock.monotonic() - this.#begunAt) / 1000)
    context.observe('reflector_items_per_list', reading.count)
    context.commit(reading, resourceVersion, this.#asked === '')
    if (!context.stopped) this.#follower.whole?.()
  }

  #over(end: StreamEnd): Ended {
    const context = this.#context
    const now = context.clock.monotonic()
    const livedMs = now - this.#begunAt
    this.#endInitial()?.drop()
    context.observe('reflector_watch_duration_seconds', livedMs / 1000)
    context.observe('reflector_items_per_watch', this.#events)
    if (livedMs < 1000 && this.#events === 0) context.count('reflector_short_watches_total')
    if (this.#received) context.receivedAt = Math.max(context.receivedAt, this.#watch.lastReceivedAt)
    const ended = { end, livedMs, openMs: now - (this.#openedAt ?? now), events: this.#events }
    this.#ended = ended
    return ended
  }

  /** Records progress: initial events come in the order of their keys, so an event of a later key is progress (rule R10). */
  #noteKey(initial: InitialState, key: string): void {
    if (key <= initial.lastKey) return
    initial.lastKey = key
    initial.lastKeyAt = this.#context.clock.monotonic()
  }

  #endInitial(): SnapshotFanOut | undefined {
    const initial = this.#initial
    this.#initial = undefined
    initial?.standstill?.cancel()
    return initial?.reading
  }

  #awaitProgress(initial: InitialState): void {
    const { clock } = this.#context
    const now = clock.monotonic()
    const silentInMs = this.#watch.lastReceivedAt + silenceMs - now
    const stillInMs = initial.lastKeyAt + standstillMs - now
    if (silentInMs <= 0) this.#giveUp(silenceMs)
    else if (stillInMs <= 0) this.#giveUp(standstillMs)
    else initial.standstill = clock.timer(Math.min(silentInMs, stillInMs), () => this.#awaitProgress(initial))
  }

  #giveUp(afterMs: number): void {
    this.#watch.abort()
    this.end({ how: 'silent', error: new TimeoutError(afterMs, { method: 'GET', ...this.#context.target }) })
  }
}
