import { describe, expect, it } from 'vitest'
import { type Authority, newAuthority } from './authority.ts'
import { type Lives, lagMs, nextChange, nextPair, signerOf } from './schedule.ts'

const dayMs = 86_400_000
const lives: Lives = { authorityMs: 360 * dayMs, servingMs: 7 * dayMs }
const now = Date.UTC(2026, 0, 1)

function said([older, younger]: readonly [Authority, Authority], at = now): readonly number[] {
  return [older, younger].map(({ notAfter }) => (notAfter - at) / dayMs)
}

describe('the schedule of authorities', () => {
  it('B3: begins with two that expire half a life apart, and keeps them so', () => {
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

  it('B3: names the time of the next change, and nothing changes before that', () => {
    let pair = nextPair([], now, lives)
    const changes: number[] = []
    for (let at = now; at < now + 720 * dayMs; at = nextChange(pair, at, lives)) {
      changes.push((at - now) / dayMs)
      // A millisecond before, both were as they had been.
      if (at > now) expect(nextPair(pair, at - 1, lives)).toEqual(pair)
      pair = nextPair(pair, at, lives)
      expect(nextChange(pair, at, lives)).toBeGreaterThan(at)
    }
    // A new authority signs from a quarter of its life on; one is replaced each half.
    expect(changes.filter(day => day % 90 === 0)).toEqual([0, 90, 180, 270, 360, 450, 540, 630])
    expect(lagMs(lives)).toBe(45 * dayMs)
  })

  it('B3: an authority signs from the millisecond that it is a quarter of its life old', () => {
    const pair = nextPair([], now, lives)
    expect(signerOf(pair, now + 90 * dayMs - 1, lives)).toBe(pair[0])
    const next = nextPair(pair, now + 180 * dayMs, lives)
    expect(nextPair(pair, now + 180 * dayMs - 1, lives)).toEqual(pair)
    expect(signerOf(next, now + 270 * dayMs - 1, lives)).toBe(next[0])
    expect(signerOf(next, now + 270 * dayMs, lives)).toBe(next[1])
  })

  it('B3: an authority does not sign before its time, however late the other one is', () => {
    const older = newAuthority(now, now + dayMs)
    const younger = newAuthority(now + 60 * dayMs, now + 400 * dayMs)
    expect(signerOf([older, younger], now, lives)).toBe(older)
    expect(nextChange([older, younger], now + 2 * dayMs, lives)).toBe(younger.notBefore)
    expect(signerOf([older, younger], younger.notBefore, lives)).toBe(younger)
  })

  it('B3: the younger one signs early if the older one has less than half the life of a serving certificate', () => {
    const older = newAuthority(now, now + 10 * dayMs)
    const younger = newAuthority(now, now + 200 * dayMs)
    const at = now + 6.5 * dayMs
    expect(signerOf([older, younger], at, lives)).toBe(older)
    expect(nextChange([older, younger], now, lives)).toBe(at)
    expect(signerOf([older, younger], at + 1, lives)).toBe(younger)
  })

  it('keeps the two that expire last, whatever their order', () => {
    const [a, b, c] = [100, 300, 200].map(days => newAuthority(now, now + days * dayMs))
    const kept = nextPair([a, b, c] as Authority[], now, lives)
    expect(kept).toEqual([c, b])
  })

  it('does not replace the older one before the other one signs', () => {
    const older = newAuthority(now - 400 * dayMs, now + 10 * dayMs)
    const younger = newAuthority(now - dayMs, now + 200 * dayMs)
    expect(nextPair([older, younger], now, lives)).toEqual([older, younger])
    expect(signerOf([older, younger], now, lives)).toBe(older)
    expect(signerOf([older, younger], now + 7 * dayMs, lives)).toBe(younger)
  })
})
