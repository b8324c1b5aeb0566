import type { ApiServer } from '@wherry/apiserver'
import { asking } from '@wherry/apiserver/internal'
import { type JsonObject, parseJson } from '@wherry/cel/internal'

const roots: Readonly<Record<string, string>> = {
  ...{ pods: '/api/v1', persistentvolumeclaims: '/api/v1' },
  ...{ deployments: '/apis/apps/v1', replicasets: '/apis/apps/v1', statefulsets: '/apis/apps/v1' },
  jobs: '/apis/batch/v1',
}
const kinds: Readonly<Record<string, readonly [apiVersion: string, kind: string]>> = {
  ...{ pods: ['v1', 'Pod'], persistentvolumeclaims: ['v1', 'PersistentVolumeClaim'] },
  ...{ deployments: ['apps/v1', 'Deployment'], replicasets: ['apps/v1', 'ReplicaSet'] },
  ...{ statefulsets: ['apps/v1', 'StatefulSet'], jobs: ['batch/v1', 'Job'] },
}

/** A Pod's spec that any server accepts. */
export const podSpec: JsonObject = { containers: [{ name: 'main', image: 'registry.example.com/main:1' }] }

/** A user of the cluster, for tests of the player, in the namespace `default`. */
export class User {
  readonly #server: ApiServer

  constructor(server: ApiServer) {
    this.#server = server
  }

  create(plural: string, name: string, spec: JsonObject, metadata: JsonObject = {}): Promise<Played> {
    const [apiVersion, kind] = kinds[plural] ?? []
    return this.#ask('POST', plural, undefined, { apiVersion, kind, metadata: { name, ...metadata }, spec })
  }

  get(plural: string, name: string): Promise<Played> {
    return this.#ask('GET', plural, name)
  }

  async list(plural: string): Promise<readonly Played[]> {
    return ((await this.#ask('GET', plural)) as unknown as { readonly items: readonly Played[] }).items
  }

  patch(plural: string, name: string, change: object): Promise<Played> {
    return this.#ask('PATCH', plural, name, change)
  }

  /** Deletes an object, as kubectl does. */
  delete(plural: string, name: string): Promise<Played> {
    return this.#ask('DELETE', plural, name, {
      kind: 'DeleteOptions',
      apiVersion: 'v1',
      propagationPolicy: 'Background',
    })
  }

  #ask(method: string, plural: string, name?: string, body?: object): Promise<Played> {
    const path = `${roots[plural]}/namespaces/default/${plural}${name === undefined ? '' : `/${name}`}`
    const type = method === 'PATCH' ? 'application/merge-patch+json' : 'application/json'
    return asking(this.#server, async asker => {
      const { status, text } = await asker.ask(method, path, body, type)
      if (status >= 300) throw new Error(`${method} ${path}: ${status} ${text}`)
      return parseJson(text) as unknown as Played
    })
  }
}

/** An object with the fields that tests of the player read. */
export interface Played {
  readonly metadata: {
    readonly name: string
    readonly uid: string
    readonly generation?: number
    readonly deletionTimestamp?: string
    readonly labels?: Readonly<Record<string, string>>
    readonly annotations?: Readonly<Record<string, string>>
    readonly ownerReferences?: readonly Readonly<Record<string, unknown>>[]
  }
  // biome-ignore lint/suspicious/noExplicitAny: tests read deep in it
  readonly spec: any
  // biome-ignore lint/suspicious/noExplicitAny: tests read deep in it
  readonly status: any
}

/** The conditions of an object, as `Type=Status Reason`. */
export function conditionsOf({ status }: Played): readonly string[] {
  const conditions: readonly { type: string; status: string; reason?: string }[] = status.conditions ?? []
  return conditions.map(one => `${one.type}=${one.status}${one.reason === undefined ? '' : ` ${one.reason}`}`)
}
