import { expect, it } from 'vitest'
import type { GameReport } from '../game/play.ts'
import { comparison } from './comparison.ts'
import type { AuditReport, CollectionReport } from './report.ts'

const empty: AuditReport = {
  ...{ seconds: 60, findings: [], collections: [], byName: [], patches: [], refusals: [], rest: undefined },
  ...{ others: { requests: 3, bytes: 0 }, memory: [] },
}

const secrets: CollectionReport = {
  ...{ resource: 'secrets', namespace: '', selector: '', lists: 1, furtherPages: 0, watches: 1, objects: 30 },
  ...{ distinct: 30, used: 1, bytes: 15_000_000, wireBytes: 15_000_000, onceBytes: 15_000_000, relists: {} },
}
const one: CollectionReport = { ...secrets, namespace: 'a', selector: 'metadata.name=key', objects: 1, bytes: 500_000 }
const pods: CollectionReport = { ...secrets, resource: 'pods', bytes: 10 }
const gets = { get: 5, create: 0, update: 0, patch: 4, delete: 0, connect: 0, unchanged: 2, bytes: 100 }
const patches = { resource: 'pods', manager: 'game', type: 'merge', times: 4, unchanged: 2 }

it('a comparison has what differs, and the findings that are gone and that came', () => {
  const before: AuditReport = {
    ...{ ...empty, collections: [pods, secrets], byName: [{ resource: 'pods', ...gets, getsPerMinute: 5 }] },
    ...{ patches: [patches, { ...patches, type: 'apply' }], memory: [{ second: 0, rssBytes: 90e6, receivedBytes: 0 }] },
    findings: [
      { finding: 'whole-kind', resource: 'secrets', namespace: '', distinct: 30, used: 1, bytes: 1 },
      { finding: 'relists', resource: 'pods', reason: '410', times: 2 },
    ],
  }
  const after: AuditReport = {
    ...{ ...empty, collections: [pods, one], byName: [{ resource: 'pods', ...gets, patch: 2, getsPerMinute: 5 }] },
    ...{
      patches: [
        { ...patches, times: 2 },
        { ...patches, type: 'apply' },
      ],
      memory: [{ second: 0, rssBytes: 40e6, receivedBytes: 0 }],
    },
    findings: [
      { finding: 'relists', resource: 'pods', reason: '410', times: 5 },
      { finding: 'relists', resource: 'pods', reason: 'open', times: 1 },
    ],
  }
  expect(comparison(before, after)).toBe(`RUN             BEFORE  AFTER
seconds         60      60
bytes received  15 MB   500 kB
memory at most  90 MB   40 MB
memory at last  90 MB   40 MB
other requests  3       3
findings        2       2

LISTED OR WATCHED  SCOPE    SELECTOR           LISTS  WATCHES  OBJECTS  BYTES
secrets            cluster  -                  1 → 0  1 → 0    30 → 0   15 MB → 0 B
secrets            a        metadata.name=key  0 → 1  0 → 1    0 → 1    0 B → 500 kB

BY NAME  GETS  A MINUTE  CREATES  UPDATES  PATCHES  DELETES  UNCHANGED  BYTES
pods     5     5         0        0        4 → 2    0        2          100 B

PATCHED  MANAGER  TYPE   TIMES  UNCHANGED
pods     game     merge  4 → 2  2

Findings that are gone:
- All secrets in the whole cluster are watched: of 30 objects, 1 are read or written by name.

Findings that came:
- pods were listed again once, while a watch of the same objects was open.
  https://github.com/wherry-dev/wherry/blob/main/docs/audit.md#it-lists-again
`)
})

const game: GameReport = {
  ...{ namespace: 'wherry-audit-1', counts: { configmaps: 2, secrets: 3, pods: 0, events: 1 }, maxGrowthBytes: 20e6 },
  received: [
    { resource: 'configmaps', objects: 4, bytes: 2_000_000 },
    { resource: 'secrets', objects: 6, bytes: 3_000_000 },
  ],
  ...{ rssBeforeBytes: 50e6, rssMostBytes: 90e6, rssAfterBytes: 80e6 },
}

it('a comparison has the numbers of both games, or of one', () => {
  const after = { ...empty, game: { ...game, received: [], rssMostBytes: 52e6, rssAfterBytes: 51e6 } }
  expect(comparison({ ...empty, game }, after)).toContain(`
GAME              BEFORE  AFTER
objects           6       6
objects received  10      0
bytes received    5.0 MB  0 B
memory before     50 MB   50 MB
memory at most    90 MB   52 MB
memory after      80 MB   51 MB
`)
  expect(comparison(empty, after)).toContain('memory at most    -       52 MB\n')
  expect(comparison(empty, empty)).not.toContain('GAME')
})

it('a report has no differences to itself', () => {
  const report: AuditReport = { ...empty, collections: [secrets], patches: [patches] }
  expect(comparison(report, report).split('\n').slice(0, 1)).toEqual(['RUN             BEFORE  AFTER'])
  expect(comparison(report, report)).not.toContain('→')
  expect(comparison(report, report)).not.toContain('secrets')
})
