import type { Later } from '../later.ts'
import type { ResourceType } from '../resources/resource-type.ts'
import { resourceKey, type Store } from '../store/store.ts'
import type { Version } from '../store/version.ts'

/** The states of admission policies, their bindings and webhook configurations that requests meet: each change of them comes into force after a delay. */
export class InForce {
  readonly #store: Store
  readonly #later: Later
  /** The states by resource and name. Empty without a delay: then the store is read instead. */
  readonly #states = new Map<string, Map<string, Version>>()

  constructor(store: Store, later: Later) {
    this.#store = store
    this.#later = later
    if (later.delayMs === 0) return
    store.onCommit((resource, version) => {
      if (resource.group !== 'admissionregistration.k8s.io') return
      const key = resourceKey(resource)
      later.run(() => {
        const states = this.#states.get(key) ?? new Map<string, Version>()
        this.#states.set(key, states)
        if (version.type === 'DELETED') states.delete(version.name)
        else states.set(version.name, version)
      })
    })
  }

  /** The number of objects of a resource that are in force. */
  size(type: ResourceType): number {
    return this.#later.delayMs === 0 ? this.#store.collection(type).size : (this.#of(type)?.size ?? 0)
  }

  /** The objects of a resource that are in force, by name. */
  all(type: ResourceType): readonly Version[] {
    if (this.#later.delayMs === 0) return this.#store.collection(type).snapshot('')
    return [...(this.#of(type)?.values() ?? [])].sort((a, b) => (a.name < b.name ? -1 : 1))
  }

  /** Brings the stored objects into force, after the store went back to another state. */
  reload(): void {
    this.#states.clear()
    if (this.#later.delayMs === 0) return
    for (const resource of this.#store.resources()) {
      if (resource.group !== 'admissionregistration.k8s.io') continue
      const states = this.#store.collection(resource).snapshot('')
      this.#states.set(resourceKey(resource), new Map(states.map(state => [state.name, state])))
    }
  }

  #of(type: ResourceType): ReadonlyMap<string, Version> | undefined {
    return this.#states.get(resourceKey(type.storage ?? type))
  }
}
