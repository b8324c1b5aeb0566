import { AsyncLocalStorage } from 'node:async_hooks'
import type { Clock, Timer } from '@wherry/client'
import { LRUCache } from 'lru-cache'

/** When it was read last, on the monotonic clock. */
export interface Readable {
  readAt: number
}

export interface IdleOptions<Entry> {
  readonly clock: Clock
  readonly idleMs: number
  readonly max: number
  /** An entry is to be closed: it was idle for long enough, or there are too many. */
  readonly evict: (entry: Entry) => void
}

/**
 * The entries that nobody subscribes to or waits for, in the order of their last read. One timer for all of them: what was
 * read longest ago expires first. It runs in the async context of who has made this, not of who happens to read first.
 */
export class Idle<Entry extends Readable> {
  readonly #options: IdleOptions<Entry>
  readonly #lru: LRUCache<Entry, Entry>
  readonly #apart = AsyncLocalStorage.snapshot()
  #timer: Timer | undefined

  constructor(options: IdleOptions<Entry>) {
    this.#options = options
    this.#lru = new LRUCache<Entry, Entry>({
      // By size, each being 1: by number alone it would make room for as many in advance.
      maxSize: options.max,
      sizeCalculation: () => 1,
      dispose: (entry, _, reason) => {
        if (reason === 'evict') options.evict(entry)
      },
    })
  }

  get size(): number {
    return this.#lru.size
  }

  /** It is idle from now on. */
  add(entry: Entry): void {
    const { clock, idleMs, evict } = this.#options
    if (idleMs === 0) return evict(entry)
    entry.readAt = clock.monotonic()
    this.#lru.set(entry, entry)
    if (this.#timer === undefined && idleMs !== Number.POSITIVE_INFINITY) this.#arm(idleMs)
  }

  /** It was read. Does nothing where it is not idle. */
  touch(entry: Entry): void {
    if (this.#lru.get(entry) !== undefined) entry.readAt = this.#options.clock.monotonic()
  }

  remove(entry: Entry): void {
    this.#lru.delete(entry)
    if (this.#lru.size === 0) this.#disarm()
  }

  /** What was read longest ago; no longer among them. */
  take(): Entry | undefined {
    const oldest = this.#oldest
    if (oldest !== undefined) this.remove(oldest)
    return oldest
  }

  close(): void {
    this.#disarm()
    this.#lru.clear()
  }

  get #oldest(): Entry | undefined {
    for (const entry of this.#lru.rvalues()) return entry
    return undefined
  }

  #arm(ms: number): void {
    const { clock } = this.#options
    this.#timer = this.#apart(() => clock.timer(Math.max(1, ms), () => this.#expire()))
  }

  #disarm(): void {
    this.#timer?.cancel()
    this.#timer = undefined
  }

  #expire(): void {
    const { clock, idleMs, evict } = this.#options
    this.#timer = undefined
    for (let oldest = this.#oldest; oldest !== undefined; oldest = this.#oldest) {
      const leftMs = oldest.readAt + idleMs - clock.monotonic()
      if (leftMs > 0) return this.#arm(leftMs)
      this.#lru.delete(oldest)
      evict(oldest)
    }
  }
}
