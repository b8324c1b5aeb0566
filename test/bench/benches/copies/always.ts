import type { Client } from '@wherry/client'
import { type ConfigMap, configMaps, namespaces } from '@wherry/client/resources/core'
import { DynamicCache } from '@wherry/dynamic-cache'
import type { Metrics, SubjectContext } from '../../harness/bench.ts'
import { kept } from './kept.ts'
import { copyLabel, type Keeper, measureCopies, sources, type Wants } from './measure.ts'

/** The usual way: whole copies in a cache, and an update of each on every resync and event, equal or not. */
export function run(context: SubjectContext): Promise<Metrics> {
  return measureCopies(context, keeper)
}

function keeper(client: Client, wants: Wants): Keeper {
  const cache = new DynamicCache({ client })
  const parents = cache.informer(sources)
  const spaces = cache.informer(namespaces.metadata().within({ labels: wants }))
  const copies = cache.informer(configMaps.within({ labels: { [copyLabel]: wants } }))
  const write = async (key: string): Promise<void> => {
    const [namespace = '', name = ''] = key.split('/')
    const { metadata, data = {} } = parents.get(`sources/${name}`) as ConfigMap
    const held = copies.get(key)
    const desired = {
      metadata: { ...held?.metadata, namespace, name, labels: { ...metadata?.labels, [copyLabel]: wants } },
      data,
    }
    await (held === undefined ? client.create(configMaps, desired) : client.update(configMaps, desired))
  }
  return kept({ cache, parents, spaces, copies, write, look: write })
}
