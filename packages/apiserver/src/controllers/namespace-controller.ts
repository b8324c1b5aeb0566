import { objectAt, objectsAt } from '@wherry/cel/internal'
import type { Clock } from '../clock.ts'
import type { Registry } from '../definitions/registry.ts'
import type { KubeObject } from '../objects/object.ts'
import { materialise } from '../objects/stored.ts'
import { timestamp } from '../objects/timestamp.ts'
import type { ResourceType } from '../resources/resource-type.ts'
import { StatusError } from '../status.ts'
import type { Store } from '../store/store.ts'
import type { Version } from '../store/version.ts'
import type { Writer } from '../write/writer.ts'
import { count, namespaceConditions, type Remaining, sameConditions } from './namespace-conditions.ts'
import { Work } from './work.ts'

/** The namespaces that every cluster has. */
export const initialNamespaces: readonly string[] = ['default', 'kube-node-lease', 'kube-public', 'kube-system']

/** The namespaces that can't be deleted. */
const kept = new Set(['default', 'kube-public', 'kube-system'])

/** Empties a namespace that is being deleted, and then deletes it. Refuses objects that are created in the meantime. */
export class NamespaceController {
  readonly #store: Store
  readonly #registry: Registry
  readonly #writer: Writer
  readonly #namespaces: ResourceType
  readonly #clock: Clock
  readonly #terminating = new Set<string>()
  readonly #work: Work | undefined

  /** If `delayMs` is undefined, deleted namespaces stay `Terminating`, as without a controller manager. */
  constructor(store: Store, registry: Registry, writer: Writer, clock: Clock, delayMs: number | undefined) {
    this.#store = store
    this.#registry = registry
    this.#writer = writer
    this.#clock = clock
    this.#namespaces = registry.resolve('', 'v1', 'namespaces')
    this.#work = delayMs === undefined ? undefined : new Work(clock, delayMs, name => this.#empty(name))
    store.onCommit((resource, version) => {
      if (resource.plural === 'namespaces' && resource.group === '') {
        this.#onNamespace(version)
      } else if (version.type === 'DELETED' && this.#terminating.has(version.namespace)) {
        this.#work?.add(version.namespace)
      }
    })
  }

  /** Processes every namespace again, after the store went back to another state. */
  reload(): void {
    this.#terminating.clear()
    for (const version of this.#store.collection(this.#namespaces).snapshot('')) this.#onNamespace(version)
  }

  /** Refuses a create in a namespace that does not exist or is being deleted. */
  admit(type: ResourceType, namespace: string, name: string): void {
    if (!type.namespaced) return
    const version = this.#store.collection(this.#namespaces).get(namespace)
    if (version === undefined) throw StatusError.notFound(this.#namespaces, namespace)
    if (!this.#terminating.has(namespace)) return
    const why = `unable to create new content in namespace ${namespace} because it is being terminated`
    const refusal = StatusError.forbidden(type, name, why)
    throw new StatusError(403, 'Forbidden', refusal.message, {
      details: {
        ...refusal.details,
        causes: [
          {
            reason: 'NamespaceTerminating',
            message: `namespace ${namespace} is being terminated`,
            field: 'metadata.namespace',
          },
        ],
      },
    })
  }

  #onNamespace(version: Version): void {
    const terminating = version.type !== 'DELETED' && version.terminating
    if (!terminating) {
      this.#terminating.delete(version.name)
      return
    }
    this.#terminating.add(version.name)
    this.#work?.add(version.name)
  }

  /** Refuses the deletion of a namespace that every cluster needs. */
  admitDeletion(type: ResourceType, name: string): void {
    if (type !== this.#namespaces || !kept.has(name)) return
    throw StatusError.forbidden(type, name, 'this namespace may not be deleted')
  }

  /** Writes the objects and finalizers that a namespace waits for into its conditions. */
  #writeConditions(version: Version, object: KubeObject, remaining: Remaining): void {
    const status = objectAt(object, 'status') ?? {}
    const before = objectsAt(status, 'conditions')
    const conditions = namespaceConditions(remaining, before, timestamp(this.#clock.now()))
    if (sameConditions(conditions, before)) return
    const next = { ...object, status: { ...status, conditions } } as KubeObject
    this.#writer.update(this.#namespaces, { version, object }, next, 'all', { dryRun: false, viaPatch: true })
  }

  #empty(name: string): void {
    // The last deletion in the namespace queued this call. By now the namespace may be gone, and another of its name may exist.
    if (!this.#terminating.has(name)) return
    const remaining = { resources: new Map<string, number>(), finalizers: new Map<string, number>() }
    for (const resource of this.#store.resources()) {
      if (!resource.namespaced) continue
      const type = this.#registry.findStored(resource.group, resource.plural)
      if (type === undefined) continue
      for (const version of this.#store.collection(type).snapshot(`${name}/`)) {
        const object = materialise(version, type.apiVersion, type.kind)
        const { deleted, object: left } = this.#writer.delete(
          type,
          { version, object },
          { gracePeriodSeconds: 0, dryRun: false },
        )
        if (deleted) continue
        count(remaining.resources, `${type.plural}.${type.group}`)
        for (const finalizer of left.metadata.finalizers ?? []) count(remaining.finalizers, finalizer)
      }
    }
    const version = this.#store.collection(this.#namespaces).get(name)
    if (version === undefined) return
    const object = materialise(version, 'v1', 'Namespace')
    if (remaining.resources.size > 0) return this.#writeConditions(version, object, remaining)
    const spec = { ...objectAt(object, 'spec') }
    delete spec.finalizers
    this.#writer.update(this.#namespaces, { version, object }, { ...object, spec }, 'all', {
      dryRun: false,
      viaPatch: true,
    })
  }
}
