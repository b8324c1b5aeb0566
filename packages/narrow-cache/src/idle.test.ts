import { AsyncLocalStorage } from 'node:async_hooks'
import type { Clock } from '@wherry/client'
import { simulate } from '@wherry/testing'
import { describe, expect, it } from 'vitest'
import { Idle, type Readable } from './idle.ts'

/** The idle entries of a cache, and a note of each that was evicted: its name, and when. */
function idleEntries(idleMs: number, max = 100) {
  const simulation = simulate(1)
  const { clock } = simulation
  const begun = clock.monotonic()
  const evicted: string[] = []
  const names = new Map<Readable, string>()
  const idle = new Idle({
    clock,
    idleMs,
    max,
    evict: entry => evicted.push(`${names.get(entry)} ${clock.monotonic() - begun}`),
  })
  const entry = (name: string): Readable => {
    const made = { readAt: 0 }
    names.set(made, name)
    return made
  }
  return { simulation, idle, evicted, entry }
}

describe('entries that nobody needs', () => {
  it('N6: go when they were idle for so long, those read since later, and leave no timer', async () => {
    const { simulation, idle, evicted, entry } = idleEntries(100)
    const [a, b, c] = [entry('a'), entry('b'), entry('c')]
    idle.add(a)
    await simulation.advance(10)
    idle.add(b)
    idle.add(c)
    await simulation.advance(50)
    idle.touch(a)
    idle.touch(entry('another'))
    expect(idle.size).toBe(3)
    await simulation.advance(1000)
    expect(evicted).toEqual(['b 110', 'c 110', 'a 160'])
    expect(idle.size).toBe(0)
    expect(simulation.pending()).toEqual([])
    idle.add(a)
    await simulation.advance(1000)
    expect(evicted.at(-1)).toBe('a 1160')
  })

  it('N6: go at once with idleMs 0, and never with Infinity', async () => {
    const atOnce = idleEntries(0)
    atOnce.idle.add(atOnce.entry('a'))
    expect(atOnce.evicted).toEqual(['a 0'])
    expect(atOnce.simulation.pending()).toEqual([])
    const never = idleEntries(Number.POSITIVE_INFINITY)
    never.idle.add(never.entry('a'))
    expect(never.simulation.pending()).toEqual([])
    expect(never.idle.size).toBe(1)
  })

  it('N6: are taken in the order of their last read, and go where there are more than may be', () => {
    const { idle, evicted, entry } = idleEntries(100, 3)
    const [a, b, c] = [entry('a'), entry('b'), entry('c')]
    for (const one of [a, b, c]) idle.add(one)
    idle.touch(a)
    expect(idle.take()).toBe(b)
    idle.add(b)
    idle.add(entry('d'))
    expect(evicted).toEqual(['c 0'])
    expect(idle.take()).toBe(a)
    expect(idle.take()).toBe(b)
    idle.close()
  })

  it('N6: are timed in the context of none of those who read', async () => {
    const simulation = simulate(1)
    const context = new AsyncLocalStorage<string>()
    const seen: (string | undefined)[] = []
    const clock: Clock = {
      now: () => simulation.clock.now(),
      monotonic: () => simulation.clock.monotonic(),
      timer(ms, fn) {
        const apart = AsyncLocalStorage.snapshot()
        seen.push(context.getStore())
        return simulation.clock.timer(ms, () => apart(fn))
      },
      turn: () => simulation.clock.turn(),
    }
    const idle = new Idle({ clock, idleMs: 100, max: 10, evict: () => {} })
    context.run('first', () => idle.add({ readAt: 0 }))
    await simulation.advance(50)
    context.run('second', () => idle.add({ readAt: 0 }))
    await simulation.advance(1000)
    expect(idle.size).toBe(0)
    expect(seen).toEqual([undefined, undefined])
  })

  it('R23: leave no timer when they are needed again, or when all is closed', async () => {
    const { simulation, idle, evicted, entry } = idleEntries(100)
    const [a, b] = [entry('a'), entry('b')]
    idle.add(a)
    idle.add(b)
    idle.remove(a)
    expect(simulation.pending()).toHaveLength(1)
    idle.remove(b)
    expect(simulation.pending()).toEqual([])
    expect(idle.take()).toBeUndefined()
    idle.add(a)
    idle.close()
    expect(simulation.pending()).toEqual([])
    expect(idle.size).toBe(0)
    await simulation.advance(1000)
    expect(evicted).toEqual([])
  })
})
