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
      const begin = await child.says('begin')
      const ready = await child.says('ready')
      const [received, early] = [await child.number('received'), await child.number('runs')]
      const done = await child.says('done')
      return {
        startMs: ready.cpuMs - begin.cpuMs,
        perS: (4 * own - early) / ((done.cpuMs - ready.cpuMs) / 1000),
        rss: done.rssBytes,
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
    started_per_cpu_s: objects / (most(one => one.startMs) / 1000),
    received_bytes: most(one => one.received),
    rss_bytes: most(one => one.rss),
  }
}
