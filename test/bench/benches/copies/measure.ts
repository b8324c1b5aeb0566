import { performance } from 'node:perf_hooks'
import { Client, type Resource } from '@wherry/client'
import { type ConfigMap, configMaps } from '@wherry/client/resources/core'
import { startApiServer } from '@wherry/testing'
import type { Metrics, SubjectContext } from '../../harness/bench.ts'
import { collect, memoryAbove, readMemory } from '../../harness/memory.ts'
import { SOURCES } from './fill-source.ts'

export const copyLabel = 'example.com/copy'
export const sources: Resource<ConfigMap, 'namespaced'> = configMaps.within({ namespaces: ['sources'] })

/** The label of the namespaces that get copies: all that are there to get them, or, to measure what else is held, none. */
export type Wants = 'tenant' | 'nobody'

/** One way to keep copies. */
export interface Keeper {
  /** Resolves when all copies are there, and known. */
  settled(): Promise<void>
  /** Looks at all of them again. */
  resync(): Promise<void>
  /** Ends it, with all that it holds. */
  close(): Promise<void>
}

const writing = ['create', 'update', 'patch', 'delete', 'deletecollection']

/** Measures one way, on a server of its own in a process of its own, which counts the requests. */
export async function measureCopies(
  context: SubjectContext,
  start: (client: Client, wants: Wants) => Keeper,
): Promise<Metrics> {
  const namespaces = Math.max(1, Math.round(context.objects / SOURCES))
  const copies = namespaces * SOURCES
  await using server = await startApiServer({ isolate: true, clusterObjects: false })
  await server.fill({
    module: new URL('./fill-source.ts', import.meta.url).href,
    export: 'fillSource',
    args: [namespaces],
  })
  const { url, ca, token } = server
  const client = new Client({ url, ca, token })
  const hand = new Client({ url, ca, token })
  const counted = async (): Promise<{ readonly requests: number; readonly writes: number; readonly gets: number }> => {
    const { byVerb } = await server.stats()
    await server.resetStats()
    const of = (verb: string): number =>
      Object.values(byVerb[verb] ?? {}).reduce((sum, { requests }) => sum + requests, 0)
    const verbs = Object.keys(byVerb).filter(verb => verb !== 'watch')
    return {
      requests: verbs.reduce((sum, verb) => sum + of(verb), 0),
      writes: writing.reduce((sum, verb) => sum + of(verb), 0),
      gets: of('get'),
    }
  }

  const keeper = start(client, 'tenant')
  await keeper.settled()
  await counted()
  const begin = performance.now()
  await keeper.resync()
  const resync_ms = performance.now() - begin
  const resync = await counted()

  const key = { namespace: 'tenant-0', name: `${(await hand.list(sources)).items[0]?.metadata?.name}` }
  const { data: original } = (await hand.get(configMaps, key)) as ConfigMap
  const before = JSON.stringify(original)
  const field = Object.keys(original ?? {})[0] as string
  await counted()
  await hand.patch(configMaps, key, { data: { [field]: 'by hand' } })
  const edited = performance.now()
  let repair_ms = Number.NaN
  let looks = 0
  for (;;) {
    const { data } = (await hand.get(configMaps, key)) as ConfigMap
    looks += 1
    if (JSON.stringify(data) === before) {
      repair_ms = performance.now() - edited
      break
    }
    if (performance.now() - edited > 10_000) throw new Error(`the edit was not repaired in 10 s, after ${looks} looks`)
  }
  await keeper.settled()
  const repair = await counted()

  const held = settledHeap()
  const { peak_rss_bytes } = memoryAbove(context.start)
  await keeper.close()
  // The sources, the namespaces, and whatever does not grow with the copies.
  const without = start(client, 'nobody')
  await without.settled()
  const rest = settledHeap()
  await without.close()
  await counted()
  const again = start(client, 'tenant')
  await again.settled()
  const restart_writes = (await counted()).writes
  await again.close()
  await client.close()
  await hand.close()
  return {
    resync_writes: resync.writes,
    resync_requests: resync.requests,
    resync_ms,
    heap_per_copy_bytes: (held - rest) / copies,
    peak_rss_bytes,
    // The edit itself is one write, and each look one read.
    repair_writes: repair.writes - 1,
    repair_reads: repair.gets - looks,
    repair_ms,
    restart_writes,
  }
}

/** The heap without the code that ran before and does not any more: the engine lets go of that only after some collections. */
function settledHeap(): number {
  for (let i = 0; i < 12; i++) collect()
  return readMemory().heap
}
