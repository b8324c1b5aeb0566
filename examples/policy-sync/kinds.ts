import { type Client, defineResource, type KubernetesObject, type View } from '@wherry/client'

/** A kind, as a Config or a constraint names it. The core group is `''`. */
export interface KindName {
  group: string
  kind: string
}

/** `Ingress.networking.k8s.io`, or `Pod`. */
export function textOf({ group, kind }: KindName): string {
  return group === '' ? kind : `${kind}.${group}`
}

/** Finds kinds on the API server, each once. */
export class Kinds {
  readonly #client: Client
  readonly #found = new Map<string, View<KubernetesObject>>()

  constructor(client: Client) {
    this.#client = client
  }

  /** All of a kind's objects, without `managedFields`. `undefined` while no such kind is installed. */
  async find({ group, kind }: KindName, signal: AbortSignal): Promise<View<KubernetesObject> | undefined> {
    const name = textOf({ group, kind })
    const known = this.#found.get(name)
    if (known !== undefined) return known
    const resource = await this.#client.discover({ group, kind }, { signal })
    if (resource === undefined) return undefined
    const view: View<KubernetesObject> = defineResource<KubernetesObject>(resource)
    this.#found.set(name, view)
    return view
  }
}
