import { describe, expect, it } from 'vitest'
import { TokenBucket } from './token-bucket.ts'

/** How many tokens can be taken at `now`. */
function taken(bucket: TokenBucket, now: number): number {
  let count = 0
  while (bucket.tryTake(now)) count += 1
  return count
}

describe('a token bucket', () => {
  it('has the burst at first, then one token each interval, and never more than the burst', () => {
    const bucket = new TokenBucket(3, 10)
    expect([0, 9, 10, 35, 1000].map(now => taken(bucket, now))).toEqual([3, 0, 1, 2, 3])
  })

  it('names the wait for the next token in whole milliseconds, and counts less than one as none', () => {
    const bucket = new TokenBucket(1, 10)
    expect(bucket.waitMs(5)).toBe(0)
    bucket.take(5)
    expect([5, 5.5, 14, 14.5, 15].map(now => bucket.waitMs(now))).toEqual([10, 10, 1, 0, 0])
  })

  it('promises tokens that are still to come', () => {
    const bucket = new TokenBucket(2, 10)
    for (let i = 0; i < 4; i++) bucket.take(0)
    expect(bucket.waitMs(0)).toBe(30)
    expect(taken(bucket, 29)).toBe(0)
    expect(taken(bucket, 30)).toBe(1)
  })

  it('keeps its rate over a long time, though waits are rounded and the interval is no whole number', () => {
    const bucket = new TokenBucket(5, 1000 / 300)
    let [now, count] = [0, 0]
    while (now < 60_000) {
      const waitMs = bucket.waitMs(now)
      if (waitMs > 0) now += waitMs
      else {
        bucket.take(now)
        count += 1
      }
    }
    expect(Math.abs(count - 18_000)).toBeLessThanOrEqual(6)
  })

  it('with an interval of 0 has no limit', () => {
    expect(new TokenBucket(1, 0).waitMs(0)).toBe(0)
    const bucket = new TokenBucket(1, 0)
    for (let i = 0; i < 100; i++) bucket.take(1)
    expect(bucket.waitMs(1)).toBe(0)
  })
})
