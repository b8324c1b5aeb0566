import { AsyncLocalStorage } from 'node:async_hooks'
import { describe, expect, it } from 'vitest'
import { Slots, type Task } from './slots.ts'

const begun: string[] = []
const task = (name: string) => ({ begin: () => void begun.push(name) })

describe('slots', () => {
  it('N11: let so many begin at once, and the others in the order in which they came', () => {
    begun.length = 0
    const slots = new Slots(2)
    for (const name of ['a', 'b', 'c', 'd', 'e']) slots.enter(task(name))
    expect(begun).toEqual(['a', 'b'])
    expect(slots.waiting).toBe(3)
    slots.leave()
    expect([begun.at(-1), slots.waiting]).toEqual(['c', 2])
    slots.leave()
    slots.leave()
    expect(begun).toEqual(['a', 'b', 'c', 'd', 'e'])
    expect(slots.waiting).toBe(0)
  })

  it('N11: are free again once what took them is over', () => {
    begun.length = 0
    const slots = new Slots(1)
    for (let round = 0; round < 5; round++) {
      slots.enter(task(`a${round}`))
      slots.enter(task(`b${round}`))
      expect([begun.at(-1), slots.waiting]).toEqual([`a${round}`, 1])
      slots.leave()
      expect([begun.at(-1), slots.waiting]).toEqual([`b${round}`, 0])
      slots.leave()
    }
    expect(begun).toHaveLength(10)
  })

  it('N11: pass over who does not want to any more', () => {
    begun.length = 0
    const slots = new Slots(1)
    const [a, b, c] = ['a', 'b', 'c'].map(task) as [Task, Task, Task]
    for (const one of [a, b, c]) slots.enter(one)
    expect([slots.withdraw(a), slots.withdraw(b), slots.withdraw(b)]).toEqual([false, true, false])
    expect(slots.waiting).toBe(1)
    slots.leave()
    expect(begun).toEqual(['a', 'c'])
  })

  it('N11: take whoever comes while another one begins', () => {
    begun.length = 0
    const slots = new Slots(1)
    const over = (name: string, then?: () => void) => ({
      begin() {
        begun.push(name)
        then?.()
        slots.leave()
      },
    })
    slots.enter(over('a', () => ['b', 'c', 'd'].map(name => slots.enter(over(name)))))
    expect(begun).toEqual(['a', 'b', 'c', 'd'])
    expect(slots.waiting).toBe(0)
  })

  it('N11: take very many that are over as soon as they have begun', () => {
    let count = 0
    const slots = new Slots(1)
    const over = {
      begin() {
        count += 1
        slots.leave()
      },
    }
    slots.enter(task('first'))
    for (let i = 0; i < 100_000; i++) slots.enter({ ...over })
    slots.leave()
    expect([count, slots.waiting]).toEqual([100_000, 0])
  })

  it('begin what waits in the context of none of those who ask', () => {
    const context = new AsyncLocalStorage<string>()
    const seen: (string | undefined)[] = []
    const slots = new Slots(1)
    const looks = { begin: () => void seen.push(context.getStore()) }
    context.run('one', () => slots.enter(looks))
    context.run('two', () => slots.enter(looks))
    context.run('three', () => slots.leave())
    expect(seen).toEqual([undefined, undefined])
  })

  it('R23: begin nothing once closed', () => {
    begun.length = 0
    const slots = new Slots(1)
    for (const name of ['a', 'b']) slots.enter(task(name))
    slots.close()
    slots.leave()
    slots.enter(task('c'))
    expect(begun).toEqual(['a'])
    expect(slots.waiting).toBe(0)
  })
})
