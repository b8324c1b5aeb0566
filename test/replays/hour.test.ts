import { expect, it } from 'vitest'
import { meetsHour, playHour } from './harness/hour.ts'
import { timestamps } from './k9-timestamps.ts'
import { writes } from './k10-writes.ts'

const all = [...timestamps, ...writes].map(replay => ({ name: `${replay.id}, ${replay.title}`, replay }))

it.each(all)('A12, C24: no write and no read in an hour: $name', async ({ replay }) => {
  const hour = await playHour(replay, {
    objects: Math.ceil(replay.objects / 10),
    minutes: replay.looksAgain ? 6 : 60,
  })
  expect(hour.requests).toEqual([])
  expect(hour).toSatisfy(() => meetsHour(replay, hour))
  // It has run, else nothing was tried.
  expect(hour.runsOfAKey).toBeGreaterThan(0)
})
