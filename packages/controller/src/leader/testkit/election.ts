import { Client, type LogFields, type LogLevel } from '@wherry/client'
import { sleep } from '@wherry/client/internal'
import { configMaps } from '@wherry/client/resources/core'
import { type EmbeddedApiServer, type MemoryTransport, type Simulation, simulate } from '@wherry/testing'
import { simulatedServer } from '../../testkit.fixture.ts'
import { LeaderElection } from '../leader-election.ts'
import type { LeaderElectionOptions } from '../options.ts'
import type { Term } from '../term.ts'
import { History, lease } from './history.ts'
import { PausableProcess } from './process.ts'

export { lease }

/** One candidate in a process and behind a network of its own. */
export interface CandidateProcess {
  readonly name: string
  readonly process: PausableProcess
  readonly network: MemoryTransport
  readonly client: Client
  readonly election: LeaderElection
  /** What happened: `leads`, `stopped CODE`, `ended` … */
  readonly log: string[]
  /** What it has logged: level, message, fields. */
  readonly said: (readonly [level: LogLevel, message: string, fields?: LogFields | undefined])[]
  /** Set while it leads. */
  term: Term | undefined
  running: Promise<void>
  stop(): void
}

/** Candidates for one lease, on one server in memory, on simulated time, and what the server saw of them. */
export class Electorate {
  readonly simulation: Simulation
  readonly server: EmbeddedApiServer
  readonly writer: Client
  readonly history: History
  readonly candidates: CandidateProcess[] = []
  #count = 0

  private constructor(simulation: Simulation, server: EmbeddedApiServer) {
    this.simulation = simulation
    this.server = server
    const transport = server.transport({ random: simulation.random.fork('writer'), latencyMs: 0 })
    this.writer = new Client({ url: server.url, token: server.token, transport, environment: simulation.environment })
    this.history = new History(this.writer)
  }

  /** @param limitMs how long a test may wait for what does not come, in milliseconds of simulated time; a day by default */
  static async start(seed: number, limitMs?: number): Promise<Electorate> {
    const simulation = simulate(seed, { limitMs })
    const server = await simulatedServer(simulation)
    return new Electorate(simulation, server)
  }

  /** Starts a candidate. While it leads it writes every `writeMs`, heeding nothing but what its client says. */
  candidate(
    name: string,
    options: Partial<LeaderElectionOptions> = {},
    {
      writeMs = 150,
      lead = this.writing(name, writeMs),
    }: { writeMs?: number; lead?: (term: Term, own: CandidateProcess) => unknown } = {},
  ): CandidateProcess {
    const { random, clock, environment } = this.simulation
    const process = new PausableProcess(clock, random.fork(`pauses of ${name}`))
    const network = this.server.transport({ random: random.fork(`network of ${name}`) })
    const said: CandidateProcess['said'] = []
    const client = new Client({
      url: this.server.url,
      token: this.server.token,
      transport: process.transport(network),
      environment: { ...environment, clock: process.clock, log: (...line) => said.push(line) },
    })
    const election = new LeaderElection({ client, ...lease, identity: name, ...options })
    const log: string[] = []
    const controller = new AbortController()
    const own: CandidateProcess = {
      name,
      process,
      network,
      client,
      election,
      log,
      said,
      term: undefined,
      running: Promise.resolve(),
      stop: () => controller.abort(new Error('asked to stop')),
    }
    own.running = election
      .run({
        signal: controller.signal,
        lead: async term => {
          log.push(`leads ${term.transitions}`)
          own.term = term
          term.signal.addEventListener('abort', () => log.push(`aborted ${(term.signal.reason as Error).name}`))
          try {
            await lead(term, own)
          } finally {
            own.term = undefined
          }
        },
      })
      .then(
        () => void log.push('ended'),
        (error: Error & { code?: string }) => void log.push(`failed ${error.code ?? error.message}`),
      )
    this.candidates.push(own)
    return own
  }

  /** A part that writes until it is refused, or asked to stop. */
  writing(name: string, everyMs: number): (term: Term, own: CandidateProcess) => Promise<void> {
    return async (term, own) => {
      const { clock } = own.process
      while (!(term.signal.aborted && term.remainingMs > 0)) {
        const data = { by: name, term: `${term.transitions}` }
        const metadata = { name: `w-${++this.#count}`, namespace: lease.namespace }
        try {
          await term.client.create(configMaps, { metadata, data }, { timeoutMs: 2000 })
        } catch (error) {
          if ((error as { code?: string }).code === 'LEADERSHIP_LOST') return
        }
        await sleep(clock, everyMs)
      }
    }
  }

  /** Ends all that still can. */
  async close(): Promise<void> {
    this.history.end()
    await this.simulation.run(async () => {
      for (const one of this.candidates) {
        one.process.resume()
        one.stop()
        // A client of a process that was killed receives nothing, its own end neither.
        if (!one.process.dead) await one.client.close()
        one.network.close()
      }
      await this.writer.close()
      await this.server.close()
    })
  }
}
