import { Client, type Transport } from '@wherry/client'
import { type ConfigMap, configMaps } from '@wherry/client/resources/core'
import { Operator } from '@wherry/controller'
import {
  type EmbeddedApiServer,
  type MemoryTransport,
  type Simulation,
  simulate,
  startApiServer,
} from '@wherry/testing'

/** A cluster in memory on simulated time, the network to it, and operators whose runs are counted. */
export interface Cluster {
  readonly server: EmbeddedApiServer
  readonly simulation: Simulation
  /** The network of the operators: what breaks there does not break what `user` does. */
  readonly network: MemoryTransport
  /** Changes objects over a network of its own. */
  readonly user: Client
  /** When the operators tried to connect, in simulated milliseconds. */
  readonly attempts: readonly number[]
  /** Runs an operator of ConfigMaps, which notes what it sees. It ends with the cluster, or before. */
  start(options?: StartOptions): Started
  /** Lets time go on until this is so. */
  until(isSo: () => boolean): Promise<void>
}

interface StartOptions {
  /** In addition to the note. */
  readonly reconcile?: ((name: string) => void | Promise<void>) | undefined
  readonly declare?: ((operator: Operator) => void) | undefined
}

/** An operator that runs. */
export interface Started {
  readonly operator: Operator
  /** `NAME VALUE` for each run, `NAME gone` for each object that is gone. */
  readonly log: string[]
  end(): Promise<void>
}

const seen = configMaps.within({ namespaces: ['default'] })

export const configMap = (name: string, value: string): ConfigMap => ({
  metadata: { name, namespace: 'default' },
  data: { value },
})

export async function inCluster(body: (cluster: Cluster) => Promise<void>, seed = 7): Promise<void> {
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
  const started: Started[] = []
  await simulation.run(async () => {
    await using _ = server
    const own = server.transport({ random: random.fork('user') })
    await using user = new Client({ url, token, transport: own, environment })
    const start = ({ reconcile, declare }: StartOptions = {}): Started => {
      const client = new Client({ url, token, transport: counting, environment })
      const operator = new Operator({ name: 'replay', client })
      const log: string[] = []
      operator
        .controller('seen')
        .for(seen)
        .reconcile(async ({ key, object }) => {
          log.push(`${key.name} ${object.data?.value}`)
          await reconcile?.(key.name)
        })
        .onGone(({ key }) => void log.push(`${key.name} gone`))
      declare?.(operator)
      const running = operator.run({ signals: false })
      const end = async (): Promise<void> => {
        await operator.close()
        await running
        await client.close()
      }
      started.push({ operator, log, end })
      return { operator, log, end }
    }
    const until = async (isSo: () => boolean): Promise<void> => {
      while (!isSo()) await simulation.advance(100)
    }
    try {
      await body({ server, simulation, network, user, attempts, start, until })
    } finally {
      network.controls.refuse(false)
      for (const { end } of started) await end()
    }
  })
}
