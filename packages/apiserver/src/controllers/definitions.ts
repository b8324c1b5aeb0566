import { type Json, type JsonObject, objectAt, objectsAt, sameJson, stringAt } from '@wherry/cel/internal'
import type { Clock } from '../clock.ts'
import { type ConversionHost, conversionOf } from '../conversion/conversion.ts'
import { definitionCleanup } from '../definitions/cleanup.ts'
import { convertsByWebhook } from '../definitions/conversion-problems.ts'
import {
  completeDefinition,
  isEstablished,
  reinitialising,
  typesOf,
  validateDefinition,
  versionsOf,
} from '../definitions/definition.ts'
import type { Registry } from '../definitions/registry.ts'
import type { Later } from '../later.ts'
import type { KubeObject } from '../objects/object.ts'
import { materialise } from '../objects/stored.ts'
import { timestamp } from '../objects/timestamp.ts'
import type { ResourceType } from '../resources/resource-type.ts'
import { unservedSchema } from '../schema/definition-schemas.ts'
import { StatusError } from '../status.ts'
import { resourceKey, type Store } from '../store/store.ts'
import type { Version } from '../store/version.ts'
import { ownByServer } from '../write/managed.ts'
import type { Writer } from '../write/writer.ts'
import { acceptedNames, decideNames, namesAccepted } from './definition-names.ts'

/** The time from a change of a definition until the watches of its custom resource are closed. */
const closeWatchesAfterMs = 1000

/** The delays of definitions. */
export interface DefinitionTiming {
  /** The time from a definition's creation until it is Established and served, in milliseconds. */
  readonly establishMs: number
  /** The time after a definition is served or changed in which the first request for its objects is answered with 429, in milliseconds. With 0, none is. */
  readonly reinitialiseMs: number
  /** Serves a definition some time after it was Established or changed. */
  readonly later: Later
}

/** The parts of the server that the definitions need. */
export interface DefinitionHost {
  readonly store: Store
  readonly registry: Registry
  readonly writer: () => Writer
  readonly clock: Clock
  readonly conversions: ConversionHost
  /** Whether webhooks can be called. */
  readonly callable: boolean
  /** Ends the open watches of a resource cleanly. */
  closeWatches(resource: string): void
}

/** Serves custom resources while their definitions exist, and follows the changes of the definitions. */
export class Definitions {
  readonly #host: DefinitionHost
  readonly #timing: DefinitionTiming
  readonly #reinitialising = new Map<string, number>()
  /** Definitions that are being deleted: none of their objects may be created. */
  readonly #terminating = new Set<string>()

  constructor(host: DefinitionHost, timing: DefinitionTiming) {
    this.#host = host
    this.#timing = timing
    host.store.onCommit((resource, version, previous) => {
      if (isDefinition(resource)) this.#onDefinition(version, previous)
      else if (resource.custom && version.type === 'DELETED' && this.#terminating.has(resourceKey(resource))) {
        this.#host.clock.timer(0, () => this.#finishDeletion(resourceKey(resource)))
      }
    })
  }

  /** Serves the resources of the stored definitions, after the store went back to another state. */
  reload(): void {
    const { store, registry } = this.#host
    registry.withdrawAll()
    this.#terminating.clear()
    this.#reinitialising.clear()
    const type = registry.resolve('apiextensions.k8s.io', 'v1', 'customresourcedefinitions')
    for (const version of store.collection(type).snapshot(''))
      this.#onDefinition({ ...version, type: 'MODIFIED' }, undefined)
  }

  /** Completes and checks a definition before it is written. Throws the server's refusals. */
  admit(object: KubeObject, old: KubeObject | undefined): void {
    completeDefinition(object)
    if (!this.#host.callable && convertsByWebhook(objectAt(object, 'spec'))) {
      throw StatusError.missing('conversion webhooks of a server without sockets and `webhooks`')
    }
    const unserved = unservedSchema(object)
    if (unserved !== undefined) throw StatusError.missing(`schemas with ${unserved}`)
    const storage = versionsOf(object).find(version => version.storage)?.name ?? ''
    if (old === undefined) {
      object.status = {
        conditions: null,
        acceptedNames: { plural: '', kind: '' },
        storedVersions: storage === '' ? [] : [storage],
      }
    } else {
      const status = { ...objectAt(object, 'status') }
      const given = Array.isArray(status.storedVersions) ? (status.storedVersions as Json[]) : []
      const stored = given.length > 0 || storage === '' ? given : [storage]
      if (stored !== given) object.status = { ...status, storedVersions: stored }
      if (!sameJson(objectAt(old, 'spec'), objectAt(object, 'spec')) && !stored.includes(storage)) {
        status.storedVersions = [...stored, storage]
        object.status = status
      }
    }
    validateDefinition(object, old)
  }

  /** Refuses the first request for a custom resource while its storage is being rebuilt. */
  gate(type: ResourceType): void {
    const key = resourceKey(type)
    const until = this.#reinitialising.get(key)
    if (until !== undefined) {
      this.#reinitialising.delete(key)
      if (this.#host.clock.monotonic() < until) throw reinitialising(1)
    }
  }

  /** Refuses a create while the definition is being deleted. */
  admitCreate(type: ResourceType, name: string): void {
    if (!type.custom || !this.#terminating.has(resourceKey(type))) return
    throw StatusError.forbidden(type, name, 'create not allowed while custom resource definition is terminating')
  }

  #onDefinition(version: Version, previous: Version | undefined): void {
    const definition = materialise(version, 'apiextensions.k8s.io/v1', 'CustomResourceDefinition')
    const { name } = version
    const { registry } = this.#host
    if (version.type === 'DELETED') {
      this.#terminating.delete(name)
      for (const type of typesOf(definition)) registry.withdraw(type.group, type.plural)
      this.#host.clock.timer(closeWatchesAfterMs, () => this.#host.closeWatches(name))
      this.#decideAgain(definition)
      return
    }
    if (definition.metadata.deletionTimestamp !== undefined) {
      if (!this.#terminating.has(name)) this.#beginDeletion(name, definition)
      return
    }
    if (version.type === 'ADDED') {
      this.#host.clock.timer(this.#timing.establishMs, () => this.#decide(name, version.uid))
      return
    }
    const before = previous === undefined ? undefined : materialise(previous, definition.apiVersion, definition.kind)
    if (before !== undefined) {
      if (!sameJson(namesOf(before), namesOf(definition)))
        this.#host.clock.timer(this.#timing.establishMs, () => this.#decide(name, version.uid))
      if (!sameJson(acceptedNames(before), acceptedNames(definition))) this.#decideAgain(definition)
    }
    if (!isEstablished(definition)) return
    if (before !== undefined && isEstablished(before) && sameServed(before, definition)) return
    const isChange = before !== undefined && isEstablished(before)
    // A definition that the store was reloaded with is in force at once.
    if (previous === undefined) return this.#serve(name, definition)
    this.#timing.later.run(() => {
      const now = this.#find(name)
      if (now?.version.uid !== version.uid || now.version.terminating) return
      this.#serve(name, definition)
      if (isChange) this.#host.clock.timer(closeWatchesAfterMs, () => this.#host.closeWatches(name))
    })
  }

  #serve(name: string, definition: KubeObject): void {
    const types = typesOf(definition)
    const first = types[0]
    const spec = objectAt(definition, 'spec')
    const plural = objectAt(spec, 'names')?.plural as string
    this.#host.registry.withdraw(first?.group ?? (spec?.group as string), plural)
    const conversion = conversionOf(this.#host.conversions, definition)
    for (const type of types) this.#host.registry.serve(conversion === undefined ? type : { ...type, conversion })
    if (this.#timing.reinitialiseMs > 0) {
      this.#reinitialising.set(name, this.#host.clock.monotonic() + this.#timing.reinitialiseMs)
    }
  }

  /** Decides on the names of a definition, and serves its resources once it has all its names. */
  #decide(name: string, uid: string): void {
    const found = this.#find(name)
    if (found === undefined || found.version.uid !== uid) return
    const { type, object } = found
    const { accepted, conflict } = decideNames(object, this.#ofGroup(object))
    const now = timestamp(this.#host.clock.now())
    const before = objectsAt(objectAt(object, 'status'), 'conditions')
    const condition = (type: string, status: 'True' | 'False', reason: string, message: string): Json => {
      const known = before.find(one => one.type === type)
      const lastTransitionTime = known?.status === status ? (known.lastTransitionTime ?? now) : now
      return { type, status, lastTransitionTime, reason, message }
    }
    const names =
      conflict === undefined
        ? condition('NamesAccepted', 'True', 'NoConflicts', 'no conflicts found')
        : condition('NamesAccepted', 'False', conflict.reason, conflict.message)
    // A definition that once had all its names is served from then on.
    const established =
      conflict === undefined || isEstablished(object)
        ? condition('Established', 'True', 'InitialNamesAccepted', 'the initial names have been accepted')
        : condition('Established', 'False', 'NotAccepted', 'not all names are accepted')
    const status = { ...objectAt(object, 'status'), conditions: [names, established], acceptedNames: accepted }
    if (sameJson(objectAt(object, 'status'), status)) return
    const next: KubeObject = { ...object, metadata: { ...object.metadata }, status }
    ownByServer(type, object, next, { now: this.#host.clock.now(), subresource: 'status' })
    this.#host.writer().put(type, next)
  }

  /** Decides again on definitions without all their names, after another definition of their group gave up a name. */
  #decideAgain(changed: KubeObject): void {
    for (const { metadata } of this.#ofGroup(changed, one => namesAccepted(one) === 'False'))
      if (metadata.name !== changed.metadata.name)
        this.#host.clock.timer(this.#timing.establishMs, () => this.#decide(metadata.name ?? '', metadata.uid ?? ''))
  }

  /** The definitions of the same group. */
  #ofGroup(definition: KubeObject, filter: (one: KubeObject) => boolean = () => true): KubeObject[] {
    const { store, registry } = this.#host
    const type = registry.resolve('apiextensions.k8s.io', 'v1', 'customresourcedefinitions')
    const group = stringAt(objectAt(definition, 'spec'), 'group')
    return [...store.collection(type).snapshot('')]
      .filter(({ name }) => name.endsWith(`.${group}`))
      .map(version => materialise(version, type.apiVersion, type.kind))
      .filter(one => stringAt(objectAt(one, 'spec'), 'group') === group && filter(one))
  }

  /** Deletes every object of a definition. Objects with finalizers keep the definition until they are deleted. */
  #beginDeletion(name: string, definition: KubeObject): void {
    this.#terminating.add(name)
    const { store, registry } = this.#host
    this.#host.clock.timer(0, () => {
      const [served] = typesOf(definition)
      const type = served === undefined ? undefined : registry.find(served.group, served.version, served.plural)
      if (type !== undefined) {
        for (const version of store.collection(type).snapshot('')) {
          const object = materialise(version, type.apiVersion, type.kind)
          this.#host.writer().delete(type, { version, object }, { dryRun: false })
        }
      }
      this.#finishDeletion(name)
    })
  }

  #finishDeletion(name: string): void {
    const found = this.#find(name)
    if (found === undefined || !this.#terminating.has(name)) return
    const { type, version, object } = found
    const [served] = typesOf(object)
    if (served !== undefined && this.#host.store.collection(served).size > 0) return
    const finalizers = (object.metadata.finalizers ?? []).filter(finalizer => finalizer !== definitionCleanup)
    if (finalizers.length === (object.metadata.finalizers ?? []).length) return
    const { finalizers: _, ...metadata } = object.metadata
    const next = { ...object, metadata: finalizers.length > 0 ? { ...metadata, finalizers } : metadata }
    this.#host.writer().update(type, { version, object }, next, 'all', { dryRun: false, viaPatch: true })
  }

  #find(name: string): { type: ResourceType; version: Version; object: KubeObject } | undefined {
    const type = this.#host.registry.resolve('apiextensions.k8s.io', 'v1', 'customresourcedefinitions')
    const version = this.#host.store.collection(type).get(name)
    if (version === undefined) return undefined
    return { type, version, object: materialise(version, type.apiVersion, type.kind) }
  }
}

/** Whether a resource is that of CustomResourceDefinitions. */
export function isDefinition(resource: { readonly group: string; readonly plural: string }): boolean {
  return resource.group === 'apiextensions.k8s.io' && resource.plural === 'customresourcedefinitions'
}

function namesOf(definition: KubeObject): JsonObject | undefined {
  return objectAt(objectAt(definition, 'spec'), 'names')
}

/** Whether two states of a definition define the same served resources. */
function sameServed(before: KubeObject, after: KubeObject): boolean {
  return sameJson(before.spec, after.spec) && sameJson(acceptedNames(before), acceptedNames(after))
}
