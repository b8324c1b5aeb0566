import { AsyncLocalStorage } from 'node:async_hooks'
import type { Clock, Timer } from '@wherry/client'

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
  /** The one that was read longest ago comes first. */
  readonly #order = new Set<Entry>()
  readonly #apart = AsyncLocalStorage.snapshot()
  #timer: Timer | undefined

  constructor(options: IdleOptions<Entry>) {
    this.#options = options
  }

  get size(): number {
    return this.#order.size
  }

  /** It is idle from now on. */
  add(entry: Entry): void {
    const { clock, idleMs, max, evict } = this.#options
    if (idleMs === 0) return evict(entry)
    entry.readAt = clock.monotonic()
    this.#order.delete(entry)
    this.#order.add(entry)
    const oldest = this.#order.size > max ? this.take() : undefined
    if (oldest !== undefined) evict(oldest)
    if (this.#timer === undefined && idleMs !== Number.POSITIVE_INFINITY) this.#arm(idleMs)
  }

  /** It was read. Does nothing where it is not idle. */
  touch(entry: Entry): void {
    if (!this.#order.delete(entry)) return
    this.#order.add(entry)
    entry.readAt = this.#options.clock.monotonic()
  }

  remove(entry: Entry): void {
    this.#order.delete(entry)
    if (this.#order.size === 0) this.#disarm()
  }

  /** What was read longest ago; no longer among them. */
  take(): Entry | undefined {
    const [oldest] = this.#order
    if (oldest !== undefined) this.remove(oldest)
    return oldest
  }

  close(): void {
    this.#disarm()
    this.#order.clear()
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
    // One walk: from the front again it would pass over the places of all that have gone.
    for (const oldest of this.#order) {
      const leftMs = oldest.readAt + idleMs - clock.monotonic()
      if (leftMs > 0) return this.#arm(leftMs)
      this.#order.delete(oldest)
      evict(oldest)
    }
  }
}
