import { AsyncLocalStorage } from 'node:async_hooks'
import type { Environment, ErrorContext } from '@wherry/client'
import { InvalidObjectError } from '@wherry/client/internal'
import { HeldReads, type Pacer, type Reflector, type ReflectorSettings, settingsOf } from '@wherry/informer/internal'
import { ConcurrencyLimit } from './concurrency-limit.ts'
import type { Settings } from './options.ts'
import { RequestPacer } from './request-pacer.ts'

/** The interval between requests that reopen watches, in milliseconds: 100 a second. */
const againEveryMs = 10

/** How long a watch is asked to last, in seconds: many short ones would make requests all the time (rule N11). */
const timeoutSeconds = { min: 1800, max: 3600 }

/** How long equal failures are collected before they are reported as one, in milliseconds. */
const gatherMs = 1000

/** The state that all entries of a cache share. */
export class CacheContext {
  readonly settings: Settings
  readonly environment: Environment
  /** Paces the watches that are reopened, so that a server that is back is not flooded (rule N14). */
  readonly pacer: Pacer
  /** Which objects may not be read yet. */
  readonly held: HeldReads = new HeldReads()
  /**
   * The settings of an entry's own watches. The first watch begins as a streaming list. A watch that reads the entry again begins with a list, which may be
   * enough.
   */
  readonly first: ReflectorSettings
  readonly again: ReflectorSettings
  /** Calls a function in the async context in which the cache was made: otherwise a watch would keep the context of its first reader in memory. */
  readonly apart: ReturnType<typeof AsyncLocalStorage.snapshot> = AsyncLocalStorage.snapshot()
  /** Bounds the lists that are under way. */
  readonly requests: ConcurrencyLimit
  /** Aborted when the cache is closed: nothing is begun any more. */
  readonly closing: AbortController = new AbortController()
  /** Watches that are open, or being opened. */
  streams = 0
  readonly #gathered = new Map<string, { count: number; readonly report: () => void }>()
  readonly #ending = new Set<Promise<void>>()

  constructor(settings: Settings) {
    const { environment } = settings.client
    this.settings = settings
    this.environment = environment
    this.pacer = new RequestPacer(environment.clock, againEveryMs)
    this.requests = new ConcurrencyLimit(settings.maxOpening)
    const client = {
      // Not compressed: otherwise each watch would keep a decompressor in memory.
      raw: { ...settings.client.raw, gzip: false },
      environment: {
        ...environment,
        random: () => environment.random(),
        onError: (error: Error, context: ErrorContext) => {
          // The entry itself reports these failures, with its key.
          const isOfEntry = context.phase === 'list' || context.phase === 'watch'
          if (!isOfEntry || error instanceof InvalidObjectError) environment.onError(error, context)
        },
      },
    }
    const { maxObjectBytes } = settings
    this.first = settingsOf({
      client,
      firstList: 'newest',
      pacer: this.pacer,
      held: this.held,
      timeoutSeconds,
      maxObjectBytes,
    })
    this.again = { ...this.first, initial: 'whole' }
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

  /** Reports to `onError` within a second. Equal failures of a resource are reported as one, with their count. */
  report(error: Error, about: ErrorContext): void {
    const { name, code, status } = error as Error & { readonly code?: unknown; readonly status?: unknown }
    const kind = [about.resource, about.phase, name, code, status].join()
    const alike = this.#gathered.get(kind)
    if (alike !== undefined) return void alike.count++
    const one = {
      count: 1,
      report: () => {
        timer.cancel()
        this.#gathered.delete(kind)
        this.environment.onError(error, one.count > 1 ? { ...about, count: one.count } : about)
      },
    }
    const timer = this.environment.clock.timer(gatherMs, one.report)
    this.#gathered.set(kind, one)
  }

  /** Reports the collected failures. Resolves when all watches have ended. */
  async ended(): Promise<void> {
    for (const { report } of this.#gathered.values()) report()
    await Promise.all(this.#ending)
  }

  #stream(more: 1 | -1): void {
    this.streams += more
    this.environment.metrics.gauge('wherry_narrow_streams', this.streams)
  }
}
