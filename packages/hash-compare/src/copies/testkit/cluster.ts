import type { Client, KubernetesObject } from '@wherry/client'
import { type ConfigMap, configMaps, namespaces } from '@wherry/client/resources/core'
import { type SimulatedCluster, type SimulatedOptions, simulatedCluster } from '@wherry/informer/testkit/served'
import { type Parts, parts } from '../../parts/parts.ts'
import { specPart } from '../../parts/spec-part.ts'
import type { CopyEvent } from '../copy-event.ts'
import { CopyReconciler } from '../copy-reconciler.ts'
import type { CopyReconcilerOptions } from '../options.ts'
import { InformerCache } from './informer-cache.ts'

export const content: Parts<object, 'spec'> = parts({ spec: specPart() })

/** Copies of ConfigMaps of the namespace `shared` in those with the label `tenant`. */
export const settings: Pick<
  CopyReconcilerOptions<ConfigMap, ConfigMap>,
  'name' | 'source' | 'copies' | 'targets' | 'build' | 'parts'
> = {
  name: 'settings',
  source: configMaps.within({ namespaces: ['shared'] }),
  copies: configMaps,
  targets: 'tenant',
  build: ({ metadata, data }: ConfigMap): ConfigMap => ({ metadata: { labels: metadata?.labels }, data }),
  parts: content,
}

/** The options that a kit does not give. */
export type Made<P, T extends KubernetesObject> = Omit<CopyReconcilerOptions<P, T>, 'client' | 'cache'>

/** A cluster in memory, on simulated time, and what keeps copies in it. */
export interface Kit extends SimulatedCluster {
  readonly cache: InformerCache
  readonly events: CopyEvent[]
  run<T>(fn: () => T): Promise<Awaited<T>>
  /** One of any resource, not started yet. Closed with all. */
  make<P, T extends KubernetesObject>(options: Made<P, T>): CopyReconciler<P, T>
  /** One of ConfigMaps, not started yet. */
  reconciler(options?: Partial<CopyReconcilerOptions<ConfigMap, ConfigMap>>): CopyReconciler<ConfigMap, ConfigMap>
  /** Starts one, and waits until it has settled. */
  settled(options?: Partial<CopyReconcilerOptions<ConfigMap, ConfigMap>>): Promise<CopyReconciler<ConfigMap, ConfigMap>>
  /** Makes namespaces `t0` … with the label, and sources `s0` … */
  fill(sources: number, targets: number): Promise<void>
  /** The requests of other verbs than watch since the last call, as `update configmaps`, with how often. */
  requests(): Promise<Readonly<Record<string, number>>>
  /** Lets what was written come in, and what comes of it be done. */
  quiet(ms?: number): Promise<void>
}

export async function withCopies(
  test: (kit: Kit) => Promise<void>,
  options: SimulatedOptions & { readonly seed?: number } = {},
): Promise<void> {
  const { seed = 1, ...clusterOptions } = options
  const cluster = await simulatedCluster(seed, clusterOptions)
  const { simulation, server, client, writer } = cluster
  const cache = new InformerCache(client)
  const events: CopyEvent[] = []
  const made: AsyncDisposable[] = []
  const run: Kit['run'] = fn => simulation.run(fn)
  const make: Kit['make'] = options => {
    const one = new CopyReconciler({ client, cache, onEvent: event => events.push(event), ...options })
    made.push(one)
    return one
  }
  const reconciler: Kit['reconciler'] = given => make({ ...settings, ...given })
  const kit: Kit = {
    ...cluster,
    cache,
    events,
    run,
    make,
    reconciler,
    settled: async given => {
      const one = reconciler(given)
      one.start()
      await run(() => one.settled())
      await kit.quiet()
      return one
    },
    fill: async (sources, targets) => {
      await run(async () => {
        await makeNamespaces(writer, targets)
        for (let i = 0; i < sources; i++) await writer.create(configMaps, source(i))
      })
    },
    requests: () => run(async () => requestsOf(server)),
    quiet: (ms = 2000) => simulation.advance(ms),
  }
  try {
    await test(kit)
  } finally {
    await run(() => Promise.all(made.map(one => one[Symbol.asyncDispose]())))
    await cluster.close()
  }
}

export const source = (i: number, data: Record<string, string> = { n: `${i}` }): ConfigMap => ({
  metadata: { namespace: 'shared', name: `s${i}`, labels: { app: 'arcade' } },
  data,
})

export async function makeNamespaces(client: Client, targets: number): Promise<void> {
  await client.create(namespaces, { metadata: { name: 'shared' } })
  await client.create(namespaces, { metadata: { name: 'other' } })
  for (let i = 0; i < targets; i++) {
    await client.create(namespaces, { metadata: { name: `t${i}`, labels: { tenant: 'x' } } })
  }
}

interface Counted {
  stats(): unknown
  resetStats(): unknown
}

/** Requests by verb and resource since they were asked for last, without watches and leases. */
export async function requestsOf(server: Counted): Promise<Readonly<Record<string, number>>> {
  const { byVerb } = (await server.stats()) as {
    readonly byVerb: Readonly<Record<string, Readonly<Record<string, { readonly requests: number }>>>>
  }
  await server.resetStats()
  return Object.fromEntries(
    Object.entries(byVerb)
      .filter(([verb]) => verb !== 'watch')
      .flatMap(([verb, resources]) =>
        Object.entries(resources).map(([resource, { requests }]) => [`${verb} ${resource}`, requests] as const),
      )
      .filter(([, requests]) => requests > 0),
  )
}
