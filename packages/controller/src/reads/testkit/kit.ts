import { Client, type View } from '@wherry/client'
import { type ConfigMap, configMaps, namespaces } from '@wherry/client/resources/core'
import { DynamicCache } from '@wherry/dynamic-cache'
import { type SimulatedCluster, type SimulatedOptions, simulatedCluster } from '@wherry/informer/testkit/served'
import { NarrowCache, type NarrowCacheOptions } from '@wherry/narrow-cache'
import type { ReadCause } from '../cause.ts'
import type { PollPolicy } from '../options.ts'
import type { Read } from '../read.ts'
import { TrackedReads } from '../tracked-reads.ts'

/** Tracked reads of a cluster in memory, on simulated time. */
export interface Kit extends SimulatedCluster {
  readonly reads: TrackedReads
  readonly narrow: NarrowCache
  readonly cache: DynamicCache
  /** The reads of a run that does not end. */
  readonly read: Read
  /** A client of this process: its writes are waited for by reads. */
  readonly writes: Client
  /** The keys that were to run again, each with why: `k: ~a/x`. */
  readonly log: string[]
  /** The same as values. */
  readonly causes: (readonly [string, ReadCause])[]
  /** What a test found wrong where it could not throw. */
  readonly faults: string[]
  /** Receives each key that is to run again. */
  onChange(receive: (key: string) => void): void
  run<T>(fn: () => T): Promise<Awaited<T>>
  /** Runs a key that does `reconcile`, and reports how that went. */
  reconcile<T>(key: string, reconcile: (read: Read) => Promise<T>): Promise<T>
  /** Runs a key that reads these ConfigMaps: `a/x`. */
  reading(key: string, ...paths: string[]): Promise<(string | undefined)[]>
  /** Makes, changes and deletes ConfigMaps: `+ns/a`, `~ns/a`, `-ns/a`; `+ns/a app=x` with a label. */
  write(...changes: string[]): Promise<void>
  /** Watches of a resource that are open on the server. */
  watches(resource?: string): Promise<number>
  /** What was logged since the last call, once all that is under way has come. */
  taken(): Promise<string[]>
}

/** Whoever is tested may ask for what `may` says; all else may do all. */
export function allowing(may: (verb: string, resource: string) => boolean): SimulatedOptions {
  return {
    tokens: { u: { name: 'u', groups: [] } },
    token: 'u',
    authorization: ({ user, verb, resource }) => user.name !== 'u' || may(verb, resource),
  }
}

/** Longer than it takes for anything to arrive at the other end. */
const latencyMs = 500

export interface KitOptions {
  readonly seed?: number
  readonly cluster?: SimulatedOptions
  readonly narrow?: Partial<NarrowCacheOptions>
  readonly declared?: readonly View[]
  readonly poll?: readonly PollPolicy[]
  /** Makes it a slow machine: each look at the clock takes so long, and so does each turn of the loop, in milliseconds. */
  readonly slowMs?: number
}

const sign = { appeared: '+', changed: '~', vanished: '-' } as const

type Test = (kit: Kit) => Promise<void>

/** Runs a test with tracked reads, and ends all there is. */
export async function withReads(...given: [test: Test] | [options: KitOptions, test: Test]): Promise<void> {
  const [options, test] = given.length === 1 ? [{}, ...given] : given
  const { seed = 1, declared = [], poll } = options
  const cluster = await simulatedCluster(seed, options.cluster)
  const { simulation, server, writer } = cluster
  const { slowMs } = options
  const client = slowMs === undefined ? cluster.client : slowClient(cluster, slowMs)
  const narrow = new NarrowCache({ client, ...options.narrow })
  const cache = new DynamicCache({ client })
  const log: string[] = []
  const causes: [string, ReadCause][] = []
  let receive = (_: string): void => {}
  const reads = new TrackedReads({
    client,
    cache,
    narrow,
    declared,
    poll,
    name: 'controller/test reads',
    onChange: (key, cause) => {
      log.push(`${key}: ${sign[cause.change]}${cause.object}`)
      causes.push([key, cause])
      receive(key)
    },
  })
  const run: Kit['run'] = fn => simulation.run(fn)
  const reconcile: Kit['reconcile'] = (key, work) =>
    run(async () => {
      const one = reads.begin(key, { namespace: 'a' })
      try {
        const result = await work(one.read)
        one.succeed()
        return result
      } catch (error) {
        one.fail()
        throw error
      }
    })
  let changes = 0
  const write: Kit['write'] = async (...lines) => {
    await run(async () => {
      for (const line of lines) {
        const [path = '', label] = line.slice(1).split(' ')
        const key = keyOf(path)
        changes += 1
        if (line.startsWith('-')) await writer.delete(configMaps, key)
        else if (line.startsWith('~')) {
          const labels = label === undefined ? {} : { metadata: { labels: labelsOf(label) } }
          await writer.patch(configMaps, key, { ...labels, data: { n: `${changes}` } })
        } else {
          const labels = label === undefined ? undefined : labelsOf(label)
          await writer.create(configMaps, { metadata: { ...key, labels }, data: { n: `${changes}` } })
        }
      }
    })
    await simulation.advance(latencyMs)
  }
  await run(async () => {
    for (const name of ['a', 'b', 'c']) await writer.create(namespaces, { metadata: { name } })
    for (const view of declared) cache.hold(view, 'test')
    await cache.synced()
  })
  try {
    await test({
      ...cluster,
      client,
      reads,
      narrow,
      cache,
      read: reads.begin('endless', { namespace: 'a' }).read,
      writes: client.withWriteListeners(narrow, reads.writes),
      log,
      causes,
      faults: [],
      onChange(other) {
        receive = other
      },
      run,
      reconcile,
      write,
      reading: (key, ...paths) =>
        reconcile(key, async read => {
          const objects: (ConfigMap | undefined)[] = []
          for (const path of paths) objects.push(await read.get(configMaps, keyOf(path)))
          return objects.map(object => object?.data?.n)
        }),
      watches: async (resource = 'configmaps') => {
        await simulation.advance(latencyMs)
        const { byVerb } = await run(() => server.stats())
        return byVerb.watch?.[resource]?.openStreams ?? 0
      },
      taken: async () => {
        await simulation.advance(latencyMs)
        return log.splice(0)
      },
    })
  } finally {
    await run(() => reads.close())
    await run(() => cache.close())
    await run(() => narrow.close())
    await run(() => client.close())
    await cluster.close()
  }
}

function slowClient({ simulation, server, transport }: SimulatedCluster, ms: number): Client {
  const { clock, environment } = simulation
  let looks = 0
  const monotonic = (): number => clock.monotonic() + ms * looks++
  const turn = (): Promise<void> => new Promise(resolve => void clock.timer(ms, resolve))
  const slow = { ...environment, random: () => environment.random(), clock: { ...clock, monotonic, turn } }
  return new Client({ url: server.url, token: server.token, transport, environment: slow })
}

export function keyOf(path: string): { readonly namespace: string; readonly name: string } {
  const [namespace = '', name = ''] = path.split('/')
  return { namespace, name }
}

function labelsOf(label: string): Record<string, string> {
  const [key = '', value = ''] = label.split('=')
  return { [key]: value }
}
