import { Client, type Transport } from '@wherry/client'
import type { ConfigMap } from '@wherry/client/resources/core'
import {
  type EmbeddedApiServer,
  type MemoryTransport,
  type Simulation,
  simulate,
  startApiServer,
} from '@wherry/testing'
import { type Started, type StartOptions, startOperator } from './started.ts'

/** A cluster in memory on simulated time, the network to it, and operators with counted runs. */
export interface Cluster {
  readonly server: EmbeddedApiServer
  readonly simulation: Simulation
  /** The network of the operators: what breaks there does not break what `user` does. */
  readonly network: MemoryTransport
  /** Changes objects over a network of its own. */
  readonly user: Client
  /** When the operators tried to connect, in simulated milliseconds. */
  readonly attempts: readonly number[]
  /** How often informers of the operators have listed again, streamed lists included. */
  relists(): number
  /** Runs an operator of ConfigMaps, which notes what it sees. It ends with the cluster, or before. */
  start(options?: StartOptions): Started
  /** Lets time go on until this is so. */
  until(isSo: () => boolean): Promise<void>
}

export const configMap = (name: string, value: string): ConfigMap => ({
  metadata: { name, namespace: 'default' },
  data: { value },
})

/** Plays `body` in a cluster of its own, and ends the operators that it started. Gives its result. */
export async function inCluster<R>(body: (cluster: Cluster) => Promise<R>, seed = 7): Promise<R> {
  const simulation = simulate(seed)
  const { clock, random, environment } = simulation
  const server = await startApiServer({ clusterObjects: false, sockets: false, clock, random: random.fork('server') })
  const { url, token } = server
  const network = server.transport({ random: random.fork('network') })
  const attempts: number[] = []
  const counting: Transport = {
    connect: (...given) => {
      attempts.push(clock.monotonic())
      return network.connect(...given)
    },
  }
  let relists = 0
  const { metrics } = environment
  const count: typeof metrics.count = (name, labels, by = 1) => {
    if (name === 'reflector_relists_total') relists += by
    metrics.count(name, labels, by)
  }
  const counted = { ...environment, metrics: { ...metrics, count } }
  const started: Started[] = []
  return simulation.run(async () => {
    await using _ = server
    const own = server.transport({ random: random.fork('user') })
    await using user = new Client({ url, token, transport: own, environment })
    const start = (options?: StartOptions): Started => {
      const one = startOperator(new Client({ url, token, transport: counting, environment: counted }), options)
      started.push(one)
      return one
    }
    const until = async (isSo: () => boolean): Promise<void> => {
      while (!isSo()) await simulation.advance(100)
    }
    try {
      return await body({ server, simulation, network, user, attempts, relists: () => relists, start, until })
    } finally {
      network.controls.refuse(false)
      for (const { end } of started) await end()
    }
  })
}
