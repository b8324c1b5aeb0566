import type { Clock } from '../clock.ts'
import type { Registry } from '../definitions/registry.ts'
import type { KubeObject, OwnerReference } from '../objects/object.ts'
import { materialise } from '../objects/stored.ts'
import type { ResourceType } from '../resources/resource-type.ts'
import { objectKey, resourceKey, type Store } from '../store/store.ts'
import type { Version } from '../store/version.ts'
import type { Writer } from '../write/writer.ts'
import { dropFinalizer } from './finalizers.ts'
import { Work } from './work.ts'

interface Found {
  readonly type: ResourceType
  readonly version: Version
  readonly object: KubeObject
}

/**
 * Deletes dependents of deleted owners, as kube-controller-manager does: background, foreground and orphaning deletion, and references to owners that do not
 * exist.
 */
export class GarbageCollector {
  readonly #store: Store
  readonly #registry: Registry
  readonly #writer: Writer
  readonly #dependents = new Map<string, Set<string>>()
  /** Owners that wait for their dependents, by uid. */
  readonly #waiting = new Map<string, string>()
  readonly #work: Work

  constructor(store: Store, registry: Registry, writer: Writer, clock: Clock, delayMs: number) {
    this.#store = store
    this.#registry = registry
    this.#writer = writer
    this.#work = new Work(clock, delayMs, id => this.#look(id))
    store.onCommit((resource, version, previous) => {
      const id = `${resourceKey(resource)}|${version.key}`
      for (const owner of previous?.owners ?? []) this.#unlink(owner, id)
      if (version.type !== 'DELETED') this.#add(id, version)
      else {
        this.#waiting.delete(version.uid)
        for (const owner of version.owners ?? []) {
          const waiting = this.#waiting.get(owner)
          if (waiting !== undefined) this.#work.add(waiting)
        }
        for (const dependent of this.#dependents.get(version.uid) ?? []) this.#work.add(dependent)
      }
    })
  }

  /** Processes every object again, after the store went back to another state. */
  reload(): void {
    this.#dependents.clear()
    this.#waiting.clear()
    for (const resource of this.#store.resources()) {
      for (const version of this.#store.collection(resource).snapshot('')) {
        this.#add(`${resourceKey(resource)}|${version.key}`, version)
      }
    }
  }

  #add(id: string, version: Version): void {
    for (const owner of version.owners ?? []) this.#link(owner, id)
    if (version.owners !== undefined) this.#work.add(id)
    if (!version.terminating) return
    const foreground = version.text.includes('"foregroundDeletion"')
    if (foreground) this.#waiting.set(version.uid, id)
    if (foreground || version.text.includes('"orphan"')) this.#work.add(id)
  }

  #link(uid: string, id: string): void {
    const set = this.#dependents.get(uid) ?? new Set()
    this.#dependents.set(uid, set.add(id))
  }

  #unlink(uid: string, id: string): void {
    const set = this.#dependents.get(uid)
    set?.delete(id)
    if (set?.size === 0) this.#dependents.delete(uid)
  }

  #find(id: string): Found | undefined {
    const bar = id.indexOf('|')
    const resource = this.#store.resources().find(one => resourceKey(one) === id.slice(0, bar))
    const type = resource === undefined ? undefined : this.#registry.findStored(resource.group, resource.plural)
    if (type === undefined) return undefined
    const version = this.#store.collection(type).get(id.slice(bar + 1))
    if (version === undefined) return undefined
    return { type, version, object: materialise(version, type.apiVersion, type.kind) }
  }

  #look(id: string): void {
    const found = this.#find(id)
    if (found === undefined) return
    const { metadata } = found.object
    if (metadata.deletionTimestamp !== undefined) {
      if (metadata.finalizers?.includes('orphan')) return this.#orphan(found)
      if (metadata.finalizers?.includes('foregroundDeletion')) return this.#foreground(found)
    }
    if (metadata.ownerReferences?.length) this.#collect(found)
  }

  /** Deletes an object if all its owners are gone. Otherwise drops its references to owners that are gone. */
  #collect({ type, version, object }: Found): void {
    const references = object.metadata.ownerReferences ?? []
    const states = references.map(reference => this.#ownerState(reference, version.namespace))
    if (states.includes('unknown')) return
    if (states.some(state => state === 'there')) {
      const kept = references.filter((_, i) => states[i] !== 'gone')
      if (kept.length < references.length) this.#setOwners({ type, version, object }, kept)
      return
    }
    if (object.metadata.deletionTimestamp !== undefined) return
    const foreground = states.includes('waiting') && (this.#dependents.get(version.uid)?.size ?? 0) > 0
    this.#writer.delete(
      type,
      { version, object },
      { uid: version.uid, propagationPolicy: foreground ? 'Foreground' : 'Background', dryRun: false },
    )
  }

  /** The state of an owner. `unknown`: its kind is not served, or is namespaced and the dependent is not. A real controller then leaves the dependent alone. */
  #ownerState(reference: OwnerReference, namespace: string): 'there' | 'waiting' | 'gone' | 'unknown' {
    const { apiVersion, kind } = reference
    const group = apiVersion.includes('/') ? apiVersion.slice(0, apiVersion.indexOf('/')) : ''
    const type = this.#registry.findKind(apiVersion, kind) ?? this.#registry.findGroupKind(group, kind)
    if (type === undefined || (type.namespaced && namespace === '')) return 'unknown'
    const owner = this.#store.collection(type).get(objectKey(type.namespaced ? namespace : '', reference.name))
    if (owner === undefined || owner.uid !== reference.uid) return 'gone'
    const { metadata } = materialise(owner, type.apiVersion, type.kind)
    const waits = metadata.deletionTimestamp !== undefined && metadata.finalizers?.includes('foregroundDeletion')
    return waits ? 'waiting' : 'there'
  }

  /** Deletes the dependents of an owner. The owner is deleted when no dependent blocks it any more. */
  #foreground({ type, version, object }: Found): void {
    let blocked = false
    for (const id of this.#dependents.get(version.uid) ?? []) {
      const dependent = this.#find(id)
      if (dependent === undefined) continue
      const blocks = dependent.object.metadata.ownerReferences?.some(
        reference => reference.uid === version.uid && reference.blockOwnerDeletion === true,
      )
      if (blocks) blocked = true
      this.#work.add(id)
    }
    if (!blocked) dropFinalizer(this.#writer, type, version, object, 'foregroundDeletion')
  }

  #orphan({ type, version, object }: Found): void {
    for (const id of [...(this.#dependents.get(version.uid) ?? [])]) {
      const dependent = this.#find(id)
      if (dependent === undefined) continue
      const kept = (dependent.object.metadata.ownerReferences ?? []).filter(({ uid }) => uid !== version.uid)
      this.#setOwners(dependent, kept)
    }
    dropFinalizer(this.#writer, type, version, object, 'orphan')
  }

  #setOwners({ type, version, object }: Found, owners: OwnerReference[]): void {
    const { ownerReferences: _, ...metadata } = object.metadata
    const next = { ...object, metadata: owners.length > 0 ? { ...metadata, ownerReferences: owners } : metadata }
    this.#writer.update(type, { version, object }, next, 'all', { dryRun: false, viaPatch: true })
  }
}
