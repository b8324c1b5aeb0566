import { join } from 'node:path'
import { expect, it } from 'vitest'
import { root } from '../../tools/workspace.ts'
import { auditManyWatches } from './many-watches.ts'

const fromSource = ['--import', join(root, 'test/examples/from-source.ts')]

it('the report of 200 watches has all of them, and the auditor takes little memory', async () => {
  const size = { watches: 200, objectsEach: 75, objectBytes: 10_000 }
  // An auditor that keeps the objects needs 150 MB more, and ends with an error if its heap has them.
  const wherry = ['--max-old-space-size=100', ...fromSource, join(root, 'packages/cli/src/bin.ts')]
  const { report, auditorBytes } = await auditManyWatches({ ...size, wherry, node: fromSource })
  const received = report.collections.reduce((sum, { bytes }) => sum + bytes, 0)
  expect(received).toBeGreaterThan(150_000_000)
  if (auditorBytes !== undefined) expect(auditorBytes).toBeLessThan(250_000_000)
  expect(new Set(report.collections.map(({ namespace }) => namespace)).size).toBe(size.watches)
  const objects = size.objectsEach
  for (const collection of report.collections)
    expect(collection).toMatchObject({
      ...{ resource: 'configmaps', namespace: expect.stringMatching(/^team-\d+$/), lists: 1, watches: 1 },
      ...{ objects, distinct: objects, used: 0, relists: {} },
    })
  expect(report.findings).toEqual(
    report.collections.map(({ resource, namespace, distinct, used, bytes }) => {
      return { finding: 'whole-kind', resource, namespace, distinct, used, bytes }
    }),
  )
})
