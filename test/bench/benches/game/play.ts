import { startCluster } from '../../../../tools/demo/game/cluster.ts'
import type { ModeName } from '../../../../tools/demo/game/mode.ts'
import { play } from '../../../../tools/demo/game/play.ts'
import { median } from '../../../../tools/demo/report/game.ts'
import { asJavaScript } from '../../harness/as-javascript.ts'
import type { Metrics, SubjectContext } from '../../harness/bench.ts'
import { QUIET_MS } from './bench.ts'
import { filling } from './filling.ts'

const operators = new URL('../../../../tools/demo/game/operator.ts', import.meta.url)

/** Plays one operator: this process starts the server and the operator, each a process of its own, and makes the changes. */
export async function run({ objects, options }: SubjectContext): Promise<Metrics> {
  const { signal } = new AbortController()
  const cluster = await startCluster({ kind: 'embedded', ...filling(objects), signal, say: () => undefined })
  try {
    const program = await asJavaScript(operators)
    const times = { quietMs: QUIET_MS, changes: 10, restMs: 2_000 }
    const played = await play(cluster, options.mode as ModeName, { ...filling(objects), ...times, program, signal })
    if (!played.isRight) throw new Error(`${played.mode} came to a wrong result`)
    const { memory, reactMs, receivedBytes, unrelatedBytes, changeBytes, requests } = played
    return {
      rss_bytes: memory.rss,
      anon_bytes: memory.anonymous,
      heap_bytes: memory.heap,
      peak_rss_bytes: memory.peakRss,
      received_bytes: receivedBytes,
      unrelated_bytes: unrelatedBytes,
      change_bytes: changeBytes,
      requests,
      react_ms: median(reactMs),
    }
  } finally {
    await cluster.close()
  }
}
