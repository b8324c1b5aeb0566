import type { Metrics, SubjectContext } from '../../harness/bench.ts'
import { buildGo } from '../../harness/build-go.ts'
import { Program } from '../../harness/program.ts'

/** The cache of Go's controller-runtime, which is client-go's informer. It needs Go. */
export async function run({ objects, options, server }: SubjectContext): Promise<Metrics> {
  const count = Math.round(objects * Number(options.share))
  const { url, token } = server()
  const program = new Program(await buildGo(), [], {
    BENCH_URL: `${url}/of/${count}`,
    BENCH_CA: '',
    BENCH_TOKEN: token,
    BENCH_OBJECTS: `${count}`,
    BENCH_OF: 'replay',
    BENCH_PEER: JSON.stringify({ kinds: [options.plural], keeps: 'all', namespaces: [], reads: [] }),
  })
  try {
    const { ms } = await program.says('ready')
    const { rssBytes, peakBytes } = await program.says('settled')
    return { sync_ms: ms, object_us: (1000 * ms) / count, rss_bytes: rssBytes, peak_rss_bytes: peakBytes }
  } finally {
    await program.close()
  }
}
