import type { KubeObject } from '../objects/object.ts'
import { atResourceVersion, serialise } from '../objects/stored.ts'
import { StatusError } from '../status.ts'
import { Collection } from './collection.ts'
import type { Version } from './version.ts'

/** The maximum size of an object. etcd refuses larger objects. */
const maxObjectBytes = 1_572_864

/** The properties of a resource that the store needs: its identity, and the form of its objects. */
export interface StoredResource {
  readonly group: string
  readonly plural: string
  readonly kind: string
  readonly namespaced: boolean
  /** Whether it is a custom resource. The fields of its objects are sorted, and its list items contain kind and apiVersion. */
  readonly custom: boolean
  /** The resource under which these objects are stored, if it is another one. */
  readonly storage?: StoredResource | undefined
  /** The schema under which the objects are written. */
  readonly schema?: { readonly fingerprint: string } | undefined
}

/** Receives every change in the whole store, after the collection's own observers. */
export type CommitListener = (resource: StoredResource, version: Version, previous: Version | undefined) => void

/** The key of a resource: `plural.group`, or `plural` in the core group. */
export function resourceKey(resource: { readonly group: string; readonly plural: string }): string {
  return resource.group === '' ? resource.plural : `${resource.plural}.${resource.group}`
}

/** The key of an object in its collection. */
export function objectKey(namespace: string, name: string): string {
  return namespace === '' ? name : `${namespace}/${name}`
}

/** All objects of the server, under one resourceVersion counter. `historyBytes` bounds the memory of their history. */
export class Store {
  readonly #collections = new Map<string, Collection>()
  /** The collections by their resources, so that a lookup need not build a key. */
  readonly #byResource = new WeakMap<StoredResource, Collection>()
  readonly #resources = new Map<string, StoredResource>()
  readonly #listeners: CommitListener[] = []
  readonly #historyBytes: number
  #revision = 1
  #compacted = 0
  #supersededBytes = 0
  #floor = 0

  constructor(historyBytes: number) {
    this.#historyBytes = historyBytes
  }

  /** The resourceVersion of the last change. */
  get revision(): number {
    return this.#revision
  }

  /** The resourceVersion up to which old states were dropped. */
  get compacted(): number {
    return this.#compacted
  }

  onCommit(listener: CommitListener): void {
    this.#listeners.push(listener)
  }

  collection(resource: StoredResource): Collection {
    const known = this.#byResource.get(resource)
    if (known !== undefined) return known
    const stored = resource.storage ?? resource
    const key = resourceKey(stored)
    let collection = this.#collections.get(key)
    if (collection === undefined) {
      collection = new Collection(this.#floor)
      this.#collections.set(key, collection)
      this.#resources.set(key, stored)
    }
    this.#byResource.set(resource, collection)
    return collection
  }

  /** Every resource that has or had objects. */
  resources(): readonly StoredResource[] {
    return [...this.#resources.values()]
  }

  /** Writes `object` as the newest state of its key and returns the state. */
  put(resource: StoredResource, object: KubeObject, storedAs: string): Version {
    const collection = this.collection(resource)
    const { name = '', namespace = '' } = object.metadata
    const key = objectKey(namespace, name)
    const { uid = '', labels, ownerReferences, deletionTimestamp } = object.metadata
    const rv = this.#revision + 1
    const { text, metaStart, metaEnd, kindAt } = serialise(object, String(rv), resource.custom)
    return this.#commit(resource, collection, {
      text,
      metaStart,
      metaEnd,
      kindAt,
      key,
      namespace,
      name,
      uid,
      rv,
      type: collection.get(key) === undefined ? 'ADDED' : 'MODIFIED',
      labels,
      owners: ownerReferences?.length ? ownerReferences.map(owner => owner.uid) : undefined,
      terminating: deletionTimestamp !== undefined,
      storedAs,
      schema: resource.schema?.fingerprint,
      prev: collection.latest(key),
    })
  }

  /** Deletes the object with the state `last`. The deletion has the same state, at a new resourceVersion. */
  remove(resource: StoredResource, last: Version): Version {
    const collection = this.collection(resource)
    const { key, namespace, name, uid, labels, owners, terminating, storedAs, schema } = last
    const rv = this.#revision + 1
    const { text, metaStart, metaEnd, kindAt } = atResourceVersion(last, String(last.rv), String(rv), resource.custom)
    return this.#commit(resource, collection, {
      text,
      metaStart,
      metaEnd,
      kindAt,
      key,
      namespace,
      name,
      uid,
      rv,
      type: 'DELETED',
      labels,
      owners,
      terminating,
      storedAs,
      schema,
      prev: collection.latest(key),
    })
  }

  #commit(resource: StoredResource, collection: Collection, version: Version): Version {
    if (version.text.length > maxObjectBytes) throw new StatusError(500, '', 'etcdserver: request is too large')
    const previous = version.prev
    this.#revision = version.rv
    collection.commit(version)
    if (previous !== undefined) this.#supersede(previous)
    for (const listener of this.#listeners) listener(resource.storage ?? resource, version, previous)
    return version
  }

  /** Compacts as etcd does: drops old states up to `rv`. Watches are not affected. */
  compact(rv: number): void {
    this.#compacted = Math.max(this.#compacted, Math.min(rv, this.#revision))
    for (const collection of this.#collections.values()) collection.prune(this.#compacted)
  }

  /** Empties the watch caches up to `upTo`, as a restart of the server does up to the present. */
  forgetLogs(upTo: number): void {
    // Never past the present, which a restore may have moved back, so that a watch from the present succeeds.
    const rv = Math.min(upTo, this.#revision)
    this.#floor = Math.max(this.#floor, rv)
    for (const collection of this.#collections.values()) {
      collection.forgetLog(rv)
      collection.prune(this.#compacted)
    }
  }

  /**
   * Goes back to the state at `rv`, as a restore of etcd from a backup does: objects, counter and watch caches. Throws a `RangeError` if the history does not
   * contain that state.
   */
  restore(rv: number): void {
    if (rv < this.#compacted || rv > this.#revision) {
      throw new RangeError(`can't restore resourceVersion ${rv}: history has ${this.#compacted} to ${this.#revision}`)
    }
    for (const collection of this.#collections.values()) collection.restore(rv)
    this.#revision = rv
    this.#floor = rv
  }

  #supersede(previous: Version): void {
    this.#supersededBytes += previous.text.length + 200
    if (this.#supersededBytes <= this.#historyBytes) return
    this.#supersededBytes /= 2
    // Half of the changes within the bound are kept, so that a watch that lags a little can still resume.
    const keepFrom = Math.floor((this.#revision + Math.max(this.#compacted, this.#floor)) / 2)
    this.compact(keepFrom)
    this.forgetLogs(keepFrom)
  }
}
