import type { Client } from '@wherry/client'
import { clusterServiceVersions as csvs } from '../../../../examples/copied-resources/resources.ts'
import type { Metrics, SubjectContext } from '../../harness/bench.ts'
import { copyOf, type Keeper } from './keeper.ts'
import { measureCopied } from './measure.ts'
import { plainKeeper } from './plain.ts'

/** Nothing is cached of copies: each is written whenever it is looked at. */
export function run(context: SubjectContext): Promise<Metrics> {
  return measureCopied(context, keeper)
}

function keeper(client: Client): Keeper {
  return plainKeeper(client, {
    bring: async (source, at) => {
      const { spec, ...metadata } = copyOf(source)
      await client.apply(csvs, { metadata: { ...at, ...metadata }, spec }, { fieldManager: 'bench', force: true })
    },
  })
}
