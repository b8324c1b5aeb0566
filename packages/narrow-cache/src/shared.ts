import {
  type Environment,
  listQuery,
  type ReadTarget,
  readItems,
  TimeoutError,
  type WatchContext,
} from '@wherry/client'
import { type Gate, StreamingSupport } from '@wherry/informer'
import PQueue from 'p-queue'
import type { Settings } from './options.ts'
import type { Known } from './source.ts'
import { Turnstile } from './turnstile.ts'

/** How long a fetch may take, in milliseconds: kube-apiserver gives up after 60 s by itself. */
const fetchMs = 65_000

/** One request to watch again in so many milliseconds: 100 a second. */
const againEveryMs = 10

/** What all entries of a cache share. */
export class Shared {
  readonly settings: Settings
  readonly environment: Environment
  /** For watches of one object. Of a compressed one the decompressor would stay for as long as the watch does. */
  readonly context: WatchContext
  readonly streaming: StreamingSupport
  /** What watches pass that are opened again, so that a server that comes back is not flooded (rule N14). */
  readonly gate: Gate
  /** Opens and fetches, so many at a time. */
  readonly #queue: PQueue
  readonly #ending = new Set<Promise<void>>()
  readonly #stop = new AbortController()
  #streams = 0

  constructor(settings: Settings) {
    this.settings = settings
    this.environment = settings.client.environment
    this.context = { ...settings.client.context, gzip: false }
    this.streaming = new StreamingSupport(this.environment.clock)
    this.gate = new Turnstile(this.environment.clock, againEveryMs)
    this.#queue = new PQueue({ concurrency: settings.maxOpening })
  }

  /** Watches that are open, or being opened. */
  get streams(): number {
    return this.#streams
  }

  /** Tasks that have not begun. */
  get waiting(): number {
    return this.#queue.size
  }

  /** Does it when its turn comes; it must not reject. */
  queue(task: () => Promise<void>): void {
    void this.#queue.add(task)
  }

  opened(): void {
    this.#streams += 1
    this.environment.metrics.gauge('wherry_narrow_streams', this.#streams)
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

  /** Lists what `target` selects, one object at most, as it is now. Rejects with the signal's reason, too. */
  async fetch(target: ReadTarget, signal?: AbortSignal | undefined): Promise<Known> {
    const { clock } = this.environment
    const { context } = this.settings.client
    const giveUp = new AbortController()
    const stop = (): void => giveUp.abort(this.#stop.signal.reason)
    const leave = (): void => giveUp.abort(signal?.reason)
    const timer = clock.timer(fetchMs, () => giveUp.abort(new TimeoutError(fetchMs, { method: 'GET', ...target })))
    this.#stop.signal.addEventListener('abort', stop, { once: true })
    signal?.addEventListener('abort', leave, { once: true })
    let object: object | undefined
    let bytes = 0
    try {
      const received = (item: object, length: number): void => {
        object = item
        bytes = length
      }
      const options = { signal: giveUp.signal, maxItemBytes: this.settings.maxObjectBytes }
      const { metadata } = await readItems(context, target, listQuery(target.selection, {}), received, options)
      return { object, bytes, resourceVersion: metadata.resourceVersion }
    } finally {
      timer.cancel()
      this.#stop.signal.removeEventListener('abort', stop)
      signal?.removeEventListener('abort', leave)
    }
  }

  /** Nothing is begun any more. Resolves when all that was told to end has ended. */
  async close(): Promise<void> {
    this.#queue.clear()
    this.#stop.abort()
    await Promise.all(this.#ending)
  }
}
