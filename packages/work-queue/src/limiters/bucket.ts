import { checkFields, number } from '../check.ts'
import type { RateLimiter } from './rate-limiter.ts'

/** Options of {@link BucketRateLimiter}. */
export interface BucketOptions {
  /** How many retries a second in the long run, of all keys together, 0.001 or more. @default 10 */
  readonly perSecond?: number | undefined
  /** How many retries may come at once after a quiet time, a whole number, 1 or more. @default 100 */
  readonly burst?: number | undefined
}

/**
 * A token bucket over all keys, as client-go's `BucketRateLimiter`: 10 retries a second, 100 at once.
 *
 * Each retry takes a token, or waits for a future token; any number of keys can wait. A key that is
 * due before its token would come takes none. (In client-go, each further add of a waiting key takes
 * another token, so repeated adds make the waits grow without bound.)
 *
 * It records no failures of keys, so `failures` is always 0 and `forget` does nothing.
 *
 * @example
 * ```ts
 * import { BucketRateLimiter, WorkQueue } from '@wherry/work-queue'
 *
 * const queue = new WorkQueue({ rateLimiter: new BucketRateLimiter({ perSecond: 5, burst: 20 }) })
 * queue.add('arcade/chess')
 * const key = await queue.take()
 * if (key !== undefined) {
 *   queue.addRateLimited(key) // at once, since a token is left
 *   queue.done(key)
 * }
 * ```
 */
export class BucketRateLimiter<K = string> implements RateLimiter<K> {
  readonly #perMs: number
  readonly #burst: number
  /** The number of tokens that are left; if negative, the number of future tokens that waiting keys have reserved. */
  #tokens: number
  #filledAt: number | undefined

  constructor(options: BucketOptions = {}) {
    checkFields('BucketRateLimiter', options, ['perSecond', 'burst'])
    this.#perMs = number('BucketRateLimiter.perSecond', options.perSecond, 10, { min: 0.001 }) / 1000
    this.#burst = number('BucketRateLimiter.burst', options.burst, 100, { min: 1, whole: true })
    this.#tokens = this.#burst
  }

  when(_key: K, now: number, due: number | undefined): number {
    this.#tokens = Math.min(this.#burst, this.#tokens + (now - (this.#filledAt ?? now)) * this.#perMs)
    this.#filledAt = now
    const wait = Math.max(0, (1 - this.#tokens) / this.#perMs)
    if (due !== undefined && due - now <= wait) return Math.max(0, due - now)
    this.#tokens -= 1
    return wait
  }

  forget(_key: K): void {}

  failures(_key: K): number {
    return 0
  }
}
