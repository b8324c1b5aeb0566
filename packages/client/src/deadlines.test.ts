import { chance, forEachSeed, integer, seededRandom } from '@wherry/testing'
import { describe, expect, it } from 'vitest'
import { HandClock } from './bytes/requester.fixture.ts'
import { type Bounded, Deadlines } from './deadlines.ts'

interface One extends Bounded {
  readonly name: number
}

function kit() {
  const clock = new HandClock()
  const late: [number, number][] = []
  const one = (name: number, deadlineAt: number, then = (): void => {}): One => ({
    name,
    deadlineAt,
    late: () => {
      late.push([name, clock.time])
      then()
    },
  })
  return { clock, deadlines: new Deadlines(clock), late, one }
}

describe('deadlines', () => {
  it('calls each at its time, in their order, and none that was removed', async () => {
    const run = (seed: number): void => {
      const { clock, deadlines, late, one } = kit()
      const random = seededRandom(seed)
      const all = Array.from({ length: 60 }, (_, i) => one(i, integer(random, 1, 100)))
      for (const each of all) deadlines.add(each)
      const gone = all.filter(() => chance(random, 0.3))
      for (const each of gone) deadlines.remove(each)
      for (let ms = 0; ms < 101; ms++) clock.advance(1)
      const left = all.filter(each => !gone.includes(each)).sort((a, b) => a.deadlineAt - b.deadlineAt)
      expect(late.map(([, at]) => at)).toEqual(left.map(({ deadlineAt }) => deadlineAt))
      expect(late.every(([name, at]) => all[name]?.deadlineAt === at)).toBe(true)
      expect(new Set(late.map(([name]) => name))).toEqual(new Set(left.map(({ name }) => name)))
      expect(clock.timers).toBe(0)
    }
    await forEachSeed(run, { seeds: 50 })
  })

  it('leaves no timer behind when the last is removed, and takes others then', () => {
    const { clock, deadlines, late, one } = kit()
    const [first, second] = [one(1, 10), one(2, 20)]
    deadlines.add(first)
    deadlines.remove(first)
    deadlines.remove(first)
    expect(clock.timers).toBe(0)
    clock.advance(15)
    deadlines.add(second)
    clock.advance(5)
    expect(late).toEqual([[2, 20]])
  })

  it('X9: goes on with the others where one throws', () => {
    const { clock, deadlines, late, one } = kit()
    const throwing = one(1, 10, () => {
      throw new Error('late')
    })
    for (const each of [throwing, one(2, 10), one(3, 20)]) deadlines.add(each)
    expect(() => clock.advance(10)).toThrow('late')
    clock.advance(10)
    expect(late).toEqual([
      [1, 10],
      [2, 10],
      [3, 20],
    ])
  })

  it('goes on with those that are added or removed as one is called', () => {
    const { clock, deadlines, late, one } = kit()
    const [third, fourth] = [one(3, 10), one(4, 12)]
    deadlines.add(
      one(1, 10, () => {
        deadlines.remove(third)
        deadlines.add(fourth)
      }),
    )
    deadlines.add(third)
    for (let ms = 0; ms < 20; ms++) clock.advance(1)
    expect(late).toEqual([
      [1, 10],
      [4, 12],
    ])
  })
})
