import { describe, expect, it } from 'vitest'
import { canonicalTime, timeProblem } from './go-time.ts'

describe('times', () => {
  it.for([
    ['2026-01-01T00:00:00Z', '2026-01-01T00:00:00Z'],
    ['2026-01-01T02:00:00+02:00', '2026-01-01T00:00:00Z'],
    ['2025-12-31T18:30:00-05:30', '2026-01-01T00:00:00Z'],
    ['2026-01-01T00:00:00-00:00', '2026-01-01T00:00:00Z'],
    ['2026-01-01T00:00:00.999Z', '2026-01-01T00:00:00Z'],
    ['2026-01-01T00:00:00.123456Z', '2026-01-01T00:00:00Z'],
    ['2026-01-01T1:00:00Z', '2026-01-01T01:00:00Z'],
    ['2026-01-30T00:00:00Z', '2026-01-30T00:00:00Z'],
    ['nonsense', 'nonsense'],
    ['2026-13-01T00:00:00+02:00', '2026-13-01T00:00:00+02:00'],
  ] as const)('F1: %s is printed as %s', ([given, printed]) => {
    expect(canonicalTime(given, false)).toBe(printed)
  })

  it.for([
    ['2026-01-01T00:00:00.123456Z', '2026-01-01T00:00:00.123456Z'],
    ['2026-01-01T02:00:00.000001+02:00', '2026-01-01T00:00:00.000001Z'],
    ['2026-01-01T00:00:00,123456Z', '2026-01-01T00:00:00.123456Z'],
  ] as const)('F1: %s is printed with microseconds as %s', ([given, printed]) => {
    expect(canonicalTime(given, true)).toBe(printed)
  })

  it.for([
    ['2026-01-01T00:00:00-24:60', undefined],
    ['2026-01-01T00:00:00+25:00', 'time zone offset hour'],
    ['2026-01-01T00:00:00+05:61', 'time zone offset minute'],
    ['0000-02-29T00:00:00Z', undefined],
    ['1900-02-29T00:00:00Z', 'day'],
  ] as const)('F1: in %s, this is out of range: %s', ([given, what]) => {
    const why = what && `parsing time "${given}": ${what} out of range`
    expect(timeProblem(given, false)).toBe(why)
  })
})
