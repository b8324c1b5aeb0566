import { having } from '../check.ts'
import { OptionRangeError } from '../option.ts'
import type { RateLimiter } from './rate-limiter.ts'

/**
 * Combines several limiters: each is called, and the longest wait counts, as does the greatest number of failures.
 *
 * `new MaxOfRateLimiter(new ExponentialRateLimiter(), new BucketRateLimiter())` is client-go's
 * `DefaultControllerRateLimiter`.
 *
 * @example
 * ```ts
 * import { BucketRateLimiter, ExponentialRateLimiter, MaxOfRateLimiter, WorkQueue } from '@wherry/work-queue'
 *
 * const perKey = new ExponentialRateLimiter({ baseMs: 100, maxMs: 60_000 })
 * const overall = new BucketRateLimiter({ perSecond: 5, burst: 20 })
 * const queue = new WorkQueue({ rateLimiter: new MaxOfRateLimiter(perKey, overall) })
 * ```
 */
export class MaxOfRateLimiter<K = string> implements RateLimiter<K> {
  readonly #limiters: readonly RateLimiter<K>[]

  constructor(...limiters: readonly RateLimiter<K>[]) {
    if (limiters.length === 0) throw new OptionRangeError('MaxOfRateLimiter', 'one limiter or more', 'none')
    limiters.forEach((limiter, index) => {
      checkLimiter(`MaxOfRateLimiter[${index}]`, limiter ?? null)
    })
    this.#limiters = limiters
  }

  when(key: K, now: number, due: number | undefined): number {
    return this.#limiters.reduce((longest, limiter) => Math.max(longest, limiter.when(key, now, due)), 0)
  }

  forget(key: K): void {
    for (const limiter of this.#limiters) limiter.forget(key)
  }

  failures(key: K): number {
    return this.#limiters.reduce((most, limiter) => Math.max(most, limiter.failures(key)), 0)
  }
}

/** Throws unless `limiter` is a {@link RateLimiter} or undefined. */
export function checkLimiter(option: string, limiter: unknown): void {
  having(option, limiter, 'when', 'forget', 'failures')
}
