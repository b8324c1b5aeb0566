import type { Client, KubernetesObject } from '@wherry/client'
import { type ConfigMap, configMaps, namespaces } from '@wherry/client/resources/core'
import { Operator } from '@wherry/controller'
import { type SimulatedCluster, type SimulatedOptions, simulatedCluster } from '@wherry/informer/testkit/served'
import { Copies } from '../copies.ts'
import type { CopiesOptions } from '../options.ts'

/** Copies of ConfigMaps of the namespace `shared` in the namespaces with the label `tenant`. */
export const settings: CopiesOptions<ConfigMap, ConfigMap> = {
  name: 'settings',
  source: configMaps.within({ namespaces: ['shared'] }),
  copies: configMaps,
  targets: 'tenant',
  build: ({ metadata, data }: ConfigMap): ConfigMap => ({ metadata: { labels: metadata?.labels }, data }),
}

/** Copies with an operator that runs. */
export interface Running<P, T extends KubernetesObject> {
  readonly copies: Copies<P, T>
  readonly operator: Operator
  settled(): Promise<void>
  stop(): Promise<void>
}

/** Runs an operator that keeps copies, and nothing else. */
export function runCopies<P, T extends KubernetesObject>(client: Client, options: CopiesOptions<P, T>): Running<P, T> {
  const copies = new Copies(options)
  const operator = new Operator({ name: 'copier', client, log: silent })
  operator.add(copies.controller)
  const stop = new AbortController()
  const running = operator.run({ signal: stop.signal, signals: false })
  // `stop` waits for it.
  running.catch(() => {})
  return {
    copies,
    operator,
    settled: () => operator.settled({ timeoutMs: 600_000 }),
    stop: async () => {
      stop.abort(new Error('the test ends'))
      await running
    },
  }
}

const silent = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} }

/** A cluster in memory, on simulated time, and operators that keep copies in it. */
export interface Kit extends SimulatedCluster {
  run<T>(fn: () => T): Promise<Awaited<T>>
  /** Starts copies of any resource, and waits until they have settled, unless `how.settles` is false. They are stopped after the test. */
  keep<P, T extends KubernetesObject>(
    options: CopiesOptions<P, T>,
    how?: { readonly settles: boolean },
  ): Promise<Running<P, T>>
  /** Starts copies of ConfigMaps, and waits until they have settled. */
  settled(options?: Partial<CopiesOptions<ConfigMap, ConfigMap>>): Promise<Running<ConfigMap, ConfigMap>>
  /** Makes namespaces `t0` … with the label, and sources `s0` … */
  fill(sources: number, targets: number): Promise<void>
  /** The number of requests since the last call, by verb and resource such as `patch configmaps`, without watches. */
  requests(): Promise<Readonly<Record<string, number>>>
  /** Lets time pass, until the operators have received earlier writes and written the consequences. */
  quiet(ms?: number): Promise<void>
  /** The errors that were reported. */
  errors(): readonly Error[]
}

export async function withCopies(
  test: (kit: Kit) => Promise<void>,
  options: SimulatedOptions & { readonly seed?: number } = {},
): Promise<void> {
  const { seed = 1, ...clusterOptions } = options
  const cluster = await simulatedCluster(seed, clusterOptions)
  const { simulation, server, client, writer } = cluster
  const made: { stop(): Promise<void> }[] = []
  const run: Kit['run'] = fn => simulation.run(fn)
  const kit: Kit = {
    ...cluster,
    run,
    keep: async (given, { settles } = { settles: true }) => {
      const one = await run(() => runCopies(client, given))
      made.push(one)
      if (settles) await run(() => one.settled())
      await kit.quiet()
      return one
    },
    settled: given => kit.keep({ ...settings, ...given }),
    fill: (sources, targets) =>
      run(async () => {
        await makeNamespaces(writer, targets)
        for (let i = 0; i < sources; i++) await writer.create(configMaps, source(i))
      }),
    requests: () => run(async () => requestsOf(server)),
    quiet: (ms = 2000) => simulation.advance(ms),
    errors: () => simulation.environment.errors.map(({ error }) => error),
  }
  try {
    await test(kit)
  } finally {
    await run(() => Promise.all(made.map(one => one.stop())))
    await cluster.close()
  }
}

export const source = (i: number, data: Record<string, string> = { n: `${i}` }): ConfigMap => ({
  metadata: { namespace: 'shared', name: `s${i}`, labels: { app: 'arcade' } },
  data,
})

async function makeNamespaces(client: Client, targets: number): Promise<void> {
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

/** The number of requests by verb and resource since the last call, without watches. */
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
