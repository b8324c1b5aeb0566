import { expect, it } from 'vitest'
import { playHour } from './harness/hour.ts'
import { timestamps } from './k9-timestamps.ts'
import { writes } from './k10-writes.ts'

const all = [...timestamps, ...writes].map(replay => ({ name: `${replay.id}, ${replay.title}`, replay }))

it.each(all)('A12, C24: no write and no read in an hour: $name', async ({ replay }) => {
  const { requests, runsOfAKey } = await playHour(replay, {
    objects: Math.ceil(replay.objects / 10),
    minutes: replay.looksAgain ? 6 : 60,
  })
  expect(requests).toEqual([])
  // Six runs are the timer's.
  if (!replay.looksAgain) expect(runsOfAKey).toBeLessThanOrEqual(6 + 2)
})
