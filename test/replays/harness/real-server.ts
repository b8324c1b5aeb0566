import { Client, defineResource, type KubernetesObject, type Resource } from '@wherry/client'
import { namespaces } from '@wherry/client/resources/core'
import { type RealApiServer, startApiServer } from '@wherry/testing'
import { define } from '../../bench/server/define.ts'
import type { MemoryReplay } from '../replay.ts'

const WRITERS = 16

/** A real API server that has the definitions of a replay, and that is filled step by step. */
export class ReplayServer {
  readonly address: RealApiServer
  readonly #client: Client
  readonly #views = new Map<string, Resource<KubernetesObject>>()
  readonly #namespaces = new Map<string, Promise<unknown>>([['default', Promise.resolve()]])

  private constructor(server: RealApiServer, client: Client) {
    this.address = server
    this.#client = client
  }

  static async start({ definitions }: Pick<MemoryReplay, 'definitions'>): Promise<ReplayServer> {
    const server = await startApiServer({ kind: 'real', clusterObjects: false })
    const client = new Client({ url: server.url, ca: server.ca, token: server.token })
    for (const definition of definitions) await define(client, definition)
    return new ReplayServer(server, client)
  }

  /** Creates each object, some at the same time, and the namespaces that they are in. */
  async fill(objects: Iterable<KubernetesObject>): Promise<void> {
    const source = objects[Symbol.iterator]()
    const write = async (): Promise<void> => {
      for (let next = source.next(); !next.done; next = source.next()) await this.#create(next.value)
    }
    await Promise.all(Array.from({ length: WRITERS }, write))
  }

  async close(): Promise<void> {
    await this.#client.close()
    await this.address.close()
  }

  async #create(object: KubernetesObject): Promise<void> {
    const namespace = object.metadata?.namespace
    if (namespace !== undefined) await this.#namespace(namespace)
    await this.#client.create(await this.#viewOf(object), object)
  }

  /** Resolves once it is there, however many ask for it at the same time. */
  #namespace(name: string): Promise<unknown> {
    const known = this.#namespaces.get(name)
    const made = known ?? this.#client.create(namespaces, { metadata: { name } })
    if (known === undefined) this.#namespaces.set(name, made)
    return made
  }

  async #viewOf({ apiVersion = '', kind = '' }: KubernetesObject): Promise<Resource<KubernetesObject>> {
    const key = `${apiVersion} ${kind}`
    const known = this.#views.get(key)
    if (known) return known
    const [version = '', group = ''] = apiVersion.split('/').reverse()
    const found = await this.#client.discover({ group, version, kind })
    if (found === undefined) throw new Error(`the server has no ${kind} of ${apiVersion}`)
    const view = defineResource<KubernetesObject>(found) as Resource<KubernetesObject>
    this.#views.set(key, view)
    return view
  }
}
