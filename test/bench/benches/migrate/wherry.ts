import { setFlagsFromString } from 'node:v8'
import { migrateStorage } from '@wherry/storage-migrator'
import type { Metrics, SubjectContext } from '../../harness/bench.ts'
import { clientFor } from '../../server/wherry.ts'
import { definition } from './games.ts'
import { measureMigration } from './measure.ts'

// As the command does (`cli/small-heap.ts`).
for (const flag of ['--semi-space-growth-factor=1', '--optimize-for-size']) setFlagsFromString(flag)

export function run(context: SubjectContext): Promise<Metrics> {
  return measureMigration(context, async address => {
    await using client = clientFor(address)
    const { counts, outcome } = await migrateStorage({ client, definition, settleMs: 0 })
    if (outcome !== 'migrated') throw new Error(outcome)
    return counts.rewritten
  })
}
