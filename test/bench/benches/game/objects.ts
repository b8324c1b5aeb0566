import { startCluster } from '../../../../tools/demo/game/cluster.ts'
import type { Metrics } from '../../harness/bench.ts'
import { filling } from './filling.ts'

/** The two objects that the operator needs. */
export async function run(): Promise<Metrics> {
  const { signal } = new AbortController()
  const cluster = await startCluster({ kind: 'embedded', ...filling(2), signal, say: () => undefined })
  await cluster.close()
  return { needed_bytes: cluster.neededBytes }
}
