import { isDeepStrictEqual } from 'node:util'
import type { Client } from '@wherry/client'
import { clusterServiceVersions as csvs } from '../../../../examples/copied-resources/resources.ts'
import type { Metrics, SubjectContext } from '../../harness/bench.ts'
import { copyLabel, copyOf, type Keeper } from './keeper.ts'
import { measureCopied } from './measure.ts'
import { plainKeeper } from './plain.ts'

/** Whole copies are cached, and compared whole. */
export function run(context: SubjectContext): Promise<Metrics> {
  return measureCopied(context, keeper)
}

function keeper(client: Client): Keeper {
  return plainKeeper(client, {
    copies: csvs.within({ labels: { [copyLabel]: 'true' } }),
    bring: async (source, at, observed) => {
      const { spec, ...metadata } = copyOf(source)
      const { labels, annotations = {}, resourceVersion } = observed?.metadata ?? {}
      if (observed !== undefined && isDeepStrictEqual({ labels, annotations, spec: observed.spec }, copyOf(source)))
        return
      const desired = { metadata: { ...at, ...metadata, ...(resourceVersion && { resourceVersion }) }, spec }
      await (observed === undefined ? client.create(csvs, desired) : client.update(csvs, desired))
    },
  })
}
