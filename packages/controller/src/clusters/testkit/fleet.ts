import { Client, type Environment, type LogFields, type Resource, type Transport } from '@wherry/client'
import { type ConfigMap, configMaps, secrets } from '@wherry/client/resources/core'
import { type EmbeddedApiServer, type MemoryTransport, type Simulation, simulate } from '@wherry/testing'
import { environmentLogger } from '../../logging/logger.ts'
import { Operator } from '../../operator/operator.ts'
import type { OperatorOptions } from '../../operator/options.ts'
import { simulatedServer } from '../../testkit.fixture.ts'
import { Clusters, type ClustersOptions } from '../clusters.ts'
import { kubeconfigSecrets } from '../kubeconfig-secrets.ts'

/** A server that can be a cluster of the fleet. */
export interface Site {
  readonly name: string
  readonly server: EmbeddedApiServer
  /** The network between the operator and the server. */
  readonly network: MemoryTransport
  /** The client by which the test writes to the server. */
  readonly client: Client
}

const label = { 'sigs.k8s.io/multicluster-runtime-kubeconfig': 'true' }

/** The ConfigMaps that the operator of the fleet reconciles. */
export const watched: Resource<ConfigMap, 'namespaced'> = configMaps.within({ labels: 'example.com/watched' })

/** The kubeconfig of a site, as JSON. */
export const kubeconfigOf = (site: string, user: object): string =>
  JSON.stringify({
    clusters: [{ name: 'c', cluster: { server: `https://${site}.example.com` } }],
    users: [{ name: 'u', user }],
    contexts: [{ name: 'c', context: { cluster: 'c', user: 'u' } }],
    'current-context': 'c',
  })

/** A home cluster, and servers that clusters of it are, in memory and on simulated time. */
export class Fleet {
  readonly simulation: Simulation
  readonly home: Client
  readonly sites: Map<string, Site> = new Map()
  readonly logged: (readonly [message: string, fields: LogFields | undefined])[] = []
  readonly #homeServer: EmbeddedApiServer
  /** The parts of the environment that are not the simulation's. */
  readonly #own: Partial<Environment>
  readonly #operators: {
    readonly stop: AbortController
    readonly running: Promise<unknown>
    readonly client: Client
  }[] = []
  readonly #network: Transport = {
    connect: (target, signal) => this.site(target.hostname.split('.')[0] ?? '').network.connect(target, signal),
  }

  private constructor(simulation: Simulation, homeServer: EmbeddedApiServer, own: Partial<Environment>) {
    this.#own = own
    this.simulation = simulation
    this.#homeServer = homeServer
    this.home = this.#clientOf(homeServer, 'test')
  }

  static async start(seed: number, sites: readonly string[], own: Partial<Environment> = {}): Promise<Fleet> {
    const simulation = simulate(seed)
    const fleet = new Fleet(simulation, await simulatedServer(simulation), own)
    for (const name of sites) {
      const server = await simulatedServer(simulation)
      const network = server.transport({ random: simulation.random.fork(`network of ${name}`) })
      fleet.sites.set(name, { name, server, network, client: fleet.#clientOf(server, `test of ${name}`) })
    }
    return fleet
  }

  site(name: string): Site {
    const found = this.sites.get(name)
    if (found === undefined) throw new Error(`there is no site ${name}`)
    return found
  }

  /** Starts an operator of the home cluster with the fleet as a component. */
  operate(
    declare: ClustersOptions['declare'],
    settings: Partial<ClustersOptions> & { readonly home?: Partial<OperatorOptions> } = {},
  ): { readonly operator: Operator; readonly clusters: Clusters; readonly stop: () => Promise<unknown> } {
    const { home, ...rest } = settings
    const client = this.#clientOf(this.#homeServer, `operator ${this.#operators.length}`)
    const operator = new Operator({ name: 'fleet', client, log: environmentLogger(client.environment), ...home })
    const provider = kubeconfigSecrets({ namespace: 'default' })
    const clusters = new Clusters({ provider, declare, client: { transport: this.#network }, ...rest })
    operator.addComponent(clusters)
    const stop = new AbortController()
    const running = operator.run({ signal: stop.signal, signals: false }).then(
      () => 'ended',
      error => error,
    )
    this.#operators.push({ stop, running, client })
    const end = (): Promise<unknown> => {
      stop.abort(new Error('enough'))
      return running
    }
    return { operator, clusters, stop: end }
  }

  /** Writes the Secret of a cluster. `site` is the server; `user` is that of the kubeconfig. */
  async secret(
    name: string,
    { site = name, user = { token: this.site(site).server.token }, ...rest }: SecretParts = {},
  ): Promise<void> {
    const { kubeconfig = kubeconfigOf(site, user), key = 'kubeconfig' } = rest
    const metadata = { name, namespace: 'default', labels: label }
    const data = { [key]: Buffer.from(kubeconfig).toString('base64') }
    const old = await this.home.get(secrets, { name, namespace: 'default' })
    if (old === undefined) await this.home.create(secrets, { metadata, data })
    else await this.home.update(secrets, { ...old, metadata: { ...old.metadata, labels: label }, data })
  }

  /** Breaks the connections to a site, and refuses new ones. */
  kill(name: string): void {
    const { controls } = this.site(name).network
    controls.refuse(true)
    for (const connection of controls.connections()) controls.kill(connection)
  }

  forget(name: string): Promise<unknown> {
    return this.home.delete(secrets, { name, namespace: 'default' })
  }

  /** Writes a ConfigMap that the operator of the fleet reconciles. */
  async write(site: string, name: string, data: Record<string, string> = {}): Promise<void> {
    const metadata = { name, namespace: 'default', labels: { 'example.com/watched': '' } }
    const { client } = this.site(site)
    const key = { name, namespace: 'default' }
    if ((await client.get(configMaps, key)) === undefined) await client.create(configMaps, { metadata, data })
    else await client.patch(configMaps, key, { data })
  }

  async close(): Promise<void> {
    await this.simulation.run(async () => {
      for (const { stop, running, client } of this.#operators) {
        stop.abort(new Error('enough'))
        await running
        await client.close()
      }
      for (const { network, client, server } of this.sites.values()) {
        network.close()
        await client.close()
        await server.close()
      }
      await this.home.close()
      await this.#homeServer.close()
    })
  }

  #clientOf(server: EmbeddedApiServer, name: string): Client {
    const { random, environment } = this.simulation
    const transport = server.transport({ random: random.fork(`network of the ${name}`) })
    const log = (_: string, message: string, fields?: LogFields): void => void this.logged.push([message, fields])
    return new Client({
      url: server.url,
      token: server.token,
      transport,
      environment: { ...environment, log, ...this.#own },
    })
  }
}

interface SecretParts {
  readonly site?: string
  readonly user?: object
  readonly kubeconfig?: string
  readonly key?: string
}

/** Runs `body` with a fleet, and checks that nothing is left of it. */
export async function inFleet(
  sites: readonly string[],
  body: (fleet: Fleet) => Promise<void>,
  seed = 7,
  own: Partial<Environment> = {},
): Promise<Fleet> {
  const fleet = await Fleet.start(seed, sites, own)
  const { simulation } = fleet
  try {
    await simulation.run(() => body(fleet))
  } finally {
    await fleet.close()
  }
  await simulation.advance(120_000)
  const left = simulation.pending()
  if (left.length > 0) throw new Error(`there is something left: ${left.join('\n')}`)
  return fleet
}
