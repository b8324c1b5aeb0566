import { expect, it } from 'vitest'
import { FakeClock, takeAll } from './fake-clock.fixture.ts'
import { WorkQueue } from './work-queue.ts'

function queueOnFakeClock(): { readonly clock: FakeClock; readonly queue: WorkQueue } {
  const clock = new FakeClock()
  return { clock, queue: new WorkQueue({ clock }) }
}

it('C1: hands a delayed key out when its time has come and not before', () => {
  const { queue, clock } = queueOnFakeClock()
  queue.add('a', { afterMs: 30 })
  expect([queue.size, queue.delayed, queue.tryTake()]).toEqual([0, 1, undefined])
  clock.advance(29.9)
  expect([queue.size, queue.delayed, queue.tryTake()]).toEqual([0, 1, undefined])
  clock.advance(0.1)
  expect([queue.size, queue.delayed]).toEqual([1, 0])
  expect(takeAll(queue)).toEqual(['a'])
})

it('C1: keeps the earliest of several delays, whichever came first', () => {
  const { queue, clock } = queueOnFakeClock()
  queue.add('a', { afterMs: 50 })
  queue.add('a', { afterMs: 20 })
  queue.add('b', { afterMs: 20 })
  queue.add('b', { afterMs: 50 })
  expect(queue.delayed).toBe(2)
  clock.advance(20)
  expect(takeAll(queue)).toEqual(['a', 'b'])
  clock.advance(1000)
  expect(takeAll(queue)).toEqual([])
})

it('makes a delayed key ready when it is added without delay, and nothing of the delay is left', () => {
  const { queue, clock } = queueOnFakeClock()
  queue.add('a', { afterMs: 50 })
  queue.add('a')
  expect([queue.size, queue.delayed, clock.timers]).toEqual([1, 0, 0])
  queue.add('a', { afterMs: 10 })
  expect(queue.delayed).toBe(0)
  expect(takeAll(queue)).toEqual(['a'])
  clock.advance(1000)
  expect(takeAll(queue)).toEqual([])
})

it('keeps the highest priority of the adds of a delayed key', () => {
  const { queue, clock } = queueOnFakeClock()
  queue.add('a', { afterMs: 10, priority: 5 })
  queue.add('a', { afterMs: 5, priority: 1 })
  queue.add('b', { afterMs: 5, priority: 3 })
  queue.add('c', { afterMs: 5, priority: 1 })
  queue.add('c', { afterMs: 9, priority: 4 })
  clock.advance(5)
  expect(takeAll(queue)).toEqual(['a', 'c', 'b'])
})

it('orders keys that are due at the same time by priority, and equal ones by their adds', () => {
  const { queue, clock } = queueOnFakeClock()
  for (const key of ['a', 'b', 'c', 'd', 'e']) queue.add(key, { afterMs: 10, priority: key === 'd' ? 1 : 0 })
  clock.advance(10)
  expect(takeAll(queue)).toEqual(['d', 'a', 'b', 'c', 'e'])
})

it('orders keys that are due one after the other by when they became ready', () => {
  const { queue, clock } = queueOnFakeClock()
  queue.add('late', { afterMs: 30 })
  queue.add('early', { afterMs: 10 })
  clock.advance(20)
  queue.add('now')
  clock.advance(20)
  expect(takeAll(queue)).toEqual(['early', 'now', 'late'])
})

it('delays a key that runs until its time and its done have both come', () => {
  const { queue, clock } = queueOnFakeClock()
  queue.add('a')
  queue.tryTake()
  queue.add('a', { afterMs: 10 })
  expect([queue.size, queue.delayed, queue.running]).toEqual([0, 1, 1])
  queue.done('a')
  expect([queue.size, queue.delayed, queue.running]).toEqual([0, 1, 0])
  clock.advance(10)
  expect(queue.tryTake()).toBe('a')
  queue.add('a', { afterMs: 10 })
  clock.advance(10)
  expect([queue.size, queue.delayed, queue.tryTake()]).toEqual([1, 0, undefined])
  queue.done('a')
  expect(takeAll(queue)).toEqual(['a'])
})

it('sets one timer however many keys are delayed, and none when none is', () => {
  const { queue, clock } = queueOnFakeClock()
  for (let i = 0; i < 100; i++) queue.add(`${i}`, { afterMs: 100 + ((i * 37) % 100) })
  expect(clock.timers).toBe(1)
  expect(clock.asked).toEqual([100])
  queue.add('first', { afterMs: 1 })
  expect([clock.timers, clock.asked.at(-1)]).toEqual([1, 1])
  clock.advance(150)
  expect([clock.timers, queue.size, queue.delayed]).toEqual([1, 52, 49])
  clock.advance(50)
  expect([clock.timers, queue.size, queue.delayed]).toEqual([0, 101, 0])
})

it('waits no longer for the time of a key that was removed than for the next one', () => {
  const { queue, clock } = queueOnFakeClock()
  queue.add('a', { afterMs: 10 })
  queue.add('b', { afterMs: 20 })
  queue.remove('a')
  clock.advance(10)
  expect([queue.size, clock.timers]).toEqual([0, 1])
  clock.advance(10)
  expect([queue.size, clock.timers]).toEqual([1, 0])
})

it('asks for no timer longer than 2,147,483,647 ms, and waits longer all the same', () => {
  const { queue, clock } = queueOnFakeClock()
  queue.add('a', { afterMs: 2 ** 32 })
  clock.advance(2 ** 32 - 1)
  expect([queue.size, Math.max(...clock.asked)]).toEqual([0, 2 ** 31 - 1])
  clock.advance(1)
  expect(queue.size).toBe(1)
})

it('sets another timer when one fires too early, but not for a rounding error', () => {
  const { queue, clock } = queueOnFakeClock()
  const fired: (() => void)[] = []
  clock.timer = (_ms, fn) => {
    fired.push(fn)
    return { cancel: () => {} }
  }
  queue.add('a', { afterMs: 10 })
  clock.advance(9)
  fired.pop()?.()
  expect([queue.size, fired.length]).toEqual([0, 1])
  clock.advance(1 - 1e-9)
  fired.pop()?.()
  expect([queue.size, fired.length]).toEqual([1, 0])
})
