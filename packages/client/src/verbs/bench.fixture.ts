import {
  type EmbeddedApiServer,
  type EmbeddedOptions,
  type RecordedEnvironment,
  simulate,
  startApiServer,
} from '@wherry/testing'
import { recordedEnvironment, systemClock, Trace } from '@wherry/testing/internal'
import { Client, type ClientSettings } from '../client.ts'

/** A client and an API server to test it against. */
export interface Bench {
  readonly client: Client
  readonly server: EmbeddedApiServer
  readonly environment: RecordedEnvironment
  /** Does something, while time passes. */
  run<T>(fn: () => T): Promise<Awaited<T>>
  /** Closes both. */
  close(): Promise<void>
}

/** The server has only the objects that the test creates. */
const empty = { clusterObjects: false } as const

type Options = ClientSettings & { readonly server?: Omit<EmbeddedOptions, 'isolate'> | undefined }

/** In memory, on simulated time. */
export async function inMemory({ server: of, ...options }: Options = {}): Promise<Bench> {
  const simulation = simulate(7)
  const { clock, environment, random } = simulation
  const server = await startApiServer({ sockets: false, clock, random: random.fork('server'), ...empty, ...of })
  const transport = server.transport({ random: random.fork('network') })
  const client = new Client({ url: server.url, transport, environment, token: server.token, ca: server.ca, ...options })
  return {
    client,
    server,
    environment,
    run: fn => simulation.run(fn),
    async close() {
      await simulation.run(() => Promise.all([client.close(), server.close()]))
    },
  }
}

/** Over TLS sockets and HTTP/2, in real time. */
export async function overSockets({ server: of, ...options }: Options = {}): Promise<Bench> {
  const server = await startApiServer({ ...empty, ...of })
  const environment = recordedEnvironment(systemClock(), Math.random, new Trace(false))
  const client = new Client({ url: server.url, environment, token: server.token, ca: server.ca, ...options })
  return {
    client,
    server,
    environment,
    run: fn => Promise.resolve(fn()),
    async close() {
      await client.close()
      await server.close()
    },
  }
}
