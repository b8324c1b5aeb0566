import { expect, it } from 'vitest'
import { BucketRateLimiter } from './bucket.ts'
import { ExponentialRateLimiter } from './exponential.ts'
import { MaxOfRateLimiter } from './max-of.ts'

it('C1: doubles the wait of a key from 5 ms to 1000 s, or between the bounds of its options', () => {
  const standard = new ExponentialRateLimiter()
  expect(Array.from({ length: 3 }, () => standard.when('a'))).toEqual([5, 10, 20])
  for (let i = 0; i < 2000; i++) standard.when('a')
  expect([standard.when('a'), standard.failures('a'), standard.when('b')]).toEqual([1_000_000, 2004, 5])
  const own = new ExponentialRateLimiter({ baseMs: 3, maxMs: 10 })
  expect(Array.from({ length: 4 }, () => own.when('a'))).toEqual([3, 6, 10, 10])
  own.forget('a')
  expect([own.failures('a'), own.when('a'), own.failures('a')]).toEqual([0, 3, 1])
})

it('lets 100 retries through at once and then 10 a second, of all keys together', () => {
  const limiter = new BucketRateLimiter()
  const waits = (count: number, now: number): number[] =>
    Array.from({ length: count }, (_, i) => Math.round(limiter.when(`${now}/${i}`, now, undefined)))
  expect(waits(100, 5)).toEqual(Array(100).fill(0))
  expect(waits(3, 5)).toEqual([100, 200, 300])
  expect(waits(2, 255)).toEqual([150, 250])
  // After a long time it is full, and no fuller.
  expect(waits(101, 1e9)).toEqual([...Array(100).fill(0), 100])
  expect([limiter.failures('a'), limiter.forget('a')]).toEqual([0, undefined])
})

it('takes the rate and the burst of its options', () => {
  const limiter = new BucketRateLimiter({ perSecond: 2, burst: 1 })
  expect(Array.from({ length: 3 }, () => limiter.when('a', 0, undefined))).toEqual([0, 500, 1000])
  expect(limiter.when('a', 250, undefined)).toBe(1250)
})

it('keeps no token for a key that is due before the token would come', () => {
  const limiter = new BucketRateLimiter({ perSecond: 10, burst: 1 })
  expect(limiter.when('first', 0, undefined)).toBe(0)
  expect(limiter.when('a', 0, undefined)).toBe(100)
  // Added a thousand times more while it waits, or while it is ready: the line gets no longer.
  for (let i = 0; i < 1000; i++) expect(limiter.when('a', 50, 100)).toBe(50)
  expect(limiter.when('ready', 50, 40)).toBe(0)
  expect(limiter.when('b', 50, undefined)).toBe(150)
  // One that waits longer for another reason gets its turn.
  expect(limiter.when('c', 50, 5000)).toBe(250)
  expect(limiter.when('d', 50, 400)).toBe(350)
  expect(limiter.when('e', 50, undefined)).toBe(350)
})

it('C1: waits as long as the longest of several limiters says, and asks and notifies all', () => {
  const exponential = new ExponentialRateLimiter({ baseMs: 40 })
  const bucket = new BucketRateLimiter({ perSecond: 10, burst: 1 })
  const both = new MaxOfRateLimiter(exponential, bucket)
  expect([1, 2, 3].map(() => both.when('a', 0, undefined))).toEqual([40, 100, 200])
  expect(both.when('a', 0, undefined)).toBe(320)
  expect(both.when('b', 0, 10)).toBe(40)
  expect([both.failures('a'), exponential.failures('a')]).toEqual([4, 4])
  both.forget('a')
  expect([both.failures('a'), both.failures('b')]).toEqual([0, 1])
})
