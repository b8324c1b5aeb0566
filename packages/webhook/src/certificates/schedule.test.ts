import { describe, expect, it } from 'vitest'
import { type Authority, newAuthority } from './authority.ts'
import { type Lives, nextPair, signerOf } from './schedule.ts'

const dayMs = 86_400_000
const lives: Lives = { authorityMs: 360 * dayMs, servingMs: 7 * dayMs }
const now = Date.UTC(2026, 0, 1)

function said([older, younger]: readonly [Authority, Authority], at = now): readonly number[] {
  return [older, younger].map(({ notAfter }) => (notAfter - at) / dayMs)
}

describe('the schedule of authorities', () => {
  it('B3: begins with two whose expiries are half a life apart, and keeps them so', () => {
    const first = nextPair([], now, lives)
    expect(said(first)).toEqual([225, 405])
    expect(signerOf(first, now, lives)).toBe(first[0])
    expect(signerOf(first, now + 90 * dayMs, lives)).toBe(first[1])
    expect(nextPair(first, now + 179 * dayMs, lives)).toEqual(first)
    const at = now + 180 * dayMs
    const second = nextPair(first, at, lives)
    expect([said(second, at), second[0]]).toEqual([[225, 405], first[1]])
    // The one that signed before signs on, until the new one has been in the bundles for long.
    expect(signerOf(second, at, lives)).toBe(first[1])
  })

  it('B3: replaces at once what has expired, both if both have', () => {
    const [older, younger] = nextPair([], now, lives)
    const late = now + 300 * dayMs
    expect(nextPair([older, younger], late, lives)[0]).toBe(younger)
    const fresh = nextPair([older, younger], now + 500 * dayMs, lives)
    expect(said(fresh, now + 500 * dayMs)).toEqual([225, 405])
    expect(fresh).not.toContain(younger)
  })

  it('replaces one that is missing by one that expires half a life later, within bounds', () => {
    const [older] = nextPair([], now, lives)
    expect(said(nextPair([older], now, lives))).toEqual([225, 405])
    const byHand = newAuthority(now, now + 3650 * dayMs)
    expect(said(nextPair([byHand], now, lives))).toEqual([405, 3650])
  })

  it('does not replace the older one before the other one signs', () => {
    const older = newAuthority(now - 400 * dayMs, now + 10 * dayMs)
    const younger = newAuthority(now - dayMs, now + 200 * dayMs)
    expect(nextPair([older, younger], now, lives)).toEqual([older, younger])
    expect(signerOf([older, younger], now, lives)).toBe(older)
    expect(signerOf([older, younger], now + 7 * dayMs, lives)).toBe(younger)
  })
})
