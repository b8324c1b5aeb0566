import { Client, type ClientSettings, defineResource, type ObjectMeta, type Resource } from '@wherry/client'
import { type CustomResourceDefinition, customResourceDefinitions } from '@wherry/client/resources/apiextensions'
import {
  type EmbeddedApiServer,
  type EmbeddedOptions,
  type MemoryTransport,
  type Simulation,
  simulate,
  startApiServer,
} from '@wherry/testing'

export interface Game {
  metadata?: ObjectMeta | undefined
  spec?: { players?: number | undefined } | undefined
}

const game = { group: 'arcade.example.com', kind: 'Game', plural: 'games', namespaced: true } as const

export const gamesV1: Resource<Game, 'namespaced'> = defineResource<Game>({ ...game, version: 'v1' })
export const gamesV2: Resource<Game, 'namespaced'> = defineResource<Game>({ ...game, version: 'v2' })
export const definition = 'games.arcade.example.com'

/** The versions of a definition by name: its storage version, and the versions that are not served. */
export interface Versions {
  readonly storage: string
  readonly names?: readonly string[]
  readonly unserved?: readonly string[]
  readonly conversion?: CustomResourceDefinition['spec']['conversion']
}

/** The definition of games. */
export function gameDefinition({ storage, names = ['v1', 'v2'], unserved = [], conversion }: Versions): {
  metadata: ObjectMeta
  spec: CustomResourceDefinition['spec']
} {
  const { group, kind, plural } = game
  const schema = { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } }
  const versions = names.map(name => ({ name, served: !unserved.includes(name), storage: name === storage, schema }))
  const spec = { group, names: { kind, plural }, scope: 'Namespaced', versions, ...(conversion && { conversion }) }
  return { metadata: { name: definition }, spec }
}

/** An API server and its clients, on the simulated time of one seed. */
export interface Cluster {
  readonly simulation: Simulation
  readonly server: EmbeddedApiServer
  /** The client of the migrator. */
  readonly client: Client
  /** The client of the test. */
  readonly writer: Client
  readonly transport: MemoryTransport
  /** Creates the definition. */
  define(versions: Versions): Promise<void>
  /** Changes the definition. */
  change(versions: Versions): Promise<CustomResourceDefinition>
  /** Creates this many games: `g000`, `g001` … */
  create(count: number): Promise<void>
  /** `status.storedVersions`. */
  storedVersions(): Promise<readonly string[] | undefined>
  /** The names of the games that are stored at a version. */
  storedAt(version: string): string[]
  close(): Promise<void>
}

export interface ClusterOptions extends Omit<EmbeddedOptions, 'sockets' | 'clock' | 'random' | 'isolate'> {
  readonly client?: ClientSettings | undefined
  readonly token?: string | undefined
}

export async function simulatedCluster(seed: number, options: ClusterOptions = {}): Promise<Cluster> {
  const { client: settings, token, ...serverOptions } = options
  const simulation = simulate(seed)
  const { clock, environment, random } = simulation
  const server = await startApiServer({
    clusterObjects: false,
    ...serverOptions,
    sockets: false,
    clock,
    random: random.fork('server'),
  })
  const transport = server.transport({ random: random.fork('network') })
  const own = server.transport({ random: random.fork('writer') })
  const { url } = server
  const client = new Client({ ...settings, url, token: token ?? server.token, transport, environment })
  const writer = new Client({ url, token: server.token, transport: own, environment })
  const name = { name: definition }
  const storedVersions = async (): Promise<readonly string[] | undefined> =>
    (await writer.get(customResourceDefinitions, name))?.status?.storedVersions
  return {
    ...{ simulation, server, client, writer, transport, storedVersions },
    async define(versions) {
      await simulation.run(() => writer.create(customResourceDefinitions, gameDefinition(versions)))
      await simulation.advance(1000)
    },
    async change(versions) {
      const { spec } = gameDefinition(versions)
      return writer.patch(customResourceDefinitions, name, { spec })
    },
    async create(count) {
      for (let i = 0; i < count; i++) {
        const metadata = { namespace: 'default', name: `g${String(i).padStart(3, '0')}` }
        await writer.create(gamesV1, { metadata, spec: { players: i } })
      }
    },
    storedAt: version =>
      Object.entries(server.storedVersions(definition))
        .filter(([, stored]) => stored === version)
        .map(([key]) => key.replace('default/', ''))
        .sort(),
    async close() {
      await simulation.run(async () => {
        await client.close()
        await writer.close()
        await server.close()
      })
    },
  }
}

/** Runs `test` in a cluster with games that are stored at v1, and a definition with the storage version v2. */
export async function withGames(
  count: number,
  test: (cluster: Cluster) => Promise<void>,
  options: ClusterOptions = {},
): Promise<void> {
  const cluster = await simulatedCluster(1, options)
  try {
    await cluster.define({ storage: 'v1' })
    await cluster.simulation.run(async () => {
      await cluster.create(count)
      await cluster.change({ storage: 'v2' })
    })
    await cluster.simulation.run(() => test(cluster))
  } finally {
    await cluster.close()
  }
}
