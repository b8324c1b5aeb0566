import { AsyncLocalStorage } from 'node:async_hooks'
import type { Environment, ErrorContext, WatchContext } from '@wherry/client'
import { type Gate, type Reflector, StreamingSupport } from '@wherry/informer'
import { ConcurrencyLimit } from './concurrency-limit.ts'
import { NarrowClosedError } from './errors.ts'
import type { Settings } from './options.ts'
import { RateLimiter } from './rate-limiter.ts'

/** One request to watch again in so many milliseconds: 100 a second. */
const againEveryMs = 10

/** How long failures that are alike are gathered before they are told as one, in milliseconds. */
const gatherMs = 1000

/** The state that all entries of a cache share. */
export class CacheContext {
  readonly settings: Settings
  readonly environment: Environment
  /** For watches of one object. Of a compressed one the decompressor would stay for as long as the watch does. */
  readonly context: WatchContext
  readonly streaming: StreamingSupport
  /** Paces the watches that are opened again, so that a server that comes back is not flooded (rule N14). */
  readonly gate: Gate
  /** Calls a function in the async context of the code that made this cache: what it begins would keep that of its first reader. */
  readonly apart: ReturnType<typeof AsyncLocalStorage.snapshot> = AsyncLocalStorage.snapshot()
  /** Bounds the lists that are under way. */
  readonly requests: ConcurrencyLimit
  readonly #gathered = new Map<string, { count: number; readonly tell: () => void }>()
  readonly #closing = new AbortController()
  readonly #ending = new Set<Promise<void>>()
  #streams = 0

  constructor(settings: Settings) {
    this.settings = settings
    this.environment = settings.client.environment
    this.context = { ...settings.client.context, gzip: false }
    this.streaming = new StreamingSupport(this.environment.clock)
    this.gate = new RateLimiter(this.environment.clock, againEveryMs)
    this.requests = new ConcurrencyLimit(settings.maxOpening)
  }

  /** Watches that are open, or being opened. */
  get streams(): number {
    return this.#streams
  }

  /** Opens a watch. */
  open(reflector: Reflector): void {
    this.#stream(1)
    this.apart(() => reflector.start())
  }

  /** Stops a watch. */
  stop(reflector: Reflector): void {
    this.#stream(-1)
    const ending = reflector.stop()
    this.#ending.add(ending)
    void ending.then(() => this.#ending.delete(ending))
  }

  count(metric: string, resource: string): void {
    this.environment.metrics.count(metric, { resource })
  }

  /** Tells `onError` within a second. Failures of a resource that are alike are told as one, with their count. */
  tell(error: Error, about: ErrorContext): void {
    const { name, code, status } = error as Error & { readonly code?: unknown; readonly status?: unknown }
    const kind = [about.resource, about.phase, name, code, status].join()
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

  get isClosed(): boolean {
    return this.#closing.signal.aborted
  }

  /** A signal that ends with another one, or with a `NarrowClosedError` when this is closed. */
  ending(signal: AbortSignal | undefined): AbortSignal {
    return signal === undefined ? this.#closing.signal : AbortSignal.any([signal, this.#closing.signal])
  }

  /** Nothing is begun any more. */
  close(): void {
    this.#closing.abort(new NarrowClosedError())
  }

  /** Tells what was gathered. Resolves when all watches have ended. */
  async ended(): Promise<void> {
    for (const { tell } of this.#gathered.values()) tell()
    await Promise.all(this.#ending)
  }

  #stream(more: 1 | -1): void {
    this.#streams += more
    this.environment.metrics.gauge('wherry_narrow_streams', this.#streams)
  }
}
