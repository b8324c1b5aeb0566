import { type ConfigMap, configMaps, namespaces } from '@wherry/client/resources/core'
import type { SharedInformer } from '@wherry/informer'
import { type SimulatedCluster, type SimulatedOptions, simulatedCluster } from '@wherry/informer/testkit/served'
import { DynamicCache } from '../dynamic-cache.ts'
import type { DynamicCacheOptions } from '../options.ts'

/** A cache of a cluster in memory, on simulated time. */
export interface Kit extends SimulatedCluster {
  readonly cache: DynamicCache
  /** Makes, changes and deletes ConfigMaps: `+ns/a`, `~ns/a`, `-ns/a`; `+ns/a app=x` with a label. */
  write(...changes: string[]): Promise<void>
  /** The number of open watches on the server for a resource such as `configmaps` or `games`. */
  watches(resource?: string): Promise<number>
  run<T>(fn: () => T): Promise<Awaited<T>>
}

/** Longer than any message takes to arrive at the other end. */
const latencyMs = 500

/** Runs a test with a cache, and then closes the cache and its cluster. */
export async function withCache(
  test: (kit: Kit) => Promise<void>,
  options: Partial<DynamicCacheOptions> & { readonly seed?: number; readonly cluster?: SimulatedOptions } = {},
): Promise<void> {
  const { seed = 1, cluster: clusterOptions, ...cacheOptions } = options
  const cluster = await simulatedCluster(seed, clusterOptions)
  const { simulation, server, client, writer } = cluster
  const cache = new DynamicCache({ client, ...cacheOptions })
  let changes = 0
  const run: Kit['run'] = fn => simulation.run(fn)
  const write = async (...lines: string[]): Promise<void> => {
    await run(async () => {
      for (const line of lines) {
        const [path = '', label] = line.slice(1).split(' ')
        const [namespace = '', name = ''] = path.split('/')
        const key = { namespace, name }
        changes += 1
        if (line.startsWith('-')) await writer.delete(configMaps, key)
        else if (line.startsWith('~')) await writer.patch(configMaps, key, { data: { change: `${changes}` } })
        else {
          const [labelKey = '', value = ''] = (label ?? '').split('=')
          await writer.create(configMaps, { metadata: { ...key, ...(label && { labels: { [labelKey]: value } }) } })
        }
      }
    })
    await simulation.advance(latencyMs)
  }
  await run(async () => {
    for (const name of ['a', 'b', 'c']) {
      await writer.create(namespaces, { metadata: { name } })
    }
  })
  const watches = async (resource = 'configmaps'): Promise<number> => {
    await simulation.advance(latencyMs)
    const { byVerb } = await run(() => server.stats())
    return byVerb.watch?.[resource]?.openStreams ?? 0
  }
  try {
    await test({ ...cluster, cache, write, watches, run })
  } finally {
    await run(() => cache.close())
    await cluster.close()
  }
}

/** Records the events that a handler of ConfigMaps receives, a line each: `+a/x`, `~a/x`, `-a/x`. */
export function listen(informer: SharedInformer<ConfigMap>): string[] {
  const log: string[] = []
  informer.addHandler({
    add: (_, { key }) => log.push(`+${key}`),
    update: (_, { key }) => log.push(`~${key}`),
    delete: (_, { key, finalStateUnknown }) => log.push(`-${key}${finalStateUnknown ? ' ?' : ''}`),
  })
  return log
}
