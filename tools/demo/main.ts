/**
 * The memory game: one operator, run in six ways, each a process of its own, against an API server full of large objects.
 * Says what each of them cost, and writes it into a page.
 *
 *     npm run demo
 *     npm run demo -- --help
 */
import { randomBytes } from 'node:crypto'
import { writeFile } from 'node:fs/promises'
import { availableParallelism, totalmem } from 'node:os'
import { createInterface } from 'node:readline/promises'
import { type Cluster, inWords, startCluster, useCluster } from './game/cluster.ts'
import { addressOf } from './game/kubeconfig.ts'
import { modes, modeTexts } from './game/mode.ts'
import { type Played, play } from './game/play.ts'
import { type DemoOptions, demoOptions, usage } from './options.ts'
import type { Game } from './report/game.ts'
import { jsonLines } from './report/json-lines.ts'
import { page } from './report/page.ts'
import { Progress } from './report/progress.ts'
import { terminalReport } from './report/terminal.ts'

/** A request to end, by Ctrl-C or by the answer no. */
class Stopped extends Error {
  readonly exitCode: number

  constructor(message: string, exitCode: number) {
    super(message)
    this.exitCode = exitCode
  }
}

const giveUp = new AbortController()
for (const [name, exitCode] of [
  ['SIGINT', 130],
  ['SIGTERM', 143],
] as const) {
  process.on(name, () => giveUp.abort(new Stopped(`stopped by ${name}`, exitCode)))
}

const progress = new Progress(process.stderr)
try {
  process.exitCode = await main(demoOptions(process.argv.slice(2)))
} catch (error) {
  progress.end()
  // What failed may have been ended by the very signal that is on its way to this process as well.
  for (let turn = 0; turn < 2; turn++) await new Promise(resolve => setImmediate(resolve))
  const reason = giveUp.signal.aborted ? giveUp.signal.reason : error
  console.error(`demo: ${(reason as Error).message}`)
  process.exitCode = reason instanceof Stopped ? reason.exitCode : 1
}

async function main(options: DemoOptions | undefined): Promise<number> {
  if (options === undefined) {
    console.log(usage)
    return 0
  }
  const begun = performance.now()
  const cluster = await makeCluster(options)
  const played: Played[] = []
  try {
    for (const [index, mode] of modes.entries()) {
      progress.say(`${index + 1} of ${modes.length}: ${modeTexts[mode].title} (${modeTexts[mode].how})`)
      played.push(await play(cluster, mode, { ...playing(options, cluster), signal: giveUp.signal }))
    }
  } finally {
    await cluster.close()
  }
  const game: Game = {
    server: cluster.what,
    machine: `Node ${process.versions.node}, ${availableParallelism()} cores, ${Math.round(totalmem() / 2 ** 30)} GB`,
    filling: playing(options, cluster),
    neededBytes: cluster.neededBytes,
    seconds: (performance.now() - begun) / 1000,
    played,
  }
  progress.end()
  await writeFile(options.report, page(game))
  if (options.json) console.log(jsonLines(game).join('\n'))
  const out = options.json ? process.stderr : process.stdout
  out.write(
    `${terminalReport(game)}\nThe curves are in ${options.report} (${Math.round(game.seconds)} s, ${game.server})\n`,
  )
  const wrong = played.filter(({ isRight }) => !isRight)
  return wrong.length === 0 ? 0 : 1
}

/** How long and how much. */
function playing({ objects, bytes, quick }: DemoOptions, { namespace }: { readonly namespace: string }) {
  const times = quick ? { quietMs: 800, changes: 1, restMs: 400 } : { quietMs: 3_000, changes: 3, restMs: 2_000 }
  return { namespace, objects, bytes, ...times }
}

async function makeCluster(options: DemoOptions): Promise<Cluster> {
  const { objects, bytes, kubeconfig, embedded } = options
  const say = (line: string): void => progress.say(line)
  const { signal } = giveUp
  if (kubeconfig === undefined) {
    return startCluster({ kind: embedded ? 'embedded' : 'auto', namespace: 'arcade', objects, bytes, signal, say })
  }
  const address = await addressOf(kubeconfig)
  const namespace = `wherry-demo-${randomBytes(3).toString('hex')}`
  const filling = { namespace, objects, bytes }
  if (!options.yes) await mayFill(address.url, inWords(filling), namespace)
  return useCluster({ address, ...filling, signal, say })
}

async function mayFill(url: string, words: string, namespace: string): Promise<void> {
  if (!process.stdin.isTTY) throw new Error(`would fill the cluster at ${url}: say --yes where nobody can be asked`)
  const asking = createInterface({ input: process.stdin, output: process.stderr })
  const question = `This creates ${words} in a new namespace ${namespace}, and a definition of games, in the cluster at ${url}, and removes them in the end. Go on? [y/N] `
  try {
    const answer = await asking.question(question, { signal: giveUp.signal })
    if (!/^y(es)?$/i.test(answer.trim())) throw new Stopped('nothing was done', 1)
  } finally {
    asking.close()
  }
}
