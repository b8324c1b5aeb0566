import { setTimeout as after } from 'node:timers/promises'
import { Client } from '@wherry/client'
import { fromUrl } from '@wherry/client/internal'
import { configMaps } from '@wherry/client/resources/core'
import { asJavaScript } from '../../harness/as-javascript.ts'
import type { Metrics, SubjectContext } from '../../harness/bench.ts'
import { deployedOptions } from '../../harness/deployed.ts'
import { Program } from '../../harness/program.ts'

const key = { name: 'probe', namespace: 'default' }
const rollings = 3

/** An answer to a change, as a watch of the probe brings it. */
interface Answer {
  readonly by: string
  readonly at: number
}

/** Replaces the leader as a Deployment does, a standby first, and then kills one. */
export async function run(context: SubjectContext): Promise<Metrics> {
  const { url, ca = '', token } = context.server()
  const module = await asJavaScript(new URL('./program.ts', import.meta.url))
  const client = new Client({ access: fromUrl(url, { token, ca }) })
  const answers: Answer[] = []
  const stop = new AbortController()
  const running = new Set<Program>()
  let replicas = 0
  const start = async (): Promise<{ name: string; program: Program }> => {
    const name = `replica-${replicas++}`
    const env = { BENCH_URL: url, BENCH_CA: ca, BENCH_TOKEN: token, BENCH_OBJECTS: String(context.objects) }
    const program = new Program(process.execPath, ['--expose-gc', ...deployedOptions, module], {
      ...{ ...env, NODE_ENV: 'production', BENCH_IDENTITY: name },
    })
    running.add(program)
    await program.says('cached')
    return { name, program }
  }
  try {
    await client.create(configMaps, { metadata: key, data: { asked: '0', answered: '0' } })
    const probe = configMaps.within({ namespaces: ['default'], fields: { 'metadata.name': 'probe' } })
    let last = ''
    const received = client.watchEach(probe, {
      event: (_, { data = {} }) => {
        const { answered = '', by = '' } = data
        if (answered !== last) answers.push({ by, at: performance.now() })
        last = answered
      },
      end: () => {},
    })
    const asking = ask(client, stop.signal)
    let leader = await start()
    await leader.program.says('leads')
    let standby = await start()
    const rss = { leader: leader.program.cost().anonymousBytes, standby: standby.program.cost().anonymousBytes }
    const gaps: number[] = []
    let overlaps = 0
    for (let change = 0; change <= rollings; change += 1) {
      await after(1000)
      await leader.program.end(change < rollings ? 'SIGTERM' : 'SIGKILL')
      running.delete(leader.program)
      const next = standby.name
      while (!answers.some(({ by }) => by === next)) await after(5)
      await standby.program.says('leads')
      const first = answers.findIndex(({ by }) => by === next)
      overlaps += answers.slice(first).filter(({ by }) => by !== next).length
      gaps.push((answers[first]?.at ?? 0) - (answers[first - 1]?.at ?? 0))
      leader = standby
      if (change < rollings) standby = await start()
    }
    stop.abort()
    await asking
    received.abort()
    return {
      rolling_gap_ms: Math.max(...gaps.slice(0, rollings)),
      kill_gap_ms: gaps[rollings] ?? 0,
      overlaps,
      leader_rss_bytes: rss.leader,
      standby_rss_bytes: rss.standby,
    }
  } finally {
    stop.abort()
    for (const program of running) await program.close()
    await client.delete(configMaps, key).catch(() => {})
    await client.close()
  }
}

/** Changes the probe every 20 ms. */
async function ask(client: Client, signal: AbortSignal): Promise<void> {
  for (let asked = 1; !signal.aborted; asked += 1) {
    await client.patch(configMaps, key, { data: { asked: String(asked) } })
    await after(20)
  }
}
