import { migrateStorage } from '@wherry/storage-migrator'
import type { Metrics, SubjectContext } from '../../harness/bench.ts'
import { clientFor } from '../../server/wherry.ts'
import { definition } from './games.ts'
import { measureMigration } from './measure.ts'

export function run(context: SubjectContext): Promise<Metrics> {
  return measureMigration(context, async address => {
    await using client = clientFor(address)
    const { counts, outcome } = await migrateStorage({ client, definition, settleMs: 0 })
    if (outcome !== 'migrated') throw new Error(outcome)
    return counts.rewritten
  })
}
