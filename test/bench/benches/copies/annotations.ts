import type { Client } from '@wherry/client'
import { type ConfigMap, configMaps, namespaces } from '@wherry/client/resources/core'
import { DynamicCache } from '@wherry/dynamic-cache'
import { compareParts, hashParts, readHashes, writeHashes } from '@wherry/hash-compare'
import type { Metrics, SubjectContext } from '../../harness/bench.ts'
import { kept } from './kept.ts'
import { content, copyLabel, type Keeper, measureCopies, sources, type Wants } from './measure.ts'

/**
 * Hashes on the copies, and a cache of their metadata. An edit of data does not show there (ConfigMaps have no generation), so each
 * event of a copy is answered by reading it.
 */
export function run(context: SubjectContext): Promise<Metrics> {
  return measureCopies(context, keeper)
}

function keeper(client: Client, wants: Wants): Keeper {
  const cache = new DynamicCache({ client })
  const parents = cache.informer(sources)
  const spaces = cache.informer(namespaces.metadata().within({ labels: wants }))
  const copies = cache.informer(configMaps.metadata().within({ labels: { [copyLabel]: wants } }))
  const desiredOf = (key: string): ConfigMap => {
    const [namespace = '', name = ''] = key.split('/')
    const { metadata, data = {} } = parents.get(`sources/${name}`) as ConfigMap
    return { metadata: { namespace, name, labels: { ...metadata?.labels, [copyLabel]: wants } }, data }
  }
  const write = async (key: string): Promise<void> => {
    const desired = desiredOf(key)
    const hashes = hashParts(desired, content)
    const held = copies.get(key)
    if (held === undefined) {
      await client.create(configMaps, writeHashes(desired, hashes))
      return
    }
    const written = readHashes(held)
    if (written !== undefined && compareParts(hashes, written.hashes).length === 0) return
    await client.update(
      configMaps,
      writeHashes({ ...desired, metadata: { ...held.metadata, ...desired.metadata } }, hashes),
    )
  }
  const look = async (key: string): Promise<void> => {
    const desired = desiredOf(key)
    const hashes = hashParts(desired, content)
    const held = await client.get(configMaps, desired.metadata as { name: string; namespace: string })
    if (held === undefined || compareParts(hashes, hashParts(held, content)).length === 0) return
    await client.update(
      configMaps,
      writeHashes({ ...desired, metadata: { ...held.metadata, ...desired.metadata } }, hashes),
    )
  }
  return kept({ cache, parents, spaces, copies, write, look })
}
