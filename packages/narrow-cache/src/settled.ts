import type { Timer } from '@wherry/client'
import type { Entry, Readiness, Waiting } from './entry.ts'
import { NarrowClosedError, NarrowTimeoutError } from './errors.ts'
import type { NarrowView } from './narrow-view.ts'
import type { Shared } from './shared.ts'

/** How a read goes on that need not wait. */
export type Settled = Exclude<Readiness, 'wait'>

/**
 * Waits until it is known how a read of `narrow` goes on. Rejects with the signal's reason, a
 * `NarrowTimeoutError` or a `NarrowClosedError`.
 * @param mayAsk who reads can do without the entry: what is stranded is as good as full
 */
export async function settled(
  shared: Shared,
  entry: Entry,
  narrow: NarrowView,
  signal: AbortSignal | undefined,
  mayAsk: boolean,
): Promise<Settled> {
  const { timeoutMs } = shared.settings
  const isBound = timeoutMs !== Number.POSITIVE_INFINITY
  return waited({
    shared,
    entry,
    signal,
    ms: isBound ? timeoutMs : undefined,
    now: () => {
      const readiness = entry.readiness(narrow)
      if (readiness !== 'wait') return readiness
      return mayAsk && entry.isStranded ? 'full' : undefined
    },
    late: () => {
      // What was written may not come back by this watch: the server knows.
      if (entry.isPresent !== undefined) return 'live'
      throw new NarrowTimeoutError(narrow.view.key, entry.key.text, timeoutMs, entry.feeding.lastError)
    },
  })
}

/** Waits until what the cache holds may be read, for `ms` at most. Rejects with the signal's reason or a `NarrowClosedError`. */
export async function untilCached(
  shared: Shared,
  entry: Entry,
  narrow: NarrowView,
  signal: AbortSignal | undefined,
  ms: number,
): Promise<void> {
  const now = (): true | undefined => (entry.readiness(narrow) === 'cached' ? true : undefined)
  await waited({ shared, entry, signal, ms, now, late: () => true })
}

interface Aim<T> {
  readonly shared: Shared
  readonly entry: Entry
  readonly signal: AbortSignal | undefined
  /** `undefined`: for as long as it takes. */
  readonly ms: number | undefined
  /** What is waited for, once it is there. */
  now(): T | undefined
  /** What there is instead, after so long, or throws. */
  late(): T
}

async function waited<T>(aim: Aim<T>): Promise<T> {
  return aim.now() ?? new Promise((resolve, reject) => new Wait({ ...aim, resolve, reject }))
}

interface WaitParts<T> extends Aim<T> {
  resolve(value: T): void
  reject(reason: unknown): void
}

/** One read that waits. */
class Wait<T> implements Waiting {
  readonly #parts: WaitParts<T>
  readonly #timer: Timer | undefined
  readonly #aborted = (): void => this.#fail(this.#parts.signal?.reason)

  constructor(parts: WaitParts<T>) {
    const { shared, entry, signal, ms } = parts
    this.#parts = parts
    this.#timer = ms === undefined ? undefined : shared.environment.clock.timer(ms, () => this.#late())
    signal?.addEventListener('abort', this.#aborted, { once: true })
    entry.follow(this)
  }

  news(): void {
    const value = this.#parts.now()
    if (value !== undefined) this.#settle(value)
  }

  over(): void {
    this.#fail(new NarrowClosedError())
  }

  #late(): void {
    try {
      this.#settle(this.#parts.late())
    } catch (error) {
      this.#fail(error)
    }
  }

  #settle(value: T): void {
    this.#end()
    this.#parts.resolve(value)
  }

  #fail(reason: unknown): void {
    this.#end()
    this.#parts.reject(reason)
  }

  #end(): void {
    const { entry, signal } = this.#parts
    this.#timer?.cancel()
    signal?.removeEventListener('abort', this.#aborted)
    entry.unfollow(this)
  }
}
