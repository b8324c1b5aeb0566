import type { Found } from '../scan/body-reader.ts'
import type { ApiCall } from './api-call.ts'
import { Collection, type RelistReason } from './collection.ts'

/** Requests of one resource or subresource that name an object or create one. */
export class ByName {
  get = 0
  create = 0
  update = 0
  patch = 0
  delete = 0
  connect = 0
  /** Writes after which the object had the version from before. */
  unchanged = 0
  /** Bytes of the answers, unpacked. */
  bytes = 0
}

/** Patches of one manager. */
export interface Patches {
  readonly manager: string
  /** `apply`, `merge`, `strategic`, `json`. */
  readonly type: string
  times: number
  unchanged: number
}

/** Counts the requests of a program for one resource. */
export class ResourceLedger {
  readonly name: string
  /** The collections by scope and selector. */
  readonly collections: Map<string, Collection> = new Map()
  /** The requests by subresource; an empty text stands for the objects themselves. */
  readonly byName: Map<string, ByName> = new Map()
  readonly patches: Map<string, Patches> = new Map()
  /** Keys that were read or written by name. */
  readonly used: Set<string> = new Set()
  /** The last version that passed of each object. */
  readonly #versions = new Map<string, string | number>()

  constructor(name: string) {
    this.name = name
  }

  /** Counts a request that begins. Returns the reason for a repeated list, if the request is one. */
  begin(call: ApiCall): RelistReason | undefined {
    if (call.verb === 'list') return this.collection(call).beginList(call.isFurtherPage)
    if (call.verb === 'watch') {
      const collection = this.collection(call)
      const reason = call.isStreamedList ? collection.beginList(false) : undefined
      collection.beginWatch()
      return reason
    }
    if (call.verb !== 'deletecollection' && call.verb !== 'other') {
      this.named(call)[call.verb]++
      if (call.name !== '') this.used.add(keyOf(call))
      if (call.verb === 'patch') this.patchesOf(call).times++
    }
    return undefined
  }

  collection({ namespace, selector }: ApiCall): Collection {
    const key = JSON.stringify([namespace, selector])
    let known = this.collections.get(key)
    if (known === undefined) {
      known = new Collection(namespace, selector)
      this.collections.set(key, known)
    }
    return known
  }

  named({ subresource }: ApiCall): ByName {
    let known = this.byName.get(subresource)
    if (known === undefined) {
      known = new ByName()
      this.byName.set(subresource, known)
    }
    return known
  }

  patchesOf({ manager, patch: type }: ApiCall): Patches {
    const key = JSON.stringify([manager, type])
    let known = this.patches.get(key)
    if (known === undefined) {
      known = { manager, type, times: 0, unchanged: 0 }
      this.patches.set(key, known)
    }
    return known
  }

  versionOf(key: string): string | undefined {
    const version = this.#versions.get(key)
    return version === undefined ? undefined : `${version}`
  }

  /** Keeps the version of an object that passed, unless a later version has passed before. */
  passed(key: string, { resourceVersion, type }: Pick<Found, 'resourceVersion' | 'type'>): void {
    if (type === 'DELETED') this.#versions.delete(key)
    else if (resourceVersion !== '' && isLater(resourceVersion, this.versionOf(key)))
      // A small number needs less memory than a text.
      this.#versions.set(key, /^[1-9]\d{0,8}$/.test(resourceVersion) ? Number(resourceVersion) : resourceVersion)
  }
}

/** `NAMESPACE/NAME`, or the name alone. */
export function keyOf({ namespace, name }: { readonly namespace: string; readonly name: string }): string {
  return namespace === '' ? name : `${namespace}/${name}`
}

function isLater(version: string, before = ''): boolean {
  return version.length === before.length ? version > before : version.length > before.length
}
