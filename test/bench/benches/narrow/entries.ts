import { performance } from 'node:perf_hooks'
import type { Client } from '@wherry/client'
import { configMaps } from '@wherry/client/resources/core'
import { NarrowCache } from '@wherry/narrow-cache'
import type { Metrics, SubjectContext } from '../../harness/bench.ts'
import { readMemory } from '../../harness/memory.ts'
import { clientFor } from '../../server/wherry.ts'
import { apart } from './apart.ts'
import { keys } from './keys.ts'
import { serverBytesPerEntry } from './server-bytes.ts'

/** Read before anything is measured, so that the code is loaded and compiled. */
const warm = 200

/** So many entries, opened at once. */
export async function run(context: SubjectContext): Promise<Metrics> {
  const count = Number(context.options.count)
  await using client = clientFor(context.server())
  const all = keys(count + warm)
  await using other = new NarrowCache({ client })
  await Promise.all(all.slice(0, warm).map(key => other.get(configMaps, key)))
  const wanted = all.slice(warm)
  const objectBytes = await heapPerObject(client, wanted.slice(0, 2000))
  await using narrow = apart(client)
  const before = heapAndRss()
  const begun = performance.now()
  const found = await Promise.all(wanted.map(key => narrow.get(configMaps, key)))
  const seconds = (performance.now() - begun) / 1000
  if (found.some(object => object === undefined)) throw new Error('an object was not found')
  found.length = 0
  const after = heapAndRss()
  const { streams } = narrow.report()
  if (streams !== count) throw new Error(`${streams} streams for ${count} entries`)
  const { connections } = client
  const heap = (after.heap - before.heap) / count
  return {
    heap_per_entry_bytes: heap,
    heap_above_object_bytes: heap - objectBytes,
    rss_per_entry_bytes: (after.rss - before.rss) / count,
    opens_per_s: count / seconds,
    connections,
    server_bytes_per_entry: await serverBytesPerEntry(count),
  }
}

/** What the objects alone take, as a get gives them. */
async function heapPerObject(client: Client, wanted: ReturnType<typeof keys>): Promise<number> {
  const before = heapAndRss()
  const objects: unknown[] = []
  for (const key of wanted) objects.push(await client.get(configMaps, key))
  const { heap } = heapAndRss()
  if (objects.some(object => object === undefined)) throw new Error('an object was not found')
  return (heap - before.heap) / wanted.length
}

/** Heap with external memory, and RSS. */
function heapAndRss(): { readonly heap: number; readonly rss: number } {
  const { heap, rss } = readMemory()
  return { heap: heap + process.memoryUsage().external, rss }
}
