import { checkFields, number } from '../check.ts'
import { OptionRangeError } from '../option.ts'
import type { RateLimiter } from './rate-limiter.ts'

/** Options of {@link ExponentialRateLimiter}. */
export interface ExponentialOptions {
  /** The wait after the first failure, in milliseconds, 1 or more. @default 5 */
  readonly baseMs?: number | undefined
  /** The longest wait, in milliseconds, `baseMs` or more. @default 1_000_000 */
  readonly maxMs?: number | undefined
}

/**
 * Doubles the wait with each failure of the same key: 5 ms, 10 ms, 20 ms … 1000 s, as client-go's
 * `ItemExponentialFailureRateLimiter` does.
 *
 * Failures are remembered until `forget`: call it when a key has succeeded, and when it is gone.
 *
 * @example
 * ```ts
 * import { ExponentialRateLimiter, WorkQueue } from '@wherry/work-queue'
 *
 * const queue = new WorkQueue({ rateLimiter: new ExponentialRateLimiter({ baseMs: 100, maxMs: 60_000 }) })
 * queue.addRateLimited('arcade/chess') // after 100 ms
 * console.log(queue.failures('arcade/chess')) // 1
 * queue.forget('arcade/chess') // the next failure waits 100 ms again
 * ```
 */
export class ExponentialRateLimiter<K = string> implements RateLimiter<K> {
  readonly #baseMs: number
  readonly #maxMs: number
  readonly #failures = new Map<K, number>()

  constructor(options: ExponentialOptions = {}) {
    checkFields('ExponentialRateLimiter', options, ['baseMs', 'maxMs'])
    this.#baseMs = number('ExponentialRateLimiter.baseMs', options.baseMs, 5, { min: 1 })
    this.#maxMs = number('ExponentialRateLimiter.maxMs', options.maxMs, 1_000_000, { min: 1 })
    if (this.#maxMs < this.#baseMs) {
      throw new OptionRangeError('ExponentialRateLimiter.maxMs', `baseMs (${this.#baseMs}) or more`, `${this.#maxMs}`)
    }
  }

  when(key: K): number {
    const before = this.failures(key)
    this.#failures.set(key, before + 1)
    return Math.min(this.#baseMs * 2 ** before, this.#maxMs)
  }

  forget(key: K): void {
    this.#failures.delete(key)
  }

  failures(key: K): number {
    return this.#failures.get(key) ?? 0
  }
}
