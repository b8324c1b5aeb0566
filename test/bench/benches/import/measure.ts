import { performance } from 'node:perf_hooks'
import type { Metrics, SubjectContext } from '../../harness/bench.ts'
import { memoryAbove, readMemory } from '../../harness/memory.ts'
import type { InCluster } from './in-cluster.ts'
import { pretendInCluster } from './in-cluster.ts'

/** Times `connect`, which imports what it needs, connects, gets an object, and returns what ends it all. */
export async function measureImport(
  context: SubjectContext,
  connect: (pod: InCluster) => Promise<() => Promise<void> | void>,
): Promise<Metrics> {
  await using pod = await pretendInCluster(context.server())
  const start = readMemory()
  const begin = performance.now()
  const close = await connect(pod)
  const import_ms = performance.now() - begin
  const { rss_bytes, anonymous_bytes } = memoryAbove(start)
  await close()
  return { import_ms, rss_bytes, anonymous_bytes }
}
