import { Client, isAlreadyExists, isNotFound, isResourceNotFound } from '@wherry/client'
import { customResourceDefinitions } from '@wherry/client/resources/apiextensions'
import { configMaps, namespaces, secrets } from '@wherry/client/resources/core'
import { ApiServerMissingError, findApiServer, startApiServer } from '@wherry/testing'
import { chess, gameDefinition, games } from './game.ts'
import type { Address } from './mode.ts'
import { type Filler, type Filling, fillers } from './objects.ts'
import { until } from './until.ts'

/** A cluster that is filled, with a game in it. */
export interface Cluster {
  /** What kind of API server it is, in words. */
  readonly what: string
  readonly address: Address
  readonly namespace: string
  /** Bytes of the ConfigMap and the Secret that the game needs, as JSON. */
  readonly neededBytes: number
  /** Takes away all that was made. Idempotent. */
  close(): Promise<void>
}

export interface ClusterOptions extends Filling {
  /** `auto`: a real API server where there is one, else the embedded one. */
  readonly kind: 'auto' | 'embedded'
  readonly signal: AbortSignal
  say(line: string): void
}

/** Starts an API server in a process of its own and fills it. */
export async function startCluster(options: ClusterOptions): Promise<Cluster> {
  const { kind, namespace, say, signal } = options
  const isReal = kind === 'auto' && (await hasRealServer())
  say(isReal ? 'starting a kube-apiserver and its etcd' : 'starting the embedded API server')
  const server = isReal
    ? await startApiServer({ kind: 'real' })
    : await startApiServer({ isolate: true, compactionMs: Number.POSITIVE_INFINITY })
  const { url, ca, token } = server
  const address = { url, ca, token }
  const client = new Client(address)
  try {
    signal.throwIfAborted()
    if (server.kind === 'embedded') {
      say(`filling it with ${inWords(options)}`)
      const module = new URL('./objects.ts', import.meta.url).href
      const { objects, bytes } = options
      await server.fill({ module, export: 'fillers', args: [{ namespace, objects, bytes }] })
    } else {
      await client.create(namespaces, { metadata: { name: namespace } })
      await fill(client, options)
    }
    await client.create(customResourceDefinitions, gameDefinition)
    await createGame(client, namespace, signal)
    const neededBytes = await bytesOfNeeded(client, namespace)
    const what = isReal ? 'a real kube-apiserver' : 'the embedded API server of @wherry/testing'
    return { what, address, namespace, neededBytes, close: () => server.close() }
  } catch (error) {
    await server.close()
    throw error
  } finally {
    await client.close()
  }
}

/** Uses a cluster that is there: makes a namespace and the definition of games in it, and takes both away in the end. */
export async function useCluster(
  options: Omit<ClusterOptions, 'kind'> & { readonly address: Address },
): Promise<Cluster> {
  const { address, namespace, say, signal } = options
  const client = new Client(address)
  let closed: Promise<void> | undefined
  const remove = async (): Promise<void> => {
    say(`removing the namespace ${namespace} and the definition of games`)
    for (const away of [
      () => client.delete(customResourceDefinitions, { name: gameDefinition.metadata?.name ?? '' }),
      () => client.delete(namespaces, { name: namespace }),
    ]) {
      await away().catch((error: unknown) => {
        if (!isNotFound(error)) throw error
      })
    }
    await client.close()
  }
  const close = (): Promise<void> => {
    closed ??= remove()
    return closed
  }
  try {
    await client.create(customResourceDefinitions, gameDefinition, { signal })
  } catch (error) {
    await client.close()
    if (!isAlreadyExists(error)) throw error
    throw new Error(
      `the cluster has a definition ${gameDefinition.metadata?.name} already, which the demo would replace`,
    )
  }
  try {
    await client.create(namespaces, { metadata: { name: namespace } }, { signal })
    await fill(client, options)
    await createGame(client, namespace, signal)
    const neededBytes = await bytesOfNeeded(client, namespace)
    return { what: `the cluster at ${address.url}`, address, namespace, neededBytes, close }
  } catch (error) {
    await close()
    throw error
  }
}

/** In words: `201 ConfigMaps and 201 Secrets of 500 KB`. */
export function inWords({ objects, bytes }: Filling): string {
  return `${objects} ConfigMaps and ${objects} Secrets of ${Math.round(bytes / 1000)} KB`
}

async function hasRealServer(): Promise<boolean> {
  try {
    await findApiServer()
    return true
  } catch (error) {
    // A setting that leads nowhere is a mistake, not the want of a server.
    const isSet = Boolean(process.env.WHERRY_APISERVER || process.env.KUBEBUILDER_ASSETS)
    if (!(error instanceof ApiServerMissingError) || isSet) throw error
    return false
  }
}

const LANES = 4

/** Creates all objects, a few at a time, and says how far it is. */
async function fill(client: Client, options: Omit<ClusterOptions, 'kind'>): Promise<void> {
  const { signal, say } = options
  const all = fillers(options)
  const words = inWords(options)
  let done = 0
  const create = ({ kind, metadata, data }: Filler): Promise<unknown> =>
    kind === 'ConfigMap'
      ? client.create(configMaps, { metadata, data }, { signal })
      : client.create(secrets, { metadata, data }, { signal })
  const lane = async (): Promise<void> => {
    for (const object of all) {
      await create(object)
      done += 1
      if (done % Math.ceil(options.objects / 5) === 0)
        say(`filling it with ${words}: ${Math.round((done * 50) / options.objects)} %`)
    }
  }
  say(`filling it with ${words}`)
  await Promise.all(Array.from({ length: LANES }, lane))
}

/** A definition that was just made is not served at once. */
async function createGame(client: Client, namespace: string, signal: AbortSignal): Promise<void> {
  const game = {
    metadata: { namespace, name: chess.game },
    spec: { levels: chess.levels, licence: chess.licence },
  }
  await until(signal, 'the definition of games is served', async () => {
    try {
      await client.create(games, game, { signal })
      return true
    } catch (error) {
      if (isAlreadyExists(error)) return true
      if (isResourceNotFound(error) || isNotFound(error)) return undefined
      throw error
    }
  })
}

async function bytesOfNeeded(client: Client, namespace: string): Promise<number> {
  const levels = await client.get(configMaps.full(), { namespace, name: chess.levels })
  const licence = await client.get(secrets.full(), { namespace, name: chess.licence })
  return JSON.stringify(levels).length + JSON.stringify(licence).length
}
