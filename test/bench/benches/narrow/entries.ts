import { performance } from 'node:perf_hooks'
import { configMaps } from '@wherry/client/resources/core'
import { NarrowCache } from '@wherry/narrow-cache'
import type { Metrics, SubjectContext } from '../../harness/bench.ts'
import { collect, readMemory } from '../../harness/memory.ts'
import { clientFor } from '../../server/wherry.ts'
import { keys } from './keys.ts'

/** So many entries, opened at once. */
export async function run(context: SubjectContext): Promise<Metrics> {
  const count = Number(context.options.count)
  await using client = clientFor(context.server())
  // Opened before: the code is loaded, and a connection is there.
  await using other = new NarrowCache({ client })
  const [first, ...wanted] = keys(count + 1)
  if (first === undefined) throw new Error('no object was generated')
  await other.get(configMaps, first)
  await using narrow = new NarrowCache({ client, escalateAt: Number.POSITIVE_INFINITY })
  const before = { ...readMemory(), external: external() }
  const begun = performance.now()
  const found = await Promise.all(wanted.map(key => narrow.get(configMaps, key)))
  const seconds = (performance.now() - begun) / 1000
  if (found.some(object => object === undefined)) throw new Error('an object was not found')
  found.length = 0
  const after = { ...readMemory(), external: external() }
  const { streams } = narrow.report()
  if (streams !== count) throw new Error(`${streams} streams for ${count} entries`)
  return {
    heap_per_entry_bytes: (after.heap + after.external - before.heap - before.external) / count,
    rss_per_entry_bytes: (after.rss - before.rss) / count,
    opens_per_s: count / seconds,
    connections: client.connections,
  }
}

function external(): number {
  collect()
  return process.memoryUsage().external
}
