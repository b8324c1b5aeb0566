import { expect, it } from 'vitest'
import { isSameSpec, microTime, readSpec } from './lease-record.ts'

const time = '2026-01-01T00:00:00.000000Z'

it('C6: whatever of it changes is a sign of life', () => {
  const spec = {
    holderIdentity: 'a',
    leaseDurationSeconds: 15,
    acquireTime: time,
    renewTime: time,
    leaseTransitions: 3,
  }
  expect([isSameSpec(spec, { ...spec }), isSameSpec({}, {})]).toEqual([true, true])
  const changes = [
    ...[{ holderIdentity: 'b' }, { leaseDurationSeconds: 1 }, { acquireTime: '' }, { renewTime: '' }],
    { leaseTransitions: 4 },
  ]
  for (const change of changes) expect(isSameSpec(spec, { ...spec, ...change })).toBe(false)
})

it('C6: a renewal has another time than the one before it, whatever the wall clock does', () => {
  const at = Date.UTC(2026, 0, 1)
  expect([microTime(at), microTime(at, '2026-01-01T00:00:01Z')]).toEqual([time, time])
  const times = [time]
  for (let i = 0; i < 999; i += 1) times.push(microTime(at, times.at(-1)))
  expect([times[1], times[999]]).toEqual(['2026-01-01T00:00:00.000001Z', '2026-01-01T00:00:00.000999Z'])
  expect(new Set(times).size).toBe(1000)
  expect(microTime(at, times.at(-1))).toBe(time)
})

it.each<[string, unknown]>([
  ['a text', 'x'],
  ['negative', -1],
  ['zero', 0],
  ['a fraction', 1.5],
  ['no number of a Lease', 1e300],
  ['null', null],
  ['an object', {}],
])('C6: a duration or count that is %s is none: the candidate waits for as long as its own lease lasts', (_, value) => {
  const odd = { leaseDurationSeconds: value, leaseTransitions: value, holderIdentity: 5, renewTime: {} } as never
  const { leaseDurationSeconds, leaseTransitions, ...texts } = readSpec(odd, 15_000)
  expect(leaseDurationSeconds).toBe(15)
  expect(Number.isInteger(leaseTransitions)).toBe(true)
  expect(texts).toEqual({ holderIdentity: undefined, acquireTime: undefined, renewTime: undefined })
})
