import { Client } from '@wherry/client'
import { type EmbeddedApiServer, type Simulation, simulate, startApiServer } from '@wherry/testing'

/** A server and a client of it in memory, on simulated time. */
export interface Cluster {
  readonly simulation: Simulation
  readonly server: EmbeddedApiServer
  readonly client: Client
  close(): Promise<void>
}

export async function startCluster(seed = 7): Promise<Cluster> {
  const simulation = simulate(seed)
  const { clock, random, environment } = simulation
  const server = await startApiServer({ isolate: false, sockets: false, clock, random: random.fork('server') })
  const transport = server.transport({ random: random.fork('network') })
  const client = new Client({ url: server.url, token: server.token, transport, environment })
  return {
    simulation,
    server,
    client,
    close: () =>
      simulation.run(async () => {
        await client.close()
        await server.close()
      }),
  }
}
