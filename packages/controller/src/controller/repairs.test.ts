import type { KubernetesObject } from '@wherry/client'
import { type Simulation, simulate } from '@wherry/testing'
import { WorkQueue } from '@wherry/work-queue'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { KeyStates } from './key-states.ts'
import { type Refusal, type Repair, Repairs } from './repairs.ts'

let simulation: Simulation
let queue: WorkQueue
let repairs: Repairs

beforeEach(() => {
  simulation = simulate(1)
  const { environment, clock } = simulation
  queue = new WorkQueue({ clock })
  repairs = new Repairs({ controller: 'game', environment, queue, states: new KeyStates() })
})
afterEach(() => queue.stop())

interface Data extends KubernetesObject {
  readonly data: string
}
const digestOf = (object: KubernetesObject): string => (object as Data).data
const object = (data: string): Data => ({ data })

/** An object with `held` in it, in which `wanted` is desired. */
function repair(held: string, wanted = 'ours', more: Partial<Repair> = {}): Repair {
  const differing = held === wanted ? [] : ['spec']
  return { view: 'v', object: 'a/b', wanted, compared: 'all', differing, standing: 'u', held, ...more }
}

/** Writes what is wanted, if that need not wait. Gives how long it has to. */
function write(one: Repair, key = 'k'): number {
  const hold = repairs.hold(key, one)
  if (hold !== undefined) {
    repairs.putOff(key, one, hold)
    return hold.delayMs
  }
  repairs.tried(key, one, { written: object(one.wanted), refusal: undefined, digestOf })
  return 0
}

function refuse(one: Repair, error: unknown = new Error('refused'), parts: readonly string[] = ['spec']): number {
  const hold = repairs.hold('k', one)
  if (hold !== undefined) return hold.delayMs
  const refusal: Refusal = { error, parts }
  repairs.tried('k', one, { written: undefined, refusal, digestOf })
  return 0
}

const told = (): unknown[] => simulation.environment.errors.map(({ error }) => (error as { by?: string }).by)

describe('what somebody else changes', () => {
  it('H6: is repaired three times at once, then ever later', async () => {
    const waits = []
    for (let i = 0; i < 6; i++) {
      const wait = write(repair(`theirs ${i}`))
      waits.push(wait)
      await simulation.advance(wait)
      if (wait > 0) write(repair(`theirs ${i}`))
    }
    expect(waits).toEqual([0, 0, 0, 1000, 2000, 4000])
  })

  it('H6: is told of once, and its key runs again when the time has come', () => {
    for (let i = 0; i < 5; i++) write(repair(`theirs ${i}`))
    expect([told(), queue.dueInMs('k')]).toEqual([['others'], 1000])
    expect(simulation.environment.metric('wherry_apply_flapping_total', { controller: 'game' })).toBe(1)
  })

  it('H6: waits for one key, one object, not for others', () => {
    for (let i = 0; i < 4; i++) write(repair(`theirs ${i}`))
    const waits = [
      repairs.hold('k', repair('x'))?.delayMs,
      repairs.hold('other', repair('x')),
      repairs.hold('k', repair('x', 'ours', { object: 'a/c' })),
      repairs.hold('k', repair('x', 'ours', { view: 'w' })),
    ]
    expect(waits).toEqual([1000, undefined, undefined, undefined])
  })

  it('H6: waits also where something else is desired by now', () => {
    for (let i = 0; i < 4; i++) write(repair(`theirs ${i}`, `ours ${i}`))
    expect(repairs.hold('k', repair('theirs', 'ours 9'))).toMatchObject({ delayMs: 1000, by: 'others' })
  })

  it('H6: is at peace after 10 minutes, and told of anew then', async () => {
    for (let i = 0; i < 4; i++) write(repair(`theirs ${i}`))
    await simulation.advance(599_999)
    expect(write(repair('theirs'))).toBe(0)
    expect(write(repair('theirs'))).toBe(2000)
    await simulation.advance(600_000)
    expect(Array.from({ length: 4 }, (_, i) => write(repair(`theirs ${i}`)))).toEqual([0, 0, 0, 1000])
    expect(told()).toEqual(['others', 'others'])
  })

  it('H6: is seen by each way in which it is compared', () => {
    const spec = (held: string) => repair(held, 'ours', { compared: 'spec' })
    const both = (held: string) => repair(held, 'ours', { compared: 'both' })
    // The second finds what the first has left.
    for (let i = 0; i < 3; i++) {
      write(spec(`theirs ${i}`))
      write(both(i < 1 ? 'unknown' : `theirs ${i}`))
    }
    expect(repairs.hold('k', both('theirs'))).toMatchObject({ by: 'others' })
    expect(repairs.hold('k', spec('theirs'))).toMatchObject({ by: 'others' })
    expect(repairs.hold('k', spec('ours'))).toBeUndefined()
  })

  it('H6: is damped for each of 5000 objects', () => {
    let made = 0
    for (let round = 0; round < 20; round++) {
      for (let i = 0; i < 5000; i++) if (write(repair(`${round}`, 'ours', { object: `a/${i}` })) === 0) made += 1
    }
    expect(made).toBe(3 * 5000)
  })
})

describe('what nobody else changes', () => {
  it('H6: is desired differently now and then, and written as often', async () => {
    const waits = []
    for (let i = 0; i < 600; i++) {
      waits.push(write(repair(`ours ${i - 1}`, `ours ${i}`)))
      await simulation.advance(1000)
    }
    expect([waits.filter(wait => wait > 0), told()]).toEqual([[], []])
  })

  it('H6: is desired differently without end, and written once a second after thirty times', async () => {
    let written = 0
    let last = 'ours'
    for (let i = 0; i < 6000; i++) {
      const wanted = `ours ${i}`
      if (write(repair(last, wanted)) === 0) {
        written += 1
        last = wanted
      }
      await simulation.advance(10)
    }
    expect([written, told()]).toEqual([expect.toSatisfy(n => n > 85 && n < 95), ['itself']])
  })

  it('H6: is compared in another way each time, and is no flapping', async () => {
    const waits = []
    for (let i = 0; i < 40; i++) {
      waits.push(write(repair(`ours ${i - 1}`, `ours ${i}`, { compared: `${i}` })))
      await simulation.advance(5000)
    }
    expect([waits.filter(wait => wait > 0), told()]).toEqual([[], []])
  })
})

describe('what is refused', () => {
  it('X8: is sent three times at once, then ever later, and is nobody’s flapping', async () => {
    const waits = []
    for (let i = 0; i < 6; i++) {
      const wait = refuse(repair(`theirs ${i}`))
      waits.push(wait)
      await simulation.advance(wait)
      if (wait > 0) refuse(repair(`theirs ${i}`))
    }
    expect([waits, told()]).toEqual([[0, 0, 0, 1000, 2000, 4000], []])
  })

  it('X8: says until then why it was', () => {
    for (let i = 0; i < 3; i++) refuse(repair('theirs'), `reason ${i}`)
    expect(repairs.hold('k', repair('theirs'))).toMatchObject({ refusal: { error: 'reason 2' }, by: undefined })
  })

  it.for<[string, Repair]>([
    ['something else is desired', repair('theirs', 'else')],
    ['another controls the object', repair('theirs', 'ours', { standing: 'w' })],
    ['what was refused is as desired by now', repair('theirs', 'ours', { differing: ['status'] })],
  ])('C16: is sent at once where %s', ([, one]) => {
    for (let i = 0; i < 3; i++) refuse(repair('theirs'))
    expect(repairs.hold('k', repair('theirs', 'ours', { differing: ['spec', 'status'] }))?.delayMs).toBe(1000)
    expect(repairs.hold('k', one)).toBeUndefined()
  })

  it('X8: is forgotten when it was taken', () => {
    for (let i = 0; i < 3; i++) refuse(repair('theirs'))
    repairs.tried('k', repair('theirs', 'else'), { written: object('else'), refusal: undefined, digestOf })
    expect(repairs.hold('k', repair('theirs'))).toBeUndefined()
  })

  it('H6: counts as a repair too where a part of it was written', () => {
    for (let i = 0; i < 3; i++) {
      const refusal = { error: 'status', parts: ['status'] }
      const one = repair(`theirs ${i}`, 'ours', { differing: ['spec', 'status'] })
      repairs.tried('k', one, { written: object('ours'), refusal, digestOf })
    }
    const next = repair('theirs', 'ours', { differing: ['spec', 'status'] })
    expect(repairs.hold('k', next)).toMatchObject({ delayMs: 1000, by: 'others', refusal: { error: 'status' } })
  })

  it('counts for nothing where it may go well the next time', () => {
    for (let i = 0; i < 9; i++) {
      repairs.tried('k', repair('theirs'), { written: undefined, refusal: undefined, digestOf })
    }
    expect(repairs.hold('k', repair('theirs'))).toBeUndefined()
  })
})

it('C13: a key runs again at once where nothing else would tell it to', () => {
  repairs.again('k')
  expect(queue.dueInMs('k')).toBe(0)
})
