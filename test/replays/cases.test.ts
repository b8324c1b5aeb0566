import { expect, it } from 'vitest'
import { allCases } from './cases.ts'
import { exactly } from './harness/figure.ts'
import { hourRow } from './harness/hour-report.ts'
import { jsonLines, rowsIn } from './harness/json.ts'
import type { MemoryRow } from './harness/play.ts'
import { watchRow } from './harness/watch-report.ts'
import { writes } from './k10-writes.ts'
import { brokenWatches } from './k11/index.ts'

const cases = await allCases()
const tableOf = (id: string, rows: Parameters<typeof jsonLines>[0]): string =>
  cases.find(one => one.id === id)?.tableOf(rowsIn(jsonLines(rows).join('\n')), true) ?? ''

it('plays K1 to K11, each once, and all rules of P', () => {
  expect(cases.map(({ id }) => id)).toEqual(Array.from({ length: 11 }, (_, i) => `K${i + 1}`))
  const rules = new Set(brokenWatches.map(({ rule }) => rule))
  expect([...rules]).toEqual(Array.from({ length: 9 }, (_, i) => `P${i + 1}`))
})

it('says in a table of memory that a bar is missed, and how a program of others ended', () => {
  const taken = { rssBytes: 90e6, peakBytes: 99e6, readyMs: 500, firstMs: 0, getMs: 0, aboveIdleBytes: 20e6, runs: 3 }
  const ours: MemoryRow = { replay: 'K6', program: 'wherry, one by name', size: 2000, ...taken, isMet: false }
  const theirs: MemoryRow = { ...ours, program: 'client-node', isMet: undefined, failed: 'killed after 300 s' }
  const table = tableOf('K6', [ours, theirs])
  expect(table).toContain('| **wherry, one by name** | 2000 | 90 | 20 | 99 | 0.5 | **MISSED** |')
  expect(table).toContain('| client-node | 2000 |  |  | 99 |  | killed after 300 s |')
})

it('says in the other tables what was counted', () => {
  const [replay] = writes
  const [dead] = brokenWatches
  if (replay === undefined || dead === undefined) throw new Error('there is no case')
  const hour = { writes: 1200, reads: 0, runsOfAKey: 8, requests: [], objects: 1, minutes: 60, isMet: false }
  expect(tableOf('K10', [hourRow(replay, hour)])).toContain('| 1 | 60 | 1,200 | 0 | 8 | **MISSED** |')
  const row = watchRow(dead, [exactly('events lost', 2, 0)])
  expect(tableOf('K11', [row])).toContain('| embedded | events lost: 2 (0) | **MISSED** |')
})
