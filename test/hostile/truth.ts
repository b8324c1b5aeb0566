/** An object as the server keeps it. */
export interface Stored {
  readonly apiVersion: string
  readonly kind: string
  readonly metadata: {
    readonly name: string
    readonly namespace?: string | undefined
    readonly uid: string
    readonly resourceVersion: string
    readonly labels?: Readonly<Record<string, string>> | undefined
    readonly [other: string]: unknown
  }
  readonly [other: string]: unknown
}

/** What happened to one object. */
export interface Happened {
  readonly version: number
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED'
  readonly object: Stored
  /** As it was before. */
  readonly old: Stored | undefined
}

/** A resource that the server has. */
export interface Kind {
  readonly group: string
  readonly version: string
  readonly plural: string
  readonly kind: string
  readonly namespaced: boolean
}

export const kinds: readonly Kind[] = [
  { group: '', version: 'v1', plural: 'configmaps', kind: 'ConfigMap', namespaced: true },
  { group: '', version: 'v1', plural: 'secrets', kind: 'Secret', namespaced: true },
  { group: 'arcade.example.com', version: 'v1', plural: 'games', kind: 'Game', namespaced: true },
  {
    group: 'apiextensions.k8s.io',
    version: 'v1',
    plural: 'customresourcedefinitions',
    kind: 'CustomResourceDefinition',
    namespaced: false,
  },
  { group: 'apiregistration.k8s.io', version: 'v1', plural: 'apiservices', kind: 'APIService', namespaced: false },
]

export function apiVersionOf({ group, version }: Kind): string {
  return group === '' ? version : `${group}/${version}`
}

export function keyOf({ metadata }: { metadata: { name?: unknown; namespace?: unknown } }): string {
  return metadata.namespace === undefined ? `${metadata.name}` : `${metadata.namespace}/${metadata.name}`
}

/** What the server really has, whatever it says, and all that happened. */
export class Truth {
  readonly #objects = new Map<string, Map<string, Stored>>()
  readonly #history = new Map<string, Happened[]>()
  readonly #everDeleted = new Set<string>()
  readonly #listeners = new Set<(plural: string, event: Happened) => void>()
  #version = 1000
  /** Watches from before it can't be resumed. */
  compactedAt = 0

  get version(): number {
    return this.#version
  }

  of(plural: string): ReadonlyMap<string, Stored> {
    return this.#objects.get(plural) ?? new Map()
  }

  history(plural: string): readonly Happened[] {
    return this.#history.get(plural) ?? []
  }

  wasDeleted(plural: string, key: string): boolean {
    return this.#everDeleted.has(`${plural} ${key}`)
  }

  /** Sets `metadata.uid` and `resourceVersion` by itself. */
  put(kind: Kind, given: { metadata: Record<string, unknown>; [other: string]: unknown }): Stored {
    const objects = this.#objects.get(kind.plural) ?? new Map<string, Stored>()
    this.#objects.set(kind.plural, objects)
    const key = keyOf(given)
    const old = objects.get(key)
    const version = ++this.#version
    const uid = old?.metadata.uid ?? `uid-${kind.plural}-${version}`
    const metadata = { ...given.metadata, uid, resourceVersion: `${version}` }
    const object = { ...given, apiVersion: apiVersionOf(kind), kind: kind.kind, metadata } as unknown as Stored
    objects.set(key, object)
    this.#report(kind.plural, { version, type: old === undefined ? 'ADDED' : 'MODIFIED', object, old })
    return object
  }

  delete(plural: string, key: string): Stored | undefined {
    const old = this.#objects.get(plural)?.get(key)
    if (old === undefined) return undefined
    this.#objects.get(plural)?.delete(key)
    this.#everDeleted.add(`${plural} ${key}`)
    const version = ++this.#version
    const object = { ...old, metadata: { ...old.metadata, resourceVersion: `${version}` } }
    this.#report(plural, { version, type: 'DELETED', object, old })
    return object
  }

  /** Time passes elsewhere in the cluster. */
  skip(versions: number): void {
    this.#version += versions
  }

  /** Returns what ends it. */
  on(listener: (plural: string, event: Happened) => void): () => void {
    this.#listeners.add(listener)
    return () => void this.#listeners.delete(listener)
  }

  #report(plural: string, event: Happened): void {
    const history = this.#history.get(plural) ?? []
    this.#history.set(plural, history)
    history.push(event)
    for (const listener of [...this.#listeners]) listener(plural, event)
  }
}
