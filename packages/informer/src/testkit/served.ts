import { Client, type ClientSettings } from '@wherry/client'
import {
  type EmbeddedApiServer,
  type EmbeddedOptions,
  type MemoryTransport,
  type Simulation,
  simulate,
  startApiServer,
} from '@wherry/testing'
import { recordingTransport } from './asked.ts'

/** A server and a client of it, in memory, on the time of one seed. */
export interface SimulatedCluster {
  readonly server: EmbeddedApiServer
  readonly client: Client
  /** For writes of the test's own: its connections have no faults. */
  readonly writer: Client
  readonly simulation: Simulation
  readonly transport: MemoryTransport
  /** The lists and watches that `client` asked for, a line each: `list rv=0 limit=500`. */
  readonly asked: string[]
  close(): Promise<void>
}

export interface SimulatedOptions extends Omit<EmbeddedOptions, 'sockets' | 'clock' | 'random' | 'isolate'> {
  readonly protocol?: 'h2' | 'http/1.1' | undefined
  readonly client?: ClientSettings | undefined
  readonly token?: string | undefined
}

export async function simulatedCluster(seed: number, options: SimulatedOptions = {}): Promise<SimulatedCluster> {
  const { protocol = 'h2', client: settings, token, ...serverOptions } = options
  const simulation = simulate(seed)
  const { clock, environment, random } = simulation
  const server = await startApiServer({
    clusterObjects: false,
    ...serverOptions,
    isolate: false,
    sockets: false,
    clock,
    random: random.fork('server'),
  })
  const transport = server.transport({ protocol, random: random.fork('network') })
  const own = server.transport({ random: random.fork('writer') })
  const { url } = server
  const asked: string[] = []
  const recording = recordingTransport(transport, asked)
  const client = new Client({ ...settings, url, token: token ?? server.token, transport: recording, environment })
  const writer = new Client({ url, token: server.token, transport: own, environment })
  simulation.describe(() => transport.controls.pending())
  return {
    server,
    client,
    writer,
    simulation,
    transport,
    asked,
    async close() {
      await simulation.run(async () => {
        await client.close()
        await writer.close()
        await server.close()
      })
    },
  }
}
