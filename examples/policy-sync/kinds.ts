import { type Client, defineResource, isResourceNotFound, type KubernetesObject, type View } from '@wherry/client'
import type { Registrar } from '@wherry/watch-manager'
import type { ObjectStore } from './store.ts'

/** A kind, as a Config or a constraint names it. The core group is `''`. */
export interface KindName {
  group: string
  kind: string
}

/** `Ingress.networking.k8s.io`, or `Pod`. */
export function textOf({ group, kind }: KindName): string {
  return group === '' ? kind : `${kind}.${group}`
}

/** A registrar of kinds that were found here, and the store that it fills. */
export interface KindsInUse {
  readonly registrar: Registrar<KubernetesObject>
  readonly store: ObjectStore<KubernetesObject>
}

/**
 * Finds kinds on the API server. What was found is kept while the server serves it: definitions change, and a kind may come back in
 * another version or with another plural.
 */
export class Kinds {
  readonly #client: Client
  readonly #found = new Map<string, View<KubernetesObject>>()
  readonly #users: KindsInUse[] = []

  constructor(client: Client) {
    this.#client = client
  }

  /** Names a registrar that watches kinds that were found here. */
  usedBy(user: KindsInUse): void {
    this.#users.push(user)
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

  /**
   * Drops the kinds that the server does not serve any more: they leave all registrars and stores at once, and are looked for again. A
   * store that kept such a kind would be ready, and empty.
   */
  dropLost(): void {
    const lost = this.#users.flatMap(({ registrar, store }) => {
      const reasons = new Map(registrar.pending.map(({ view, reason }) => [view.key, reason]))
      const isLost = (view: View): boolean =>
        reasons.has(view.key) && (store.isReady(textOf(view.resource)) || isResourceNotFound(reasons.get(view.key)))
      return registrar.intended.filter(isLost)
    })
    for (const view of lost) {
      const name = textOf(view.resource)
      if (this.#found.get(name)?.key === view.key) this.#found.delete(name)
      // A registrar that kept the view would keep its informer. Then the view would be synced with no objects when it is added again.
      for (const { registrar } of this.#users) void registrar.remove(view)
    }
  }
}
