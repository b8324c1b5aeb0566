import { Client, type Environment } from '@wherry/client'
import { type EmbeddedApiServer, type Simulation, simulate, startApiServer } from '@wherry/testing'

/** A server in memory, on the time and the random numbers of a simulation. It holds only what a test writes. */
export function simulatedServer(
  { clock, random }: Simulation,
  options: { readonly shards?: boolean } = {},
): Promise<EmbeddedApiServer> {
  const simulated = { clock, random: random.fork('server'), sockets: false, isolate: false } as const
  return startApiServer({ clusterObjects: false, ...simulated, ...options })
}

/** A server and a client of it in memory, on simulated time. */
export interface Cluster {
  readonly simulation: Simulation
  readonly server: EmbeddedApiServer
  /** The network between the client and the server. */
  readonly transport: ReturnType<EmbeddedApiServer['transport']>
  readonly client: Client
  close(): Promise<void>
}

/** @param own the parts of the client's environment that are not the simulation's */
export async function startCluster(seed = 7, own: Partial<Environment> = {}): Promise<Cluster> {
  const simulation = simulate(seed)
  const { random, environment } = simulation
  const server = await simulatedServer(simulation)
  const transport = server.transport({ random: random.fork('network') })
  const { url, token } = server
  const client = new Client({ url, token, transport, environment: { ...environment, ...own } })
  return {
    simulation,
    server,
    transport,
    client,
    close: () =>
      simulation.run(async () => {
        await client.close()
        await server.close()
      }),
  }
}
