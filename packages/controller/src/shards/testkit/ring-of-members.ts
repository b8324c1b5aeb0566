import { Client, type LogFields, type LogLevel } from '@wherry/client'
import { configMaps } from '@wherry/client/resources/core'
import { type EmbeddedApiServer, type MemoryTransport, type Simulation, simulate } from '@wherry/testing'
import { PausableProcess } from '../../leader/testkit/process.ts'
import type { Logger } from '../../logging/logger.ts'
import { Operator } from '../../operator/operator.ts'
import type { OperatorSettings } from '../../operator/options.ts'
import { defineGames, games } from '../../operator/testkit/games.ts'
import { simulatedServer } from '../../testkit.fixture.ts'
import type { OperatorRingOptions, OperatorUidShardOptions } from '../options.ts'
import { defineRing, Sharder } from './sharder.ts'
// Operators import it when they start. Loading a module takes real time, during which simulated time would go on.
import '../start-shard.ts'

/** One process that is a shard. */
export interface Member {
  readonly name: string
  readonly process: PausableProcess
  readonly network: MemoryTransport
  readonly client: Client
  readonly operator: Operator
  readonly logged: (readonly [level: LogLevel, message: string, fields?: LogFields | undefined])[]
  /** How its run ended. */
  ended: unknown
  running: Promise<void>
  stop(): void
}

/** An operator without a log looks at the machine's clock for whether it is left alone. */
const silent: Logger = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} }

/** A server with a ring, its sharder, and members, on simulated time. */
export class RingOfMembers {
  readonly simulation: Simulation
  readonly server: EmbeddedApiServer
  /** Of the test, which nothing stands in the way of. */
  readonly writer: Client
  readonly sharder: Sharder
  readonly members: Member[] = []

  private constructor(simulation: Simulation, server: EmbeddedApiServer) {
    this.simulation = simulation
    this.server = server
    const transport = server.transport({ random: simulation.random.fork('writer'), latencyMs: 0 })
    this.writer = new Client({ url: server.url, token: server.token, transport, environment: simulation.environment })
    const views = [{ view: games }, { view: configMaps, isControlled: true }]
    this.sharder = new Sharder(this.writer, 'games', views, () => this.#writes())
  }

  /** The requests so far that could change a game or a ConfigMap. */
  async #writes(): Promise<number> {
    const { byVerb } = await this.server.stats()
    let count = 0
    for (const verb of ['create', 'update', 'patch', 'delete'])
      for (const resource of ['games.arcade.example.com', 'configmaps'])
        count += byVerb[verb]?.[resource]?.requests ?? 0
    return count
  }

  /** The ring assigns games, and the ConfigMaps that they control unless `controlled` is false. */
  static async start(
    seed: number,
    { controlled = true, shards = false }: { readonly controlled?: boolean; readonly shards?: boolean } = {},
  ): Promise<RingOfMembers> {
    const simulation = simulate(seed)
    const ring = new RingOfMembers(simulation, await simulatedServer(simulation, { shards }))
    await simulation.run(async () => {
      await defineGames(ring.writer)
      const controlledResources = controlled ? [{ resource: 'configmaps' }] : []
      await defineRing(ring.writer, 'games', [{ group: 'arcade.example.com', resource: 'games', controlledResources }])
    })
    return ring
  }

  /** Starts a member: of the ring, or, with a `count`, of processes that share the objects by their uids. `declare` names its controllers. */
  member(
    name: string,
    declare: (operator: Operator, own: Member) => void,
    options: Partial<OperatorRingOptions> | OperatorUidShardOptions = {},
    settings: OperatorSettings = {},
  ): Member {
    const { random, clock, environment } = this.simulation
    const process = new PausableProcess(clock, random.fork(`pauses of ${name}`))
    const network = this.server.transport({ random: random.fork(`network of ${name}`) })
    const logged: Member['logged'] = []
    const client = new Client({
      ...{ url: this.server.url, token: this.server.token, transport: process.transport(network) },
      environment: { ...environment, clock: process.clock, log: (...line) => logged.push(line) },
    })
    const namespace = 'default'
    const shards =
      options.count === undefined ? { ring: 'games', name, namespace, ...options } : { namespace, ...options }
    const operator = new Operator({ ...settings, name: 'arcade', client, shards, log: silent })
    const stop = new AbortController()
    const own: Member = {
      ...{ name, process, network, client, operator, logged },
      ended: undefined,
      running: Promise.resolve(),
      stop: () => stop.abort(new Error('asked to stop')),
    }
    declare(operator, own)
    own.running = operator.run({ signal: stop.signal, signals: false }).then(
      () => {
        own.ended = 'ended'
      },
      error => {
        own.ended = error
      },
    )
    this.members.push(own)
    return own
  }

  /** Ends all that still can. */
  async close(): Promise<void> {
    await this.simulation.run(async () => {
      await this.sharder.close()
      for (const member of this.members) {
        member.process.resume()
        member.stop()
        if (!member.process.dead) {
          await member.running
          await member.client.close()
        }
        member.network.close()
      }
      await this.writer.close()
      await this.server.close()
    })
  }
}
