import type { View } from '@wherry/client'
import { type ConfigMap, configMaps, namespaces } from '@wherry/client/resources/core'
import { type SimulatedCluster, type SimulatedOptions, simulatedCluster } from '@wherry/informer/testkit/served'
import type { NarrowHandler } from '../handler.ts'
import { NarrowCache } from '../narrow-cache.ts'
import type { NarrowCacheOptions } from '../options.ts'

/** A narrow cache of a cluster in memory, on simulated time. */
export interface Kit extends SimulatedCluster {
  readonly narrow: NarrowCache
  /** Makes, changes and deletes ConfigMaps: `+ns/a`, `~ns/a`, `-ns/a`; `+ns/a app=x` with a label. */
  write(...changes: string[]): Promise<void>
  /** Watches of ConfigMaps that are open on the server. */
  watches(): Promise<number>
  /** The client's requests since the last call. */
  requests(): string[]
  get(path: string, view?: View<ConfigMap, 'namespaced'>): Promise<ConfigMap | undefined>
  /** Breaks the client's connections. */
  breakAll(): void
  run<T>(fn: () => T): Promise<Awaited<T>>
}

/** Longer than any message takes to arrive at the other end. */
const latencyMs = 500

export interface KitOptions extends Partial<NarrowCacheOptions> {
  readonly seed?: number
  readonly cluster?: SimulatedOptions
}

/** Runs a test with a cache, and then closes the cache and its cluster. */
export async function withNarrow(test: (kit: Kit) => Promise<void>, options: KitOptions = {}): Promise<void> {
  const { seed = 1, cluster: clusterOptions, ...cacheOptions } = options
  const cluster = await simulatedCluster(seed, clusterOptions)
  const { simulation, server, client, writer, asked } = cluster
  const narrow = new NarrowCache({ client, ...cacheOptions })
  const run: Kit['run'] = fn => simulation.run(fn)
  let changes = 0
  const write = async (...lines: string[]): Promise<void> => {
    await run(async () => {
      for (const line of lines) {
        const [path = '', label] = line.slice(1).split(' ')
        const key = keyOf(path)
        changes += 1
        if (line.startsWith('-')) await writer.delete(configMaps, key)
        else if (line.startsWith('~')) await writer.patch(configMaps, key, { data: { n: `${changes}` } })
        else {
          const [labelKey = '', value = ''] = (label ?? '').split('=')
          const labels = label === undefined ? undefined : { [labelKey]: value }
          await writer.create(configMaps, { metadata: { ...key, labels }, data: { n: `${changes}` } })
        }
      }
    })
    await simulation.advance(latencyMs)
  }
  await run(async () => {
    for (const name of ['a', 'b', 'c']) await writer.create(namespaces, { metadata: { name } })
  })
  const watches = async (): Promise<number> => {
    await simulation.advance(latencyMs)
    const { byVerb } = await run(() => server.stats())
    return byVerb.watch?.configmaps?.openStreams ?? 0
  }
  try {
    await test({
      ...cluster,
      narrow,
      write,
      watches,
      run,
      breakAll: () => {
        const { controls } = cluster.transport
        for (const connection of controls.connections()) controls.kill(connection)
      },
      requests: () => asked.splice(0),
      get: (path, view = configMaps) => run(() => narrow.get(view, keyOf(path))),
    })
  } finally {
    await run(() => narrow.close())
    await cluster.close()
  }
}

export function keyOf(path: string): { readonly namespace: string; readonly name: string } {
  const [namespace = '', name = ''] = path.split('/')
  return { namespace, name }
}

/** A handler that notes its events, a line each: `+a/x 1`, `~a/x 2`, `-a/x`, `0a/x`. */
export function noting(log: string[]): NarrowHandler<ConfigMap> {
  return {
    add: ({ data }, { key, isInInitialList }) => log.push(`+${key} ${data?.n}${isInInitialList ? ' first' : ''}`),
    update: ({ data }, { old, key }) => log.push(`~${key} ${old.data?.n}→${data?.n}`),
    delete: (_, { key, finalStateUnknown }) => log.push(`-${key}${finalStateUnknown ? ' ?' : ''}`),
    absent: ({ key }) => log.push(`0${key}`),
  }
}
