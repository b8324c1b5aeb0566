import { chance, choose, forEachSeed, integer, seededRandom } from '@wherry/testing'
import { expect, it } from 'vitest'
import { FakeClock } from './fake-clock.fixture.ts'
import type { AgeingOptions } from './options.ts'
import { Priority } from './priority.ts'
import { WorkQueue } from './work-queue.ts'

function queueOnFakeClock(ageing?: AgeingOptions): { readonly clock: FakeClock; readonly queue: WorkQueue } {
  const clock = new FakeClock()
  return { clock, queue: new WorkQueue({ clock, ageing }) }
}

/** Takes `count` keys while new ones of priority 0 come before each; the others by name, `.` for a new one. */
function takeUnderLoad(queue: WorkQueue, count: number): string {
  let taken = ''
  for (let i = 0; i < count; i++) {
    queue.add(`new${Math.random()}`)
    const key = queue.tryTake() as string
    queue.done(key)
    taken += key.startsWith('new') ? '.' : key
  }
  return taken
}

it('C1: hands out one key in four that waited for 10 s, oldest first, however many of higher priority come', () => {
  const { queue, clock } = queueOnFakeClock()
  for (const key of ['a', 'b', 'c']) queue.add(key, { priority: Priority.low })
  expect(takeUnderLoad(queue, 50)).toBe('.'.repeat(50))
  clock.advance(9999)
  expect(takeUnderLoad(queue, 20)).toBe('.'.repeat(20))
  clock.advance(1)
  // The three of priority 0 that came before the clock stood at 10 s are younger than all of these.
  expect(takeUnderLoad(queue, 12)).toBe('a...b...c...')
})

it('takes the age from when a key became ready, also where it was moved up, and not from its add with a delay', () => {
  const { queue, clock } = queueOnFakeClock({ afterMs: 100, every: 2 })
  queue.add('d', { priority: -5, afterMs: 60 })
  queue.add('a', { priority: -5 })
  clock.advance(60)
  queue.add('a', { priority: -4 })
  clock.advance(39)
  expect(takeUnderLoad(queue, 4)).toBe('....')
  clock.advance(1)
  expect(takeUnderLoad(queue, 4)).toBe('a...')
  clock.advance(60)
  expect(takeUnderLoad(queue, 4)).toBe('d...')
})

it('goes by priority alone with afterMs Infinity, by age alone with every 1', () => {
  const strict = queueOnFakeClock({ afterMs: Number.POSITIVE_INFINITY })
  strict.queue.add('a', { priority: -1 })
  strict.clock.advance(1e9)
  expect(takeUnderLoad(strict.queue, 100)).toBe('.'.repeat(100))

  const byAge = queueOnFakeClock({ afterMs: 0, every: 1 })
  byAge.queue.add('a', { priority: -1 })
  byAge.queue.add('b', { priority: 1 })
  byAge.queue.add('c', { priority: 0 })
  expect([1, 2, 3].map(() => byAge.queue.tryTake())).toEqual(['a', 'b', 'c'])
})

it('counts only keys in a row that went past the oldest', () => {
  const { queue, clock } = queueOnFakeClock({ afterMs: 10, every: 3 })
  queue.add('a', { priority: -1 })
  clock.advance(10)
  expect(takeUnderLoad(queue, 2)).toBe('..')
  queue.remove('a')
  queue.add('b', { priority: 5 })
  expect(queue.tryTake()).toBe('b')
  queue.add('c', { priority: -1 })
  clock.advance(10)
  expect(takeUnderLoad(queue, 4)).toBe('..c.')
})

it('C1: with m keys ready before it an aged key is at the latest the every × (m + 1)-th from then, whatever is added', async () => {
  await forEachSeed(bound, { seeds: 60 })
})

/** A random load with one long queue, and for each key the promise of the docstring, counted from outside. */
function bound(seed: number): void {
  const random = seededRandom(seed)
  const every = integer(random, 1, 6)
  const afterMs = choose(random, [0, 50, 1000])
  const { queue, clock } = queueOnFakeClock({ afterMs, every })
  const waiting = new Map<string, { readonly since: number; readonly before: number; takes: number }>()
  for (let i = 0; i < 2000; i++) {
    if (chance(random, 0.3)) clock.advance(integer(random, 1, 100))
    const key = `${integer(random, 0, 300)}`
    queue.add(key, { priority: choose(random, [Priority.low, 0, 0, 50, i]) })
    if (!waiting.has(key)) waiting.set(key, { since: clock.monotonic(), before: waiting.size, takes: 0 })
    if (chance(random, 0.25)) {
      const removed = choose(random, [...waiting.keys()])
      expect(queue.remove(removed)).toBe(true)
      waiting.delete(removed)
    }
    if (chance(random, 0.4)) continue
    for (const each of waiting.values()) if (clock.monotonic() - each.since >= afterMs) each.takes += 1
    const taken = queue.tryTake()
    if (taken === undefined) continue
    const its = waiting.get(taken)
    waiting.delete(taken)
    queue.done(taken)
    if (its === undefined) throw new Error(`${taken} was not waiting`)
    expect(its.takes).toBeLessThanOrEqual(every * (its.before + 1))
  }
  for (const { takes, before } of waiting.values()) expect(takes).toBeLessThanOrEqual(every * (before + 1))
}
