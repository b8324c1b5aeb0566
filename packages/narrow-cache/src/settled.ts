import type { Timer } from '@wherry/client'
import type { Entry, Readiness, Waiting } from './entry.ts'
import { NarrowClosedError, NarrowTimeoutError } from './errors.ts'
import type { NarrowView } from './narrow-view.ts'
import type { Shared } from './shared.ts'

/** How a read goes on that need not wait. */
export type Settled = Exclude<Readiness, 'wait'>

/**
 * Waits until it is known how a read of `narrow` goes on, by `readiness`. Rejects with the signal's reason, a
 * `NarrowTimeoutError` or a `NarrowClosedError`.
 */
export async function settled(
  shared: Shared,
  entry: Entry,
  narrow: NarrowView,
  signal: AbortSignal | undefined,
  readiness: () => Readiness = () => entry.readiness(narrow),
): Promise<Settled> {
  const now = readiness()
  if (now !== 'wait') return now
  return new Promise((resolve, reject) => new Wait({ shared, entry, narrow, signal, readiness, resolve, reject }))
}

interface WaitParts {
  readonly shared: Shared
  readonly entry: Entry
  readonly narrow: NarrowView
  readonly signal: AbortSignal | undefined
  readiness(): Readiness
  resolve(readiness: Settled): void
  reject(reason: unknown): void
}

/** One read that waits. */
class Wait implements Waiting {
  readonly #parts: WaitParts
  readonly #timer: Timer | undefined
  readonly #aborted = (): void => this.#fail(this.#parts.signal?.reason)

  constructor(parts: WaitParts) {
    const { shared, entry, signal } = parts
    const { timeoutMs } = shared.settings
    const isBound = timeoutMs !== Number.POSITIVE_INFINITY
    this.#parts = parts
    this.#timer = isBound ? shared.environment.clock.timer(timeoutMs, () => this.#late()) : undefined
    signal?.addEventListener('abort', this.#aborted, { once: true })
    entry.follow(this)
  }

  news(): void {
    const readiness = this.#parts.readiness()
    if (readiness !== 'wait') this.#settle(readiness)
  }

  over(): void {
    this.#fail(new NarrowClosedError())
  }

  #late(): void {
    const { entry, narrow, shared } = this.#parts
    // What was written may not come back by this watch: the server knows.
    if (entry.isPresent !== undefined) this.#settle('live')
    else {
      const { timeoutMs } = shared.settings
      this.#fail(new NarrowTimeoutError(narrow.view.key, entry.key.text, timeoutMs, entry.feeding.lastError))
    }
  }

  #settle(readiness: Settled): void {
    this.#end()
    this.#parts.resolve(readiness)
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
