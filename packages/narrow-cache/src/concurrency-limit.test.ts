import { describe, expect, it } from 'vitest'
import { ConcurrencyLimit, type Task } from './concurrency-limit.ts'

const begun: string[] = []
const task = (name: string) => ({ begin: () => void begun.push(name) })

describe('a concurrency limit', () => {
  it('N11: lets so many begin at once, and the others in the order in which they came', () => {
    begun.length = 0
    const limit = new ConcurrencyLimit(2)
    for (const name of ['a', 'b', 'c', 'd', 'e']) limit.enter(task(name))
    expect(begun).toEqual(['a', 'b'])
    expect(limit.waiting).toBe(3)
    limit.leave()
    expect([begun.at(-1), limit.waiting]).toEqual(['c', 2])
    limit.leave()
    limit.leave()
    expect(begun).toEqual(['a', 'b', 'c', 'd', 'e'])
    expect(limit.waiting).toBe(0)
  })

  it('N11: has room again once what took it is over', () => {
    begun.length = 0
    const limit = new ConcurrencyLimit(1)
    for (let round = 0; round < 5; round++) {
      limit.enter(task(`a${round}`))
      limit.enter(task(`b${round}`))
      expect([begun.at(-1), limit.waiting]).toEqual([`a${round}`, 1])
      limit.leave()
      expect([begun.at(-1), limit.waiting]).toEqual([`b${round}`, 0])
      limit.leave()
    }
    expect(begun).toHaveLength(10)
  })

  it('N11: passes over a task that was withdrawn', () => {
    begun.length = 0
    const limit = new ConcurrencyLimit(1)
    const [a, b, c] = ['a', 'b', 'c'].map(task) as [Task, Task, Task]
    for (const one of [a, b, c]) limit.enter(one)
    expect([limit.withdraw(a), limit.withdraw(b), limit.withdraw(b)]).toEqual([false, true, false])
    expect(limit.waiting).toBe(1)
    limit.leave()
    expect(begun).toEqual(['a', 'c'])
  })

  it('N11: takes a task that comes while another one begins', () => {
    begun.length = 0
    const limit = new ConcurrencyLimit(1)
    const over = (name: string, then?: () => void) => ({
      begin() {
        begun.push(name)
        then?.()
        limit.leave()
      },
    })
    limit.enter(over('a', () => ['b', 'c', 'd'].map(name => limit.enter(over(name)))))
    expect(begun).toEqual(['a', 'b', 'c', 'd'])
    expect(limit.waiting).toBe(0)
  })

  it('N11: takes very many that are over as soon as they have begun', () => {
    let count = 0
    const limit = new ConcurrencyLimit(1)
    const over = {
      begin() {
        count += 1
        limit.leave()
      },
    }
    limit.enter(task('first'))
    for (let i = 0; i < 100_000; i++) limit.enter({ ...over })
    limit.leave()
    expect([count, limit.waiting]).toEqual([100_000, 0])
  })

  it('R23: begins nothing once closed', () => {
    begun.length = 0
    const limit = new ConcurrencyLimit(1)
    for (const name of ['a', 'b']) limit.enter(task(name))
    limit.close()
    limit.leave()
    limit.enter(task('c'))
    expect(begun).toEqual(['a'])
    expect(limit.waiting).toBe(0)
  })
})
