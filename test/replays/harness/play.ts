import { asJavaScript } from '../../bench/harness/as-javascript.ts'
import { buildGo } from '../../bench/harness/build-go.ts'
import { Program } from '../../bench/harness/program.ts'
import { summarise } from '../../bench/harness/statistics.ts'
import type { Bar, MemoryReplay } from '../replay.ts'
import { ReplayServer } from './real-server.ts'

/** How much of a replay is played. */
export interface PlayOptions {
  readonly runs: number
  /** The part of each size that is played: 1 or 0.1. */
  readonly part: number
  readonly say: (line: string) => void
}

/** What a program took in one run. */
interface Taken {
  readonly rssBytes: number
  readonly peakBytes: number
  readonly readyMs: number
  /** The first reconcile; 0 for a program that is not compared by it. */
  readonly firstMs: number
  /** One GET of what it reads; 0 as above. */
  readonly getMs: number
}

/** The medians of a program at one size. */
export interface Row extends Taken {
  readonly replay: string
  readonly program: string
  /** 0: an empty cluster. */
  readonly size: number
  /** The settled RSS above that of the same program in an empty cluster. */
  readonly aboveIdleBytes: number
  readonly runs: number
  /** Whether the bar is met; undefined for a program that has none. */
  readonly isMet?: boolean | undefined
}

/** A program of a replay, of ours or of others. */
interface Player {
  readonly name: string
  readonly bar?: Bar | undefined
  /** Whether it says what its first reconcile and one GET took. */
  readonly comparesFirst: boolean
  start(server: ReplayServer, size: number): Program
}

const dist = new URL('../dist/', import.meta.url)
const program = (name: string): Promise<string> => asJavaScript(new URL(`./${name}`, import.meta.url), dist)

/** A young generation of 4 MB, as a new project has it: what is read once is not kept until 16 MB of it are there. */
const nodeArguments = ['--expose-gc', '--max-semi-space-size=4']

async function playersOf(replay: MemoryReplay): Promise<Player[]> {
  const operator = await program('operator-program.ts')
  const clientNode = await program('client-node-program.ts')
  const go = await buildGo()
  const ownKinds = replay.definitions.map(({ spec }) => spec.names.kind)
  const runs = replay.own.filter(({ kind = '' }) => ownKinds.includes(kind)).length
  const address = ({ address: { url, ca, token } }: ReplayServer): Record<string, string> => ({
    NODE_ENV: 'production',
    ...{ REPLAY_URL: url, REPLAY_CA: ca, REPLAY_TOKEN: token },
    ...{ BENCH_URL: url, BENCH_CA: ca, BENCH_TOKEN: token, BENCH_OBJECTS: '0' },
  })
  const node = (file: string, server: ReplayServer, env: Record<string, string>): Program =>
    new Program(process.execPath, [...nodeArguments, file], { ...address(server), ...env })
  const ours = replay.ways.map(
    ({ name, bar, oneGet }): Player => ({
      name: `wherry, ${name}`,
      bar,
      comparesFirst: oneGet !== undefined,
      start: (server, size) => {
        const env = { REPLAY: replay.id, REPLAY_WAY: name, REPLAY_RUNS: `${size === 0 ? 0 : runs}` }
        return node(operator, server, env)
      },
    }),
  )
  const theirs = replay.peers.go.map(
    (peer): Player => ({
      name: `controller-runtime, ${peer.name}`,
      comparesFirst: false,
      start: server => {
        // What a peer reads by name is not there in an empty cluster; it goes on all the same.
        return new Program(go, [], { ...address(server), BENCH_OF: 'replay', BENCH_PEER: JSON.stringify(peer) })
      },
    }),
  )
  const informer: Player = {
    name: 'client-node, informers',
    comparesFirst: false,
    start: server => node(clientNode, server, { REPLAY_KINDS: replay.peers.clientNode.join(',') }),
  }
  return [...ours, informer, ...theirs]
}

/** Plays a replay on a real API server, from the empty cluster to the greatest size, each program alone. */
export async function play(replay: MemoryReplay, options: PlayOptions): Promise<Row[]> {
  const { runs, part, say } = options
  const players = await playersOf(replay)
  const server = await ReplayServer.start(replay)
  const rows: Row[] = []
  try {
    let filled = 0
    for (const size of [0, ...replay.sizes.map(size => Math.round(size * part))]) {
      if (size > 0) {
        say(`${replay.id}: creating ${size - filled} objects`)
        if (filled === 0) await server.fill(replay.own)
        await server.fill(after(replay.objects(size), filled))
        filled = size
      }
      rows.push(...(await playAll(replay, players, server, { size, runs, say, rows })))
    }
  } finally {
    await server.close()
  }
  return rows
}

function* after<T>(all: Iterable<T>, count: number): Generator<T> {
  let index = 0
  for (const one of all) if (index++ >= count) yield one
}

/** Each program in turn, `runs` times: what else the machine does falls on all alike. */
async function playAll(
  replay: MemoryReplay,
  players: readonly Player[],
  server: ReplayServer,
  { size, runs, say, rows }: { size: number; runs: number; say: PlayOptions['say']; rows: readonly Row[] },
): Promise<Row[]> {
  const taken = new Map<Player, Taken[]>(players.map(player => [player, []]))
  for (let run = 1; run <= runs; run++) {
    for (const [player, all] of taken) {
      say(`${replay.id}: ${size} objects, run ${run} of ${runs}, ${player.name}`)
      all.push(await once(player, server, size))
    }
  }
  return [...taken].map(([{ name, bar }, all]): Row => {
    const median = (of: (one: Taken) => number): number => summarise(all.map(of)).median
    const figures: Taken = {
      rssBytes: median(one => one.rssBytes),
      peakBytes: median(one => one.peakBytes),
      readyMs: median(one => one.readyMs),
      firstMs: median(one => one.firstMs),
      getMs: median(one => one.getMs),
    }
    const idle = rows.find(({ program, size }) => program === name && size === 0) ?? figures
    const aboveIdleBytes = figures.rssBytes - idle.rssBytes
    const isMet = bar && size > 0 ? meets({ ...figures, aboveIdleBytes }, bar) : undefined
    return { replay: replay.id, program: name, size, ...figures, aboveIdleBytes, runs, isMet }
  })
}

function meets(
  { aboveIdleBytes, peakBytes, rssBytes, firstMs, getMs }: Taken & Pick<Row, 'aboveIdleBytes'>,
  bar: Bar,
): boolean {
  const { peakTimes = Number.POSITIVE_INFINITY, firstTimesGet } = bar
  const isFast = firstTimesGet === undefined || firstMs <= firstTimesGet * getMs
  return aboveIdleBytes <= bar.aboveIdleBytes && peakBytes <= peakTimes * rssBytes && isFast
}

async function once(player: Player, server: ReplayServer, size: number): Promise<Taken> {
  const program = player.start(server, size)
  try {
    const { ms: readyMs, peakBytes } = await program.says('ready')
    const { rssBytes } = await program.says('settled')
    const isCompared = player.comparesFirst && size > 0
    const firstMs = isCompared ? await program.number('first_ms') : 0
    const getMs = isCompared ? await program.number('get_ms') : 0
    return { readyMs, peakBytes, rssBytes, firstMs, getMs }
  } finally {
    await program.close()
  }
}
