import { isDeepStrictEqual } from 'node:util'
import type { Client } from '@wherry/client'
import { compareParts, hashParts, parts, readHashes, writeHashes } from '@wherry/hash-compare'
import {
  type ClusterServiceVersion,
  clusterServiceVersions as csvs,
} from '../../../../examples/copied-resources/resources.ts'
import type { Metrics, SubjectContext } from '../../harness/bench.ts'
import { copyLabel, copyOf, type Keeper } from './keeper.ts'
import { measureCopied } from './measure.ts'
import { plainKeeper } from './plain.ts'

/** Metadata of copies is cached. The hash of the spec is in an annotation; labels are compared as they are. */
export function run(context: SubjectContext): Promise<Metrics> {
  return measureCopied(context, keeper)
}

const content = parts({
  spec: ({ spec }: ClusterServiceVersion) => spec,
  notes: ({ metadata }) => metadata?.annotations,
})

function keeper(client: Client): Keeper {
  /** Each state of a source is hashed once. */
  const hashed = new WeakMap<object, ReturnType<typeof hashParts<ClusterServiceVersion, 'spec' | 'notes'>>>()
  return plainKeeper(client, {
    copies: csvs.metadata().within({ labels: { [copyLabel]: 'true' } }),
    bring: async (source, at, observed) => {
      const { spec, ...metadata } = copyOf(source)
      const hashes = hashed.get(source) ?? hashParts(source, content)
      hashed.set(source, hashes)
      const written = observed && readHashes(observed)
      const differing = written && compareParts<string>(hashes, written.hashes).map(({ part }) => part)
      const isSpecEqual = written?.outdated === false && differing?.includes('spec') === false
      const { labels, resourceVersion, generation = 0 } = observed?.metadata ?? {}
      if (isSpecEqual && differing?.length === 0 && isDeepStrictEqual(labels, metadata.labels)) return
      const desired = writeHashes(
        { metadata: { ...at, ...metadata, ...(resourceVersion && { resourceVersion }) }, spec },
        hashes,
        { generation: isSpecEqual ? generation : generation + 1 },
      )
      await (observed === undefined ? client.create(csvs, desired) : client.update(csvs, desired))
    },
  })
}
