import { growth } from '@wherry/testing/testkit/growth'
import { expect, it } from 'vitest'
import { FakeClock, takeAll } from './fake-clock.fixture.ts'
import { Priority } from './priority.ts'
import { WorkQueue } from './work-queue.ts'

function queueOnFakeClock(): { readonly clock: FakeClock; readonly queue: WorkQueue } {
  const clock = new FakeClock()
  return { clock, queue: new WorkQueue({ clock }) }
}

it('C1: hands a key out once, however often it was added', () => {
  const { queue } = queueOnFakeClock()
  for (const key of ['a', 'b', 'a', 'a', 'b']) queue.add(key)
  expect(queue.size).toBe(2)
  expect(takeAll(queue)).toEqual(['a', 'b'])
  expect([queue.size, queue.running]).toEqual([0, 0])
})

it('C1: hands out no key that runs, and runs it again if it was added meanwhile', () => {
  const { queue } = queueOnFakeClock()
  queue.add('a')
  expect(queue.tryTake()).toBe('a')
  queue.add('a')
  queue.add('a')
  expect([queue.size, queue.running, queue.tryTake()]).toEqual([1, 1, undefined])
  queue.done('a')
  expect([queue.size, queue.running]).toEqual([1, 0])
  expect(takeAll(queue)).toEqual(['a'])
})

it('puts a key that was added while it ran behind those that were ready when it is done', () => {
  const { queue } = queueOnFakeClock()
  queue.add('a')
  queue.tryTake()
  queue.add('a')
  queue.add('b')
  queue.done('a')
  queue.add('c')
  expect(takeAll(queue)).toEqual(['b', 'a', 'c'])
})

it('C1: hands out higher priorities first, and equal ones in the order of their adds', () => {
  const { queue } = queueOnFakeClock()
  const adds = { a: -100, b: 0, c: 7.5, d: -100, e: 0, f: 1000, g: -0 }
  for (const [key, priority] of Object.entries(adds)) queue.add(key, { priority })
  expect(takeAll(queue)).toEqual(['f', 'c', 'b', 'e', 'g', 'a', 'd'])
})

it('keeps priorities strictly among a thousand young keys', () => {
  const { queue } = queueOnFakeClock()
  const keys = Array.from({ length: 1000 }, (_, i) => ({ key: `${i}`, priority: (i * 7919) % 101 }))
  for (const { key, priority } of keys) queue.add(key, { priority })
  const sorted = keys.toSorted((a, b) => b.priority - a.priority).map(({ key }) => key)
  expect(takeAll(queue)).toEqual(sorted)
})

it('moves a pending key up when it is added with a higher priority, behind those that have it, and never down', () => {
  const { queue } = queueOnFakeClock()
  queue.add('initial', { priority: Priority.low })
  queue.add('other', { priority: Priority.low })
  queue.add('new')
  queue.add('initial')
  queue.add('newer')
  queue.add('new', { priority: Priority.low })
  expect(queue.priorityOf('initial')).toBe(0)
  expect(takeAll(queue)).toEqual(['new', 'initial', 'newer', 'other'])
})

it('runs a key again with the highest priority of the adds during its run, whatever it ran with', () => {
  const { queue } = queueOnFakeClock()
  queue.add('a', { priority: 5 })
  queue.tryTake()
  queue.add('a', { priority: -2 })
  queue.add('a', { priority: -1 })
  queue.add('a', { priority: -3 })
  queue.done('a')
  expect(queue.priorityOf('a')).toBe(-1)
})

it('knows the priority that a key runs with, else that it is pending with', () => {
  const { queue } = queueOnFakeClock()
  expect(queue.priorityOf('a')).toBeUndefined()
  queue.add('a', { priority: Priority.low })
  queue.add('b', { priority: Priority.high, afterMs: 1 })
  expect([queue.priorityOf('a'), queue.priorityOf('b')]).toEqual([-100, 100])
  queue.tryTake()
  queue.add('a', { priority: 3 })
  expect(queue.priorityOf('a')).toBe(-100)
  queue.done('a')
  expect(queue.priorityOf('a')).toBe(3)
})

it('knows how long a pending key waits for its time', () => {
  const { queue, clock } = queueOnFakeClock()
  queue.add('ready')
  queue.add('later', { afterMs: 60_000 })
  clock.advance(20_000)
  expect(['ready', 'later', 'other'].map(key => queue.dueInMs(key))).toEqual([0, 40_000, undefined])
  expect(queue.tryTake()).toBe('ready')
  expect(queue.dueInMs('ready')).toBeUndefined()
  queue.add('ready')
  expect(queue.dueInMs('ready')).toBe(0)
  queue.remove('ready')
  queue.add('ready', { afterMs: 5 })
  expect(queue.dueInMs('ready')).toBe(5)
})

it('distinguishes keys as a Map does', () => {
  const queue = new WorkQueue<string | number | object | boolean>({ clock: new FakeClock() })
  const object = {}
  const keys = ['1', 1, object, {}, Number.NaN, false, 0, '']
  for (const key of [...keys, ...keys, object, Number.NaN, -0]) queue.add(key)
  const taken = takeAll(queue)
  expect(taken).toEqual(keys)
  expect(taken[2]).toBe(object)
})

it('takes a removed key back, delayed or ready, and does not run it again', () => {
  const { queue, clock } = queueOnFakeClock()
  queue.add('ready')
  queue.add('delayed', { afterMs: 10 })
  queue.add('running')
  queue.add('other')
  expect([queue.remove('ready'), queue.remove('delayed'), queue.remove('unknown')]).toEqual([true, true, false])
  expect([queue.size, queue.delayed, clock.timers]).toEqual([2, 0, 0])
  expect(queue.tryTake()).toBe('running')
  expect(queue.remove('running')).toBe(false)
  queue.add('running')
  expect(queue.remove('running')).toBe(true)
  expect([queue.size, queue.running]).toEqual([1, 1])
  queue.done('running')
  queue.add('other')
  queue.tryTake()
  queue.add('other', { afterMs: 5 })
  expect(queue.remove('other')).toBe(true)
  queue.done('other')
  clock.advance(100)
  expect([queue.size, queue.delayed, queue.running, queue.tryTake()]).toEqual([0, 0, 0, undefined])
})

it('postpones a key that is removed and added again', () => {
  const { queue, clock } = queueOnFakeClock()
  queue.add('deadline', { afterMs: 600 })
  clock.advance(500)
  queue.remove('deadline')
  queue.add('deadline', { afterMs: 600 })
  clock.advance(599)
  expect(queue.size).toBe(0)
  clock.advance(1)
  expect(queue.size).toBe(1)
})

it('refuses done for a key that does not run, a second one too', () => {
  const { queue } = queueOnFakeClock()
  const notRunning = expect.objectContaining({ name: 'NotRunningError', code: 'NOT_RUNNING', key: 'a' })
  expect(() => queue.done('a')).toThrow(notRunning)
  queue.add('a')
  expect(() => queue.done('a')).toThrow(notRunning)
  queue.tryTake()
  queue.done('a')
  expect(() => queue.done('a')).toThrow('done() of a key that does not run: a')
  const objects = new WorkQueue<object>({ clock: new FakeClock() })
  expect(() => objects.done(Object.create(null))).toThrow('done() of a key that does not run: an object')
})

it('counts pending keys by priority, and lists running keys, the longest first', () => {
  const { queue, clock } = queueOnFakeClock()
  expect([queue.depths(), queue.unfinished()]).toEqual([new Map(), []])
  queue.add('a', { priority: 2 })
  queue.add('b', { priority: 1 })
  queue.add('c')
  queue.tryTake()
  clock.advance(50)
  queue.tryTake()
  clock.advance(7)
  queue.add('a')
  queue.add('b', { priority: 9 })
  queue.add('d', { priority: 3, afterMs: 1 })
  expect(queue.depths()).toEqual(
    new Map([
      [0, 2],
      [9, 1],
    ]),
  )
  expect(queue.unfinished()).toEqual([
    { key: 'a', priority: 2, runningMs: 57 },
    { key: 'b', priority: 1, runningMs: 7 },
  ])
  queue.done('a')
  expect(queue.unfinished()).toEqual([{ key: 'b', priority: 1, runningMs: 7 }])
})

it('holds any number of keys and runs, and is in order after a flood', () => {
  const { queue } = queueOnFakeClock()
  for (const round of [1, 2]) {
    const keys = Array.from({ length: 10_000 }, (_, i) => `${round}/${i}`)
    for (const key of keys) queue.add(key)
    expect(Array.from(keys, () => queue.tryTake())).toEqual(keys)
    expect(queue.unfinished().map(({ key }) => key)).toEqual(keys)
    for (const key of keys) queue.add(key)
    expect([queue.size, queue.running]).toEqual([10_000, 10_000])
    for (const key of keys.toReversed()) queue.done(key)
    expect(takeAll(queue)).toEqual(keys.toReversed())
    expect([queue.size, queue.running, queue.tryTake()]).toEqual([0, 0, undefined])
  }
})

it('serves priorities that never come twice', () => {
  const { queue } = queueOnFakeClock()
  for (let i = 0; i < 300; i++) {
    queue.add('old', { priority: -1 })
    queue.add(`${i}`, { priority: i })
    expect(queue.tryTake()).toBe(`${i}`)
    queue.done(`${i}`)
  }
  for (let i = 0; i < 300; i++) queue.add(`${i}`, { priority: i })
  expect(takeAll(queue).slice(0, 3)).toEqual(['299', '298', '297'])
})

it('looks a key up at once that comes and goes for ever among many others', () => {
  const queues = new Map(
    [10, 100_000].map(others => {
      const { queue } = queueOnFakeClock()
      for (let i = 0; i < others; i++) queue.add(`${i}`, { priority: Priority.low })
      return [others, queue]
    }),
  )
  const comesAndGoes = (others: number): void => {
    const queue = queues.get(others) as WorkQueue<string>
    for (let i = 0; i < 10_000; i++) {
      for (const key of ['hot', 'hotter']) {
        queue.add(key)
        if (queue.tryTake() !== key) throw new Error('another one came')
        queue.done(key)
        if (queue.priorityOf(key) !== undefined || queue.remove(key)) throw new Error('it is still there')
      }
    }
    expect(queue.size).toBe(others)
  }
  // Some 2 times as much. With a Map alone it is hundreds of times as much.
  expect(growth([10, 100_000], comesAndGoes)).toBeLessThan(20)
})
