import { performance } from 'node:perf_hooks'
import type { Metrics, SubjectContext } from '../../harness/bench.ts'
import { startChild } from '../../harness/child.ts'
import { memoryAbove, readMemory } from '../../harness/memory.ts'
import { summarise } from '../../harness/statistics.ts'
import { fillSource } from '../../server/fill-source.ts'
import type { RawAnswer } from '../../server/raw-read.ts'

const READER = new URL('../../server/reader-entry.ts', import.meta.url)

/** Lists and watches of one run: each takes less than a second, in which other programs count for much. */
const READS = 5

/**
 * Measures the server from within its own process; what reads it is another one. The generator is there
 * before memory is first read: it is not the server's.
 */
export async function run(context: SubjectContext): Promise<Metrics> {
  for (const _ of fillSource(100));
  const start = readMemory()
  const { startApiServer } = await import('@wherry/testing')
  await using server = await startApiServer({
    tls: false,
    clusterObjects: false,
    compactionMs: Number.POSITIVE_INFINITY,
  })
  const empty = await server.revision()

  const begin = performance.now()
  await server.fill(fillSource(context.objects))
  const fill_ms = performance.now() - begin
  const { rss_bytes, anonymous_bytes } = memoryAbove(start)

  const reader = startChild(READER, 'the reader')
  try {
    const { url, token } = server
    const read = (path: string, lines?: number): Promise<RawAnswer> =>
      reader.ask({ url, token, path, lines }, 60_000) as Promise<RawAnswer>
    const rates: number[] = []
    const watches: number[] = []
    for (let time = 0; time < READS; time++) {
      const list = await read('/api/v1/configmaps')
      rates.push(list.bytes / 1e6 / (list.ms / 1e3))
      watches.push((await read(`/api/v1/configmaps?watch=1&resourceVersion=${empty}`, context.objects)).ms)
    }
    return {
      fill_ms,
      list_mb_per_s: summarise(rates).median,
      watch_ms: summarise(watches).median,
      memory_bytes: rss_bytes,
      anonymous_bytes,
    }
  } finally {
    await reader.close()
  }
}
