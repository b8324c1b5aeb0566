import { forEachSeed, integer, seededRandom } from '@wherry/testing'
import { expect, it } from 'vitest'
import { LogPlace, timedLine } from './log-place.ts'

/** A log with lines that often have one time. Times are as a kubelet writes them. */
function randomLog(random: () => number): string[] {
  let nanos = BigInt(Date.parse('2026-01-01T00:00:00Z')) * 1_000_000n
  return Array.from({ length: integer(random, 1, 60) }, (_, index) => {
    const steps = [0n, 0n, 1n, 999n, 300_000_000n, 1_000_000_000n]
    nanos += steps[integer(random, 0, steps.length - 1)] ?? 0n
    const seconds = new Date(Number(nanos / 1_000_000n)).toISOString().slice(0, 19)
    return `${seconds}.${(nanos % 1_000_000_000n).toString().padStart(9, '0')}Z line ${index}`
  })
}

/** As an API server asks a node: from a whole second on. */
const linesSince = (log: readonly string[], since: string | undefined): readonly string[] =>
  since === undefined ? log : log.filter(line => line.slice(0, 19) >= since.slice(0, 19))

it('over any breaks, each line is delivered once and in order', () =>
  forEachSeed(
    async seed => {
      const random = seededRandom(seed)
      const log = randomLog(random)
      const place = new LogPlace()
      const seen: string[] = []
      while (seen.length < log.length) {
        place.seek()
        let left = integer(random, 0, 20)
        for (const line of linesSince(log, place.since)) {
          if (left-- === 0) break
          if (place.isNew(timedLine(line))) seen.push(line)
        }
        // A break may bring nothing new. In the end, the whole log comes.
        if (random() < 0.1) {
          place.seek()
          for (const line of linesSince(log, place.since)) {
            if (place.isNew(timedLine(line))) seen.push(line)
          }
        }
      }
      expect(seen).toEqual(log)
    },
    { seeds: 200 },
  ))

it('a line without a time is delivered as it is', () => {
  const place = new LogPlace()
  const line = timedLine('no time here')
  expect(line).toEqual({ time: '', timeLength: 0 })
  expect(place.isNew(line)).toBe(true)
  expect(place.since).toBe(undefined)
})
