import { Client, type Environment } from '@wherry/client'
import { type EmbeddedApiServer, type Simulation, simulate, startApiServer } from '@wherry/testing'

/** A server and a client of it in memory, on simulated time. */
export interface Cluster {
  readonly simulation: Simulation
  readonly server: EmbeddedApiServer
  readonly client: Client
  close(): Promise<void>
}

/** @param own what the client has of its own instead of the simulation's */
export async function startCluster(seed = 7, own: Partial<Environment> = {}): Promise<Cluster> {
  const simulation = simulate(seed)
  const { clock, random, environment } = simulation
  const server = await startApiServer({
    clusterObjects: false,
    isolate: false,
    sockets: false,
    clock,
    random: random.fork('server'),
  })
  const transport = server.transport({ random: random.fork('network') })
  const { url, token } = server
  const client = new Client({ url, token, transport, environment: { ...environment, ...own } })
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
