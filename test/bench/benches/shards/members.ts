import { asJavaScript } from '../../harness/as-javascript.ts'
import type { Metrics, SubjectContext } from '../../harness/bench.ts'
import { deployedOptions } from '../../harness/deployed.ts'
import { Program } from '../../harness/program.ts'

/** All members of a ring at once, each in a process of its own, until each has reconciled its objects. */
export async function run({ objects, options, server }: SubjectContext): Promise<Metrics> {
  const members = Number(options.members)
  const { url, ca = '', token } = server()
  const program = await asJavaScript(new URL('./program.ts', import.meta.url))
  const all = Array.from({ length: members }, async (_, member) => {
    const own = Math.ceil((objects - member) / members)
    const child = new Program(process.execPath, [...deployedOptions, program], {
      NODE_ENV: 'production',
      BENCH_URL: url,
      BENCH_CA: ca,
      BENCH_TOKEN: token,
      BENCH_OBJECTS: `${own}`,
      BENCH_RING: `${members}`,
      BENCH_MEMBER: `${member}`,
    })
    try {
      const { rssBytes } = await child.says('all')
      const [begin, ready, done] = [
        await child.number('begin'),
        await child.number('ready'),
        await child.number('done'),
      ]
      const [received, early] = [await child.number('received'), await child.number('runs')]
      return {
        startS: (ready - begin) / 1e6,
        perS: (4 * own - early) / ((done - ready) / 1e6),
        rss: rssBytes,
        received,
      }
    } finally {
      await child.end('SIGTERM')
    }
  })
  const measured = await Promise.all(all)
  const most = (of: (one: (typeof measured)[number]) => number): number => Math.max(...measured.map(of))
  return {
    reconciles_per_cpu_s: measured.reduce((sum, one) => sum + one.perS, 0),
    started_per_cpu_s: objects / most(one => one.startS),
    received_bytes: most(one => one.received),
    rss_bytes: most(one => one.rss),
  }
}
