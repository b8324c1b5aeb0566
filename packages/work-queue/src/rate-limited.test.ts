import { expect, it } from 'vitest'
import { FakeClock, takeAll } from './fake-clock.fixture.ts'
import { BucketRateLimiter } from './limiters/bucket.ts'
import type { RateLimiter } from './limiters/rate-limiter.ts'
import { Priority } from './priority.ts'
import { WorkQueue } from './work-queue.ts'

function queueOnFakeClock(rateLimiter?: RateLimiter<string>): { readonly clock: FakeClock; readonly queue: WorkQueue } {
  const clock = new FakeClock()
  return { clock, queue: new WorkQueue({ clock, rateLimiter }) }
}

/** Fails a key as a worker does; gives how long it waits then. */
function fail({ clock, queue }: ReturnType<typeof queueOnFakeClock>, key: string): number {
  const before = clock.monotonic()
  queue.addRateLimited(key)
  queue.done(key)
  while (queue.size === 0) clock.advance(clock.asked.at(-1) as number)
  return clock.monotonic() - before
}

it('C1: lets a key that fails wait 5 ms, twice as long each time, up to 1000 s, each key for itself', () => {
  const all = queueOnFakeClock()
  const { queue } = all
  queue.add('a')
  const waits: number[] = []
  for (let i = 0; i < 20; i++) {
    expect(queue.failures('a')).toBe(i)
    expect(queue.tryTake()).toBe('a')
    waits.push(fail(all, 'a'))
  }
  expect(waits).toEqual([...Array.from({ length: 18 }, (_, i) => 5 * 2 ** i), 1_000_000, 1_000_000])
  expect(queue.failures('a')).toBe(20)
  queue.add('b', { priority: 1 })
  expect(queue.tryTake()).toBe('b')
  expect(queue.tryTake()).toBe('a')
  queue.forget('a')
  expect([fail(all, 'b'), queue.failures('a'), queue.failures('b')]).toEqual([5, 0, 1])
})

it('counts a failure for each call, and keeps the earliest time', () => {
  const { queue, clock } = queueOnFakeClock()
  for (let i = 0; i < 3; i++) queue.addRateLimited('a')
  expect([queue.failures('a'), queue.delayed]).toEqual([3, 1])
  clock.advance(5)
  expect(takeAll(queue)).toEqual(['a'])
})

it('runs a key that fails and was added meanwhile again without a wait', () => {
  const { queue } = queueOnFakeClock()
  queue.add('a')
  queue.tryTake()
  queue.add('a')
  queue.addRateLimited('a')
  queue.done('a')
  expect([queue.size, queue.delayed, queue.failures('a')]).toEqual([1, 0, 1])
})

it('retries a key with the priority that it ran with, unless it is given another', () => {
  const { queue, clock } = queueOnFakeClock()
  for (const key of ['kept', 'given']) queue.add(key, { priority: Priority.low })
  queue.tryTake()
  queue.tryTake()
  queue.addRateLimited('kept')
  queue.addRateLimited('given', { priority: 7 })
  queue.addRateLimited('new')
  queue.done('kept')
  queue.done('given')
  clock.advance(5)
  expect(['kept', 'given', 'new'].map(key => queue.priorityOf(key))).toEqual([-100, 7, 0])
  queue.addRateLimited('kept')
  expect(queue.priorityOf('kept')).toBe(-100)
})

it('passes the limiter the time, and when the key is due anyway', () => {
  const asked: unknown[] = []
  const { queue, clock } = queueOnFakeClock({
    when(key, now, due) {
      asked.push([key, now, due])
      return 50
    },
    forget: key => asked.push(['forget', key]),
    failures: () => 42,
  })
  queue.addRateLimited('a')
  clock.advance(10)
  queue.addRateLimited('a')
  queue.add('a')
  queue.addRateLimited('a')
  queue.tryTake()
  queue.addRateLimited('a')
  queue.add('a')
  queue.addRateLimited('a')
  queue.forget('a')
  expect(asked).toEqual([
    ['a', 1000, undefined],
    ['a', 1010, 1050],
    ['a', 1010, 1010],
    ['a', 1010, undefined],
    ['a', 1010, 1010],
    ['forget', 'a'],
  ])
  expect(queue.failures('a')).toBe(42)
})

it('hands a key out at once when its limiter gives 0', () => {
  const { queue } = queueOnFakeClock(new BucketRateLimiter())
  queue.addRateLimited('a')
  expect([queue.size, queue.delayed]).toEqual([1, 0])
})

it('X6: adds nothing when the limiter gives no time, or throws', () => {
  for (const delay of [Number.NaN, -1, Number.POSITIVE_INFINITY, 'soon' as unknown as number]) {
    const { queue } = queueOnFakeClock({ when: () => delay, forget() {}, failures: () => 0 })
    expect(() => queue.addRateLimited('a')).toThrow(
      expect.objectContaining({ code: 'INVALID_OPTION', option: 'rateLimiter' }),
    )
    expect([queue.size, queue.delayed]).toEqual([0, 0])
  }
  const problem = new Error('of the limiter')
  const throwing = (): never => {
    throw problem
  }
  const { queue } = queueOnFakeClock({ when: throwing, forget: throwing, failures: throwing })
  expect(() => queue.addRateLimited('a')).toThrow(problem)
  expect([queue.size, queue.delayed]).toEqual([0, 0])
})
