import { AsyncLocalStorage } from 'node:async_hooks'
import type { Environment, ErrorContext, ReadTarget, WatchContext } from '@wherry/client'
import { type Gate, type Reflector, StreamingSupport } from '@wherry/informer'
import { NarrowClosedError } from './errors.ts'
import { Fetch } from './fetch.ts'
import type { Settings } from './options.ts'
import { Slots } from './slots.ts'
import type { Known } from './source.ts'
import { Turnstile } from './turnstile.ts'

/** One request to watch again in so many milliseconds: 100 a second. */
const againEveryMs = 10

/** How long failures that are alike are gathered before they are told as one, in milliseconds. */
const gatherMs = 1000

/** Failures that are alike: how many there are, and what tells of them. */
interface Gathered {
  count: number
  readonly tell: () => void
}

/** What all entries of a cache share. */
export class Shared {
  readonly settings: Settings
  readonly environment: Environment
  /** For watches of one object. Of a compressed one the decompressor would stay for as long as the watch does. */
  readonly context: WatchContext
  readonly streaming: StreamingSupport
  /** What watches pass that are opened again, so that a server that comes back is not flooded (rule N14). */
  readonly gate: Gate
  /** What is opened and what is fetched, so many at a time. */
  readonly slots: Slots
  /** What is being fetched. */
  readonly fetches: Set<Fetch> = new Set<Fetch>()
  readonly #apart = AsyncLocalStorage.snapshot()
  readonly #gathered = new Map<string, Gathered>()
  readonly #live = new Set<AbortController>()
  readonly #ending = new Set<Promise<void>>()
  #streams = 0

  constructor(settings: Settings) {
    this.settings = settings
    this.environment = settings.client.environment
    this.context = { ...settings.client.context, gzip: false }
    this.streaming = new StreamingSupport(this.environment.clock)
    this.gate = new Turnstile(this.environment.clock, againEveryMs)
    this.slots = new Slots(settings.maxOpening)
  }

  /** Watches that are open, or being opened. */
  get streams(): number {
    return this.#streams
  }

  /**
   * Opens a watch, in the async context of who has made this, not of who happens to ask for it: it would keep that for as long
   * as it lasts, and have all handlers called in it.
   */
  open(reflector: Reflector): void {
    this.#streams += 1
    this.environment.metrics.gauge('wherry_narrow_streams', this.#streams)
    this.#apart(start, reflector)
  }

  /** A watch was told to end. */
  ending(ending: Promise<void>): void {
    this.#streams -= 1
    this.environment.metrics.gauge('wherry_narrow_streams', this.#streams)
    this.#ending.add(ending)
    void ending.then(() => this.#ending.delete(ending))
  }

  count(metric: string, resource: string): void {
    this.environment.metrics.count(metric, { resource })
  }

  /**
   * Tells `onError` of a failed watch within a second. Failures of a resource that are alike are told as one, with their count: a server
   * that restarts ends all watches.
   */
  tell(error: Error, about: ErrorContext): void {
    const { name, code, status } = error as {
      readonly name: string
      readonly code?: unknown
      readonly status?: unknown
    }
    const kind = [about.resource, name, code, status].join()
    const alike = this.#gathered.get(kind)
    if (alike !== undefined) return void alike.count++
    const one = {
      count: 1,
      tell: () => {
        timer.cancel()
        this.#gathered.delete(kind)
        this.environment.onError(error, one.count > 1 ? { ...about, count: one.count } : about)
      },
    }
    const timer = this.environment.clock.timer(gatherMs, one.tell)
    this.#gathered.set(kind, one)
  }

  /** What the server has of one object now. Rejects with the signal's reason, or with what the server says. */
  fetch(target: ReadTarget, name: string, signal: AbortSignal | undefined): Promise<Known> {
    return new Promise((resolve, reject) => {
      const over = (): void => signal?.removeEventListener('abort', aborted)
      const fetch = new Fetch(this, target, name, {
        fetched(known) {
          over()
          resolve(known)
        },
        failed(error) {
          over()
          reject(error)
        },
      })
      const aborted = (): void => fetch.stop(signal?.reason)
      signal?.addEventListener('abort', aborted, { once: true })
    })
  }

  /**
   * Has the server asked past what is kept, by `ask`, which ends with the signal that it is given. Rejects with the reason of
   * `signal`, with a `NarrowClosedError` once this is closed, or with what `ask` does.
   */
  async live<T>(signal: AbortSignal | undefined, ask: (signal: AbortSignal) => Promise<T>): Promise<T> {
    signal?.throwIfAborted()
    const giveUp = new AbortController()
    const either = signal === undefined ? giveUp.signal : AbortSignal.any([signal, giveUp.signal])
    this.#live.add(giveUp)
    try {
      const answer = await ask(either)
      either.throwIfAborted()
      return answer
    } finally {
      this.#live.delete(giveUp)
    }
  }

  /** Nothing is begun any more. Resolves when all that was told to end has ended. */
  async close(): Promise<void> {
    this.slots.close()
    for (const { tell } of this.#gathered.values()) tell()
    for (const one of this.fetches) one.stop(new NarrowClosedError())
    for (const one of this.#live) one.abort(new NarrowClosedError())
    await Promise.all(this.#ending)
  }
}

function start(reflector: Reflector): void {
  reflector.start()
}
