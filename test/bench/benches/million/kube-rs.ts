import type { Metrics, SubjectContext } from '../../harness/bench.ts'
import { buildRust } from '../../harness/build-rust.ts'
import { Program } from '../../harness/program.ts'

/** The store of kube-rs' reflector, with its defaults. It needs Cargo. */
export async function run({ objects, options, server }: SubjectContext): Promise<Metrics> {
  const count = Math.round(objects * Number(options.share))
  const program = new Program(await buildRust('store'), [`${server().url}/of/${count}`, String(options.plural)], {})
  try {
    const { ms, rssBytes, peakBytes } = await program.says('ready')
    return { sync_ms: ms, object_us: (1000 * ms) / count, rss_bytes: rssBytes, peak_rss_bytes: peakBytes }
  } finally {
    await program.close()
  }
}
