/**
 * Runs the ported supervisor and its peer on client-node with 5,000 Pods, each against an embedded server of its own, and prints what they hold and
 * send at rest. It needs `npm run build`, and runs the packages as they are built: `node --import ./test/examples/from-source.ts test/bench/peers/memory.ts`.
 */
import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as after } from 'node:timers/promises'
import { type ControlledApiServer, startApiServer } from '@wherry/testing'

const examples = join(import.meta.dirname, '../../../examples/ported')
const restMs = 60_000

/** What a program holds, in megabytes, and how many requests it sends in an hour. */
interface Figures {
  readonly rss: number
  readonly heap: number
  readonly requests: number
}

function* pods(): Iterable<object> {
  for (let index = 0; index < 5_000; index++) {
    const env = Array.from({ length: 20 }, (_, at) => ({
      name: `VARIABLE_${at}`,
      value: `value ${at} of pod ${index}`,
    }))
    yield {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name: `task-${index}`, namespace: 'default', labels: { app: 'task-run', run: `${index}` } },
      spec: { containers: [{ name: 'task', image: 'task:1', env }], restartPolicy: 'Never' },
      status: { phase: 'Running' },
    }
  }
}

/** Runs a program against a server of its own until it sends no more, or for three minutes, and looks at it. */
async function measured(main: string, objects: Iterable<object>): Promise<Figures> {
  await using server = await startApiServer({ isolate: true })
  await server.fill([...objects])
  const folder = await mkdtemp(join(tmpdir(), 'wherry-peers-'))
  const kubeconfig = join(folder, 'config')
  await server.writeKubeconfig(kubeconfig)
  const env = { ...process.env, KUBECONFIG: kubeconfig, PORT: '0', GATE_PORT: '0', NODE_ENV: 'production' }
  const execArgv = ['--expose-gc', '--import', join(import.meta.dirname, 'memory-probe.ts')]
  const child: ChildProcess = fork(main, [], { env, stdio: 'ignore', execArgv })
  const closed = once(child, 'close')
  try {
    await atRest(server)
    const before = await sent(server)
    await after(restMs)
    const requests = Math.round(((await sent(server)) - before) * (3_600_000 / restMs))
    child.send('memory')
    const [{ rss, heapUsed }] = (await once(child, 'message')) as [NodeJS.MemoryUsage]
    return { rss: rss / 1e6, heap: heapUsed / 1e6, requests }
  } finally {
    child.kill('SIGKILL')
    await closed
    await rm(folder, { recursive: true })
  }
}

async function sent(server: ControlledApiServer): Promise<number> {
  const { byVerb } = await server.stats()
  return Object.values(byVerb).reduce(
    (sum, resources) => sum + Object.values(resources).reduce((all, { requests }) => all + requests, 0),
    0,
  )
}

/** Waits until nothing was sent for ten seconds, for a minute at most: a program that polls is measured as it is. */
async function atRest(server: ControlledApiServer): Promise<void> {
  const until = performance.now() + 60_000
  let [last, quiet] = [0, 0]
  while (performance.now() < until && quiet < 10) {
    await after(1_000)
    const now = await sent(server)
    quiet = now > 0 && now === last ? quiet + 1 : 0
    last = now
  }
}

const peer = (name: string): string => join(import.meta.dirname, `${name}.ts`)
const ours = (name: string): string => join(examples, name, 'main.ts')
const theirs = await measured(peer('supervisor'), pods())
const own = await measured(ours('supervisor'), pods())
const rows = [
  ['RSS, MB', 'rss'],
  ['heap after a full collection, MB', 'heap'],
  ['requests in an hour at rest', 'requests'],
] as const
console.log('| 5,000 Pods that run | client-node | Wherry |\n| --- | ---: | ---: |')
for (const [row, field] of rows) console.log(`| ${row} | ${Math.round(theirs[field])} | ${Math.round(own[field])} |`)
