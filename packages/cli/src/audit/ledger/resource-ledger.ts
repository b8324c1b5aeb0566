import type { Found } from '../scan/body-reader.ts'
import type { ApiCall } from './api-call.ts'
import { Collection, type RelistReason } from './collection.ts'
import { type Fingerprint, fingerprintOf } from './fingerprint.ts'
import { NumberTable } from './number-table.ts'

/** Counts of the requests that name or create an object, for one resource or subresource. */
export class ByName {
  get = 0
  create = 0
  update = 0
  patch = 0
  delete = 0
  connect = 0
  /** Writes that did not change the object's resourceVersion. */
  unchanged = 0
  /** Bytes of the responses, uncompressed. For upgraded connections, the bytes that the program received. */
  bytes = 0
}

/** Counts of the patches of one type by one field manager. */
export interface Patches {
  readonly manager: string
  /** `apply`, `merge`, `strategic`, `json`. */
  readonly type: string
  times: number
  unchanged: number
}

/** Counts the audited program's requests for one resource. */
export class ResourceLedger {
  readonly name: string
  /** The collections by scope and selector. */
  readonly collections: Map<string, Collection> = new Map()
  /** The counts by subresource. The empty string stands for the objects themselves. */
  readonly byName: Map<string, ByName> = new Map()
  readonly patches: Map<string, Patches> = new Map()
  /** The objects that a request named. */
  readonly used: Set<Fingerprint> = new Set()
  /** The latest resourceVersion that was seen of each object, if it is a number with at most 15 digits, as those of etcd are. */
  readonly #versions = new NumberTable()
  /** The other versions. */
  readonly #longVersions = new Map<Fingerprint, string>()

  constructor(name: string) {
    this.name = name
  }

  /** Counts a request that begins. If it repeats a list, returns the reason. */
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
      if (call.name !== '') this.used.add(fingerprintOf(call))
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

  versionOf(object: Fingerprint): string | undefined {
    const version = this.#versions.get(object)
    return version === undefined ? this.#longVersions.get(object) : `${version}`
  }

  /** Records the resourceVersion that was seen of an object, unless a later one is known. Forgets a deleted object. */
  observe(object: Fingerprint, { resourceVersion, type }: Pick<Found, 'resourceVersion' | 'type'>): void {
    if (type !== 'DELETED') {
      if (resourceVersion === '' || !isLater(resourceVersion, this.versionOf(object))) return
      if (/^[1-9]\d{0,14}$/.test(resourceVersion)) {
        this.#versions.set(object, Number(resourceVersion))
        return
      }
    }
    this.#versions.delete(object)
    if (type === 'DELETED') this.#longVersions.delete(object)
    else this.#longVersions.set(object, resourceVersion)
  }
}

/** Compares two versions. Of two decimal numbers in texts, the longer one is greater. */
function isLater(version: string, known: string | undefined): boolean {
  if (known === undefined) return true
  return version.length === known.length ? version > known : version.length > known.length
}
