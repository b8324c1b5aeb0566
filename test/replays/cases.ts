import { type Case, caseOf } from './harness/case.ts'
import { type HourReplay, meetsHour, playHour } from './harness/hour.ts'
import { type HourRow, hourRow, hourTable } from './harness/hour-report.ts'
import { type MemoryRow, play } from './harness/play.ts'
import { memoryTable } from './harness/report.ts'
import { type WatchRow, watchRow, watchTable } from './harness/watch-report.ts'
import { memoryReplays } from './index.ts'
import { timestamps } from './k9-timestamps.ts'
import { writes } from './k10-writes.ts'
import { brokenWatches } from './k11/index.ts'
import type { MemoryReplay } from './replay.ts'

const memoryCase = (replay: MemoryReplay): Case =>
  caseOf<MemoryRow>({
    id: replay.id,
    section: 'Memory',
    play: options => play(replay, options),
    tableOf: (rows, isMarkdown) => memoryTable(replay, rows, isMarkdown),
  })

/** On simulated time: one run is as good as three. */
const hourCase = (id: HourReplay['id'], section: string, replays: readonly HourReplay[]): Case =>
  caseOf<HourRow>({
    id,
    section,
    tableOf: hourTable,
    play: async ({ part, say }) => {
      const rows: HourRow[] = []
      for (const replay of replays) {
        const size = { objects: Math.ceil(replay.objects * part), minutes: 60 }
        say(`${id}: an hour of ${replay.title}`)
        const hour = await playHour(replay, size)
        for (const request of hour.requests) say(`${id}: ${request}`)
        rows.push(hourRow(replay, { ...hour, ...size, isMet: meetsHour(replay, hour) }))
      }
      return rows
    },
  })

const watchCase: Case = caseOf<WatchRow>({
  id: 'K11',
  section: 'What broke watches',
  tableOf: watchTable,
  play: async ({ say }) => {
    const rows: WatchRow[] = []
    for (const replay of brokenWatches) {
      say(`K11: ${replay.rule}, ${replay.on}, ${replay.variant ?? 'as published'}`)
      rows.push(watchRow(replay, await replay.play()))
    }
    return rows
  },
})

/** All cases, in the order of the page. */
export async function allCases(): Promise<Case[]> {
  const memory = await Promise.all(Object.values(memoryReplays).map(load => load()))
  return [
    ...memory.map(memoryCase),
    hourCase('K9', 'A timestamp is not a change', timestamps),
    hourCase('K10', 'Writes that change nothing', writes),
    watchCase,
  ]
}
