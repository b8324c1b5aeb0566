import { describe, expect, it } from 'vitest'
import { ConcurrencyLimit, type Task } from './concurrency-limit.ts'

const begun: string[] = []
const task = (name: string): Task => ({ begin: () => void begun.push(name) })

describe('a concurrency limit', () => {
  it('N11: lets so many begin at once, and the others in the order in which they came', () => {
    begun.length = 0
    const limit = new ConcurrencyLimit(2)
    const tasks = ['a', 'b', 'c', 'd', 'e'].map(task)
    const [a, b, c] = tasks as [Task, Task, Task]
    for (const one of tasks) limit.enter(one)
    expect(begun).toEqual(['a', 'b'])
    expect(limit.waiting).toBe(3)
    limit.leave(b)
    expect([begun.at(-1), limit.waiting]).toEqual(['c', 2])
    limit.leave(a)
    limit.leave(c)
    expect(begun).toEqual(['a', 'b', 'c', 'd', 'e'])
    expect(limit.waiting).toBe(0)
  })

  it('N11: has room again once what took it is over', () => {
    begun.length = 0
    const limit = new ConcurrencyLimit(1)
    for (let round = 0; round < 5; round++) {
      const [a, b] = [task(`a${round}`), task(`b${round}`)]
      limit.enter(a)
      limit.enter(b)
      expect([begun.at(-1), limit.waiting]).toEqual([`a${round}`, 1])
      limit.leave(a)
      expect([begun.at(-1), limit.waiting]).toEqual([`b${round}`, 0])
      limit.leave(b)
    }
    expect(begun).toHaveLength(10)
  })

  it('N11: passes over a task that left before it began; one that comes or leaves twice is one', () => {
    begun.length = 0
    const limit = new ConcurrencyLimit(1)
    const [a, b, c] = ['a', 'b', 'c'].map(task) as [Task, Task, Task]
    for (const one of [a, a, b, c, c]) limit.enter(one)
    limit.leave(b)
    limit.leave(b)
    expect([a, b, c].map(one => limit.has(one))).toEqual([true, false, true])
    expect(limit.waiting).toBe(1)
    limit.leave(a)
    limit.leave(a)
    expect(begun).toEqual(['a', 'c'])
    expect([a, b, c].map(one => limit.has(one))).toEqual([false, false, true])
  })

  it('N11: takes a task that comes while another one begins', () => {
    begun.length = 0
    const limit = new ConcurrencyLimit(1)
    const over = (name: string, then?: () => void): Task => {
      const one = {
        begin() {
          begun.push(name)
          then?.()
          limit.leave(one)
        },
      }
      return one
    }
    limit.enter(over('a', () => ['b', 'c', 'd'].map(name => limit.enter(over(name)))))
    expect(begun).toEqual(['a', 'b', 'c', 'd'])
    expect(limit.waiting).toBe(0)
  })

  it('N11: takes very many that are over as soon as they have begun', () => {
    let count = 0
    const limit = new ConcurrencyLimit(1)
    const over = (): Task => {
      const one = {
        begin() {
          count += 1
          limit.leave(one)
        },
      }
      return one
    }
    const first = task('first')
    limit.enter(first)
    for (let i = 0; i < 100_000; i++) limit.enter(over())
    limit.leave(first)
    expect([count, limit.waiting]).toEqual([100_000, 0])
  })
})
