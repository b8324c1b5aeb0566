import { asJavaScript } from '../../bench/harness/as-javascript.ts'
import { buildGo } from '../../bench/harness/build-go.ts'
import { Program } from '../../bench/harness/program.ts'
import type { Bar, MemoryReplay } from '../replay.ts'
import type { ReplayServer } from './real-server.ts'

/** A program of a replay, of ours or of others. */
export interface Player {
  readonly name: string
  readonly bar?: Bar | undefined
  /** Whether it says what its first reconcile and one GET took. */
  readonly comparesFirst: boolean
  /** Whether it is a program of others: if it fails, that is a row too. */
  readonly isPeer: boolean
  start(server: ReplayServer, size: number): Program
}

const dist = new URL('../dist/', import.meta.url)
const program = (name: string): Promise<string> => asJavaScript(new URL(`./${name}`, import.meta.url), dist)

/** A young generation of 4 MB, as a new project has it: garbage is not kept until 16 MB of it are there. */
const nodeArguments = ['--expose-gc', '--max-semi-space-size=4']

/** The programs that play a replay: ours, and those of others. */
export async function playersOf(replay: MemoryReplay): Promise<Player[]> {
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
      isPeer: false,
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
      isPeer: true,
      start: server => {
        // What a peer reads by name is not there in an empty cluster; it goes on all the same.
        return new Program(go, [], { ...address(server), BENCH_OF: 'replay', BENCH_PEER: JSON.stringify(peer) })
      },
    }),
  )
  const informer: Player = {
    name: 'client-node, informers',
    comparesFirst: false,
    isPeer: true,
    start: server => node(clientNode, server, { REPLAY_KINDS: replay.peers.clientNode.join(',') }),
  }
  return [...ours, informer, ...theirs]
}
