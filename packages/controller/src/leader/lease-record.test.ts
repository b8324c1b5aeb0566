import { expect, it } from 'vitest'
import { isSameRecord, microTime, recordOf, specOf } from './lease-record.ts'

const time = '2026-01-01T00:00:00.000000Z'
const record = { holder: 'a', durationMs: 15_000, acquireTime: time, renewTime: time, transitions: 3 }

it('C6: a lease that lacks everything is nobody’s, and may be taken at once', () => {
  const nobody = { holder: '', durationMs: 0, acquireTime: '', renewTime: '', transitions: 0 }
  expect([recordOf({}), recordOf({ spec: {} })]).toEqual([nobody, nobody])
})

it('C6: what is written is read back, in seconds, and nobody holds it without a name', () => {
  const spec = specOf(record)
  expect(spec).toEqual({
    holderIdentity: 'a',
    leaseDurationSeconds: 15,
    acquireTime: time,
    renewTime: time,
    leaseTransitions: 3,
  })
  expect(recordOf({ spec })).toEqual(record)
  expect(specOf({ ...record, holder: '' })).not.toHaveProperty('holderIdentity')
})

it('C6: whatever of it changes is a sign of life', () => {
  expect(isSameRecord(record, { ...record })).toBe(true)
  const changes = [{ holder: 'b' }, { durationMs: 1000 }, { acquireTime: '' }, { renewTime: '' }, { transitions: 4 }]
  for (const change of changes) expect(isSameRecord(record, { ...record, ...change })).toBe(false)
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
