import type { KubernetesObject } from '@wherry/client'
import { type Simulation, simulate } from '@wherry/testing'
import { WorkQueue } from '@wherry/work-queue'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { KeyStates } from './key-states.ts'
import { type Repair, Repairs } from './repairs.ts'

let simulation: Simulation
let queue: WorkQueue
let repairs: Repairs
let states: KeyStates

beforeEach(() => {
  simulation = simulate(1)
  const { environment, clock } = simulation
  queue = new WorkQueue({ clock })
  states = new KeyStates()
  repairs = new Repairs({ controller: 'game', environment, queue, states })
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
  return {
    owner: 'o',
    resource: 'r',
    view: 'v',
    object: 'a/b',
    request: () => wanted,
    isShared: false,
    compared: 'all',
    differing,
    standing: 'u',
    held,
    ...more,
  }
}

/** Writes what is wanted, if that need not wait. Gives how long it has to. */
function write(one: Repair, key = 'k'): number {
  const hold = repairs.hold(key, one)
  if (hold !== undefined) {
    repairs.putOff(key, one, hold)
    return hold.delayMs
  }
  repairs.wrote(key, one)
  const before = one.held === undefined ? undefined : object(one.held)
  repairs.left(key, one, object(one.request()), digestOf, before)
  return 0
}

function refuse(one: Repair, error: unknown = new Error('refused')): number {
  const hold = repairs.hold('k', one)
  if (hold === undefined) repairs.refused('k', one, error, 'lasting')
  else repairs.putOff('k', one, hold)
  return hold?.delayMs ?? 0
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
      repairs.hold('k', repair('x', 'ours', { resource: 'w' })),
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

  it('X8: says again why it was, and that it does', () => {
    const error = new Error('refused')
    for (let i = 0; i < 3; i++) refuse(repair('theirs'), error)
    expect(repairs.said(error)).toBe('once')
    refuse(repair('theirs'))
    expect([repairs.said(error), repairs.said(new Error('refused')), repairs.said('x')]).toEqual([
      'again',
      undefined,
      undefined,
    ])
  })

  it('C16: is sent at once where it is another request, or another controls the object', () => {
    const one = (change: Partial<Repair>) => repair('theirs', 'ours', { differing: ['status'], ...change })
    for (let i = 0; i < 3; i++) refuse(one({}))
    const holds = [
      one({}),
      one({ held: 'else' }),
      one({ request: () => 'force' }),
      one({ standing: 'w' }),
      one({ differing: ['spec', 'status'] }),
    ].map(each => repairs.hold('k', each)?.delayMs)
    expect(holds).toEqual([1000, 1000, undefined, undefined, undefined])
  })

  it('X8: waits for each of two requests', () => {
    for (let i = 0; i < 3; i++) for (const request of ['a', 'b']) refuse(repair('theirs', request), request)
    expect(repairs.hold('k', repair('theirs', 'a'))).toMatchObject({ delayMs: 1000, refusal: { error: 'a' } })
    expect(repairs.hold('k', repair('theirs', 'b'))).toMatchObject({ delayMs: 1000, refusal: { error: 'b' } })
  })

  it('H6: is told of as flapping too where a part of it is written again and again', () => {
    for (let i = 0; i < 3; i++) {
      write(repair(`theirs ${i}`))
      repairs.refused('k', repair(`theirs ${i}`), 'status', 'lasting')
    }
    const next = repair('theirs')
    expect(repairs.hold('k', next)).toMatchObject({ delayMs: 1000, by: 'others', refusal: { error: 'status' } })
  })
})

it('H6: is found as desired after somebody else has made it so: what is desired differently then is no repair', async () => {
  for (let i = 0; i < 100; i++) {
    write(repair(`theirs ${i - 1}`, `ours ${i}`))
    repairs.found('k', repair(`theirs ${i}`), object(`theirs ${i}`), digestOf)
    await simulation.advance(5000)
  }
  expect(told()).toEqual([])
})

it('H6: flapping is told of anew after 10 minutes without, whatever was written meanwhile', async () => {
  for (let i = 0; i < 5; i++) write(repair(`theirs ${i}`))
  for (let i = 0; i < 20; i++) {
    await simulation.advance(300_000)
    write(repair(i === 0 ? 'ours' : `ours ${i - 1}`, `ours ${i}`))
  }
  for (let i = 0; i < 5; i++) write(repair(`theirs ${i}`))
  expect(told()).toEqual(['others', 'others'])
})

it('H6: what can not be hashed in one way is known in the other', () => {
  const failing = (): string => {
    throw new RangeError('too large')
  }
  write(repair('theirs'))
  repairs.left('k', repair('', '', { compared: 'spec' }), object('ours'), failing, undefined)
  repairs.left('k', repair('', '', { compared: 'spec' }), object('ours'), digestOf, undefined)
  repairs.left('k', repair('', '', { compared: 'both' }), object('ours'), failing, undefined)
  expect(repairs.hold('k', repair('ours', 'x', { compared: 'spec' }))).toBeUndefined()
})

it('H6: is shared with others, whose changes are not told from what is desired differently', async () => {
  const shared = (i: number) => repair(`theirs ${i}`, `ours ${i}`, { isShared: true })
  const waits = []
  for (let i = 0; i < 40; i++) {
    waits.push(write(shared(i)))
    await simulation.advance(5000)
  }
  for (let i = 0; i < 32; i++) write(shared(i))
  expect([waits.filter(wait => wait > 0), told()]).toEqual([[], ['itself']])
})

it('C13, X8: a key runs again after a second where nothing else would tell it to', () => {
  repairs.again('k', repair('theirs', 'ours'))
  expect(queue.dueInMs('k')).toBe(1000)
})

describe('requests that come to nothing', () => {
  it('H6: go once a second after thirty that change nothing', async () => {
    for (let i = 0; i < 30; i++) repairs.tried('k', repair(`theirs ${i}`))
    expect(repairs.hold('k', repair('theirs', 'another'))).toEqual({
      delayMs: 1000,
      refusal: undefined,
      isPassing: true,
      by: 'itself',
    })
    await simulation.advance(1000)
    expect(repairs.hold('k', repair('theirs', 'another'))).toBeUndefined()
  })

  it('X8: go ever later after thirty that are refused, whatever they are, and say what the last one was refused for', async () => {
    const waits = []
    for (let i = 0; i < 33; i++) {
      const other = repair(`theirs ${i}`, `ours ${i}`)
      waits.push(repairs.hold('k', other))
      await simulation.advance(waits.at(-1)?.delayMs ?? 0)
      repairs.refused('k', other, `no ${i}`, i % 2 === 0 ? 'lasting' : 'passing')
    }
    const waited = waits.filter(wait => wait !== undefined)
    expect(waited.map(({ delayMs, refusal, by }) => [delayMs, refusal?.error, by])).toEqual([
      [1000, 'no 29', undefined],
      [2000, 'no 30', undefined],
      [4000, 'no 31', undefined],
    ])
    expect(repairs.hold('k', repair('theirs', 'ours', { compared: 'else' }))).toBeUndefined()
    expect(repairs.hold('k', repair('theirs', 'ours', { owner: 'another' }))).toBeUndefined()
  })

  it('X8: that were refused are sent at once when one has gone well', () => {
    for (let i = 0; i < 4; i++) refuse(repair('theirs'))
    repairs.allowed('k', repair('theirs'))
    expect([
      refuse(repair('theirs')),
      refuse(repair('theirs')),
      refuse(repair('theirs')),
      refuse(repair('theirs')),
    ]).toEqual([0, 0, 0, 1000])
  })

  it('X8: are remembered of one object, the last eight of them', () => {
    for (let i = 0; i < 9; i++)
      for (let n = 0; n < 3; n++) repairs.refused('k', repair('theirs', `ours ${i}`), 'no', 'lasting')
    expect([
      repairs.hold('k', repair('theirs', 'ours 1'))?.refusal,
      repairs.hold('k', repair('theirs', 'ours 0')),
    ]).toEqual([{ error: 'no', how: 'lasting', standing: 'u' }, undefined])
  })
})

describe('what is made anew', () => {
  const missing = (wanted = 'ours') => repair('', wanted, { held: undefined, differing: ['all'], standing: '' })

  it('H6: is made anew thirty times, then once a second', () => {
    const waits = Array.from({ length: 32 }, () => write(missing()))
    expect([waits.findIndex(wait => wait > 0), waits.at(-1), told()]).toEqual([31, 1000, ['itself']])
  })

  it('is no repair the first time: what somebody else changes then is repaired three times at once', () => {
    write(missing())
    expect([1, 2, 3, 4].map(i => write(repair(`theirs ${i}`)))).toEqual([0, 0, 0, 1000])
  })

  it('is forgotten after 10 minutes', async () => {
    write(missing())
    await simulation.advance(600_000)
    for (let i = 0; i < 31; i++) expect(write(missing())).toBe(0)
  })
})

describe('an object that is compared in two ways', () => {
  const way = (compared: string, held: string) => repair(held, 'ours', { compared })

  it('H6: what somebody else changes is theirs, also where it is found as desired in the other way', () => {
    for (let i = 0; i < 3; i++) {
      write(way('a', `theirs ${i}`))
      repairs.found('k', way('b', 'ours'), object('ours'), () => 'b')
      repairs.found('k', way('b', 'ours'), object(`theirs ${i + 1}`), () => 'b')
    }
    expect(repairs.hold('k', way('a', 'theirs 3'))).toMatchObject({ by: 'others' })
  })

  const leftByOther = (now: string, before: string | undefined) =>
    repairs.left('k', way('b', ''), object(now), digestOf, before === undefined ? undefined : object(before))
  /** Whose doing it is that it is so, as the first way sees it. */
  const by = (held: string) => repairs.hold('k', way('a', held))?.by

  it('H6: tells in each way who has changed it, whichever of them wrote it last', () => {
    for (let i = 0; i < 3; i++) write(way('a', `theirs ${i}`))
    leftByOther('of b', 'ours')
    expect(by('of b')).toBeUndefined()
    write(way('a', 'of b'))
    leftByOther('of b again', 'ours')
    expect([by('of b again'), by('theirs')]).toEqual([undefined, 'others'])
    // What somebody else has made of it stays theirs.
    leftByOther('of b at last', 'theirs')
    expect([by('of b at last'), by('of b again')]).toEqual(['others', undefined])
    leftByOther('made anew', undefined)
    expect([by('made anew'), by('of b again')]).toEqual([undefined, 'others'])
  })

  it('H6: remembers eight ways', () => {
    for (let i = 0; i < 3; i++) write(way('a', `theirs ${i}`))
    const others = Array.from({ length: 8 }, (_, i) => way(`b${i}`, 'ours'))
    for (const other of others.slice(1)) repairs.found('k', other, object('ours'), digestOf)
    expect(by('theirs')).toBe('others')
    repairs.found('k', others[0] as Repair, object('ours'), digestOf)
    expect(by('theirs')).toBeUndefined()
  })
})

describe('a key that waits', () => {
  it('for an object that flaps says so', () => {
    for (let i = 0; i < 4; i++) write(repair(`theirs ${i}`))
    expect([...(states.get('k')?.waitsFor ?? [])]).toEqual(['a/b of v'])
  })

  it('for what was refused does not', () => {
    for (let i = 0; i < 3; i++) {
      write(repair(`theirs ${i}`))
      repairs.refused('k', repair('theirs'), 'no', 'lasting')
    }
    write(repair('theirs'))
    expect([states.get('k')?.waitsFor, queue.dueInMs('k')]).toEqual([undefined, 1000])
  })

  it.each([
    ['refused', { refusal: { error: 'no' }, isPassing: false }, undefined],
    ['passing', { refusal: { error: 'no' }, isPassing: true }, ['a/b of v']],
    ['given up', { refusal: undefined, isPassing: true }, ['a/b of v']],
  ] as const)('after thirty that were %s', (how, hold, waits) => {
    for (let i = 0; i < 30; i++) repairs.refused('k', repair('theirs', `${i}`), 'no', how)
    const held = repairs.hold('k', repair('theirs'))
    expect(held).toMatchObject(hold)
    if (held !== undefined) repairs.putOff('k', repair('theirs'), held)
    expect(states.get('k')?.waitsFor).toEqual(waits && new Set(waits))
  })

  it('says of what was given up nothing to others that were given up for the same reason', () => {
    const reason = new Error('enough')
    repairs.refused('k', repair('theirs'), reason, 'given up')
    expect(repairs.said(reason)).toBeUndefined()
    repairs.refused('k', repair('theirs'), reason, 'passing')
    expect(repairs.said(reason)).toBe('once')
  })
})
