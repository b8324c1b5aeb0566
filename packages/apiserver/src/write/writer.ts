import { addAll, objectAt, own, sameJson } from '@wherry/cel/internal'
import { complete, newStatus } from '../builtin/complete.ts'
import { PodClasses } from '../builtin/pod-classes.ts'
import { ServiceAddresses } from '../builtin/service-addresses.ts'
import type { Clock } from '../clock.ts'
import { withOldTimes } from '../fields/managers.ts'
import { contentOf } from '../fields/ownership.ts'
import { generatedName, isOwnServer, uuid } from '../metadata/names.ts'
import { invalid, metaProblems } from '../metadata/validate.ts'
import type { KubeObject } from '../objects/object.ts'
import { parseProblem, parseResourceVersion } from '../objects/resource-version.ts'
import { materialise } from '../objects/stored.ts'
import { timestamp } from '../objects/timestamp.ts'
import type { ResourceType } from '../resources/resource-type.ts'
import { viewOf } from '../resources/view.ts'
import { problemsOf, problemsOfStatus } from '../schema/decode.ts'
import { problemsOfRules } from '../schema/rules.ts'
import { type StatusCause, StatusError } from '../status.ts'
import { objectKey, type Store } from '../store/store.ts'
import type { Version } from '../store/version.ts'
import { ownByServer } from './managed.ts'
import { isOwnPart, type Part, problemsOfPart, withPart } from './parts.ts'
import { podGraceSeconds } from './pod-grace.ts'
import { statusWrites } from './status-writes.ts'
import type { Strategy, StrategyOf } from './strategy.ts'

/** The maximum number of names that are generated for an object. */
const mostGenerated = 8

/** Further admission before an object is written. Throws to refuse. */
export type Admission = (type: ResourceType, object: KubeObject, old: KubeObject | undefined) => void

/** Admission webhooks for the writes of a request. Each call throws to refuse. */
export interface WriteHooks {
  /** Changes an object that is about to be created, or to replace `old`. */
  mutate(object: KubeObject, old: KubeObject | undefined): KubeObject
  /** Validates an object in the form in which it would be stored. */
  validate(object: KubeObject, old: KubeObject | undefined): void
  /** Admits the deletion of an object. */
  remove(object: KubeObject): void
}

/** The options of a delete. */
export interface DeleteOptions {
  readonly uid?: string | undefined
  readonly resourceVersion?: string | undefined
  readonly propagationPolicy?: 'Background' | 'Foreground' | 'Orphan' | undefined
  readonly gracePeriodSeconds?: number | undefined
  readonly dryRun: boolean
}

/** The result of a delete: the object is deleted (`deleted`), or only marked for deletion. */
export interface DeleteResult {
  readonly deleted: boolean
  readonly object: KubeObject
}

/** The parts of the server that a writer needs. */
export interface WriterHost {
  readonly store: Store
  readonly clock: Clock
  readonly random: () => number
  readonly strategyOf: StrategyOf
}

/** Writes objects by the rules for all resources, and by the strategy of each resource. */
export class Writer {
  readonly #store: Store
  readonly #clock: Clock
  readonly #random: () => number
  readonly #strategyOf: StrategyOf
  readonly #admission: Admission
  readonly #hooks: WriteHooks
  readonly #addresses: ServiceAddresses
  readonly #classes: PodClasses

  constructor({ store, clock, random, strategyOf }: WriterHost, admission: Admission, hooks: WriteHooks) {
    this.#store = store
    this.#clock = clock
    this.#random = random
    this.#strategyOf = strategyOf
    this.#admission = admission
    this.#hooks = hooks
    this.#addresses = new ServiceAddresses(store, random)
    this.#classes = new PodClasses(store)
  }

  /** The object of a name, at the type's version. Throws 404. */
  find(type: ResourceType, namespace: string, name: string): Version {
    const version = this.#store.collection(type).get(objectKey(namespace, name))
    if (version === undefined) throw StatusError.notFound(type, name)
    return viewOf(type, version)
  }

  /** The object of a name, for a write. Throws 404. */
  read(type: ResourceType, namespace: string, name: string): { version: Version; object: KubeObject } {
    const version = this.find(type, namespace, name)
    const object = materialise(version, type.apiVersion, type.kind)
    // A real server sets defaults at each read. Here only an object that was never written through the API can lack them.
    if (object.metadata.managedFields === undefined) complete(object, type)
    return { version, object }
  }

  create(type: ResourceType, given: KubeObject, dryRun: boolean): KubeObject {
    const object = this.#hooks.mutate(given, undefined)
    if (object !== given) complete(object, type)
    this.#strategyOf(type).admit?.(object, undefined, this.#classes)
    const { metadata } = object
    // The storage refuses this. A dry run does not reach the storage.
    if (!dryRun && (parseResourceVersion(metadata.resourceVersion ?? '') ?? 0) > 0) {
      throw new StatusError(500, '', 'resourceVersion should not be set on objects to be created')
    }
    const isGenerated = (metadata.name ?? '') === '' && (metadata.generateName ?? '') !== ''
    if (isGenerated) metadata.name = this.#freeName(type, metadata)
    if (metadata.deletionTimestamp !== undefined) delete metadata.deletionTimestamp
    if (metadata.deletionGracePeriodSeconds !== undefined) delete metadata.deletionGracePeriodSeconds
    if (metadata.selfLink !== undefined) delete metadata.selfLink
    metadata.uid = uuid(this.#random)
    if (this.#strategyOf(type).namesItself && (metadata.name ?? '') === '') metadata.name = uuid(this.#random)
    metadata.creationTimestamp = this.#now()
    if (type.hasGeneration) metadata.generation = 1
    if (type.hasStatus && this.#strategyOf(type).takesStatus !== true) {
      const status = newStatus(type)
      if (status === undefined) delete object.status
      else object.status = status
    }
    this.#strategyOf(type).create?.(object, this.#addresses)
    this.#admission(type, object, undefined)
    this.#validate(type, object, undefined, 'main')
    this.#strategyOf(type).stored?.(object, undefined)
    this.#hooks.validate(object, undefined)
    const existing = this.#store.collection(type).get(objectKey(metadata.namespace ?? '', metadata.name ?? ''))
    if (existing !== undefined) {
      throw StatusError.alreadyExists(type, existing.name, existing.terminating)
    }
    if (dryRun) return type.conversion?.stored(type, object, undefined).shown ?? object
    return this.#put(type, object)
  }

  /** A generated name that no object has. A real server generates up to eight names, and refuses the object if all of them are taken. */
  #freeName(type: ResourceType, { generateName = '', namespace = '' }: KubeObject['metadata']): string {
    let name = ''
    for (let tries = 0; tries < mostGenerated; tries++) {
      name = generatedName(generateName, this.#random)
      if (this.#store.collection(type).get(objectKey(namespace, name)) === undefined) break
    }
    return name
  }

  /** Creates an object that the server itself owns, with its defaults. The caller must not use the object afterwards. */
  createOwn(type: ResourceType, object: KubeObject): KubeObject {
    this.#strategyOf(type).decode?.(object)
    complete(object, type)
    ownByServer(type, undefined, object, { now: this.#clock.now(), subresource: '' })
    return this.create(type, object, false)
  }

  /**
   * Replaces `old` by `object`. `main` keeps the status (if it is a subresource). `status` keeps all other fields, except some metadata of older built-ins.
   * `finalize` is `main` with the finalizers of a spec. `all` writes the status too. Any other part keeps the fields outside of it. `viaPatch` decides how a
   * foreign uid is refused.
   */
  update(
    type: ResourceType,
    { version, object: old }: { version: Version; object: KubeObject },
    given: KubeObject,
    part: Part | 'all',
    options: { readonly dryRun: boolean; readonly viaPatch: boolean },
  ): KubeObject {
    this.#checkUid(type, old, given, options)
    const object = this.#hooks.mutate(given, old)
    if (object !== given) complete(object, type)
    if (part === 'main') this.#strategyOf(type).admit?.(object, old, this.#classes)
    this.#checkIdentity(type, old, object, options)
    const next = this.#merge(type, old, object, part)
    if (part === 'all') ownByServer(type, old, next, { now: this.#clock.now(), subresource: '' })
    else this.#strategyOf(type).update?.(next, old, part, this.#addresses)
    this.#checkImmutable(type, old, next, object.metadata, part)
    this.#admission(type, next, old)
    this.#validate(type, next, old, part)
    this.#strategyOf(type).stored?.(next, old)
    if (type.hasGeneration && part !== 'status' && contentChanged(type, this.#strategyOf(type), old, next)) {
      next.metadata.generation = (old.metadata.generation ?? 0) + 1
    }
    // Changes that an endpoint ignores count here, since a real server compares the request before it resets them. A missing creation time does not count.
    const { creationTimestamp } = old.metadata
    const asked = { ...object, metadata: { creationTimestamp, ...object.metadata } } as KubeObject
    if (sameJson(contentOf(asked), contentOf(old))) {
      const managedFields = withOldTimes(next.metadata.managedFields, old.metadata.managedFields)
      if (managedFields !== undefined) next.metadata.managedFields = managedFields
    }
    this.#hooks.validate(next, old)
    const stored = this.#store.collection(type).get(version.key)
    const current = version.source ?? version
    if (this.#isSame(type, next, old, current) && current === stored && version.storedAs === type.storageVersion)
      return old
    if (options.dryRun) return type.conversion?.stored(type, next, current).shown ?? next
    if (next.metadata.deletionTimestamp !== undefined && (next.metadata.finalizers ?? []).length === 0) {
      const graceful = (next.metadata.deletionGracePeriodSeconds ?? 0) > 0
      if (!graceful && !isHeld(type, next)) {
        // The last finalizer was removed: the answer is the object at its old version, the event its last state.
        this.#store.remove(type, version.source ?? version)
        return next
      }
    }
    return this.#put(type, next, version.source ?? version)
  }

  delete(
    type: ResourceType,
    { version, object }: { version: Version; object: KubeObject },
    options: DeleteOptions,
  ): DeleteResult {
    const { metadata } = object
    if (options.uid !== undefined && options.uid !== version.uid) {
      throw StatusError.conflict(
        { ...type, plural: type.kind },
        version.name,
        `the UID in the precondition (${options.uid}) does not match the UID in record (${version.uid}). The object might have been deleted and then recreated`,
      )
    }
    if (options.resourceVersion !== undefined && options.resourceVersion !== metadata.resourceVersion) {
      throw StatusError.conflict(
        { ...type, plural: type.kind },
        version.name,
        `the ResourceVersion in the precondition (${options.resourceVersion}) does not match the ResourceVersion in record (${metadata.resourceVersion}). The object might have been modified`,
      )
    }
    this.#hooks.remove(object)
    const strategy = this.#strategyOf(type)
    const finalizers = withPropagation(strategy, metadata.finalizers ?? [], options.propagationPolicy)
    const grace = isPod(type) ? podGraceSeconds(object, options.gracePeriodSeconds) : 0
    const marked = metadata.deletionTimestamp !== undefined
    const { deletionFinalizer } = strategy
    if (!marked && deletionFinalizer !== undefined && !finalizers.includes(deletionFinalizer)) {
      finalizers.push(deletionFinalizer)
    }
    if (finalizers.length === 0 && grace === 0 && !isHeld(type, object)) {
      const removed = options.dryRun ? version : this.#store.remove(type, version.source ?? version)
      const last = { ...object, metadata: { ...metadata, resourceVersion: String(removed.rv) } }
      return { deleted: true, object: isPod(type) ? this.#ended(object, removed.rv) : last }
    }
    const sooner = marked && grace < (metadata.deletionGracePeriodSeconds ?? 0)
    if (marked && !sooner && sameJson(finalizers, metadata.finalizers ?? [])) return { deleted: false, object }
    const next: KubeObject = { ...object, metadata: { ...metadata } }
    if (!marked || sooner) {
      next.metadata.deletionTimestamp = this.#now(grace)
      if (!marksItself(strategy)) next.metadata.deletionGracePeriodSeconds = grace
    }
    if (finalizers.length > 0) next.metadata.finalizers = finalizers
    if (!marked && type.hasGeneration && !marksItself(strategy))
      next.metadata.generation = (metadata.generation ?? 0) + 1
    if (!marked) strategy.marked?.(next, this.#now())
    return { deleted: false, object: options.dryRun ? next : this.#put(type, next, version.source ?? version) }
  }

  /** The answer for a pod that was deleted at once is the same as for a pod after its grace period. */
  #ended(object: KubeObject, rv: number): KubeObject {
    const metadata = { ...object.metadata, resourceVersion: String(rv), deletionGracePeriodSeconds: 0 }
    metadata.generation = (metadata.generation ?? 0) + (metadata.deletionTimestamp === undefined ? 1 : 0)
    metadata.deletionTimestamp ??= this.#now()
    return { ...object, metadata }
  }

  /** Writes without any check, for controllers of the server itself. */
  put(type: ResourceType, object: KubeObject): KubeObject {
    return this.#put(type, object)
  }

  #put(type: ResourceType, object: KubeObject, before?: Version): KubeObject {
    const { conversion } = type
    if (conversion !== undefined) {
      const form = conversion.stored(type, object, before)
      const schema = form.schema === undefined ? undefined : { fingerprint: form.schema }
      const version = this.#store.put({ ...type, schema }, form.object, form.version)
      conversion.remember(type, version, form.shown)
      return { ...form.shown, metadata: { ...form.shown.metadata, resourceVersion: String(version.rv) } }
    }
    const version = this.#store.put(type, object, type.storageVersion)
    return { ...object, metadata: { ...object.metadata, resourceVersion: String(version.rv) } }
  }

  #now(plusSeconds = 0): string {
    return timestamp(this.#clock.now() + plusSeconds * 1000)
  }

  /** Whether an update changes nothing. If the object is stored at another version, its stored form is compared. */
  #isSame(type: ResourceType, next: KubeObject, old: KubeObject, current: Version): boolean {
    const { conversion } = type
    if (conversion === undefined || type.version === type.storageVersion) return sameJson(next, old)
    return conversion.unchanged(type, next, current)
  }

  #checkUid(
    type: ResourceType,
    old: KubeObject,
    object: KubeObject,
    { dryRun, viaPatch }: { readonly dryRun: boolean; readonly viaPatch: boolean },
  ): void {
    const { resourceVersion = '', uid = '' } = object.metadata
    checkVersion(resourceVersion)
    if (uid !== '' && uid !== old.metadata.uid && !viaPatch) {
      throw preconditionFailed(type, old, 'UID', uid, dryRun)
    }
  }

  #checkIdentity(
    type: ResourceType,
    old: KubeObject,
    object: KubeObject,
    { viaPatch }: { readonly viaPatch: boolean },
  ): void {
    const { resourceVersion: asked = '' } = object.metadata
    const resourceVersion = asked === '0' ? '' : asked
    const stored = old.metadata.name ?? ''
    // A patch without a resourceVersion has that of the object that it changes.
    if (resourceVersion === '' && type.updateNeedsResourceVersion && !(viaPatch && asked === '')) {
      throw StatusError.invalid(
        type,
        stored,
        [
          {
            reason: 'FieldValueInvalid',
            message: 'Invalid value: 0: must be specified for an update',
            field: 'metadata.resourceVersion',
          },
        ],
        type.plural,
      )
    }
    if (resourceVersion !== '' && resourceVersion !== old.metadata.resourceVersion)
      throw StatusError.modified(type, stored)
  }

  #merge(type: ResourceType, old: KubeObject, object: KubeObject, part: Part | 'all'): KubeObject {
    if (isOwnPart(part)) {
      const next = withPart(part, object, old, this.#now())
      const { managedFields } = object.metadata
      if (managedFields === undefined) delete next.metadata.managedFields
      else next.metadata.managedFields = managedFields
      return next
    }
    if (part === 'status') {
      const next: KubeObject = { ...old, metadata: { ...old.metadata } }
      const status = own(object, 'status')
      if (status === undefined) delete next.status
      else next.status = status
      for (const field of ['managedFields', ...statusWrites(type)]) {
        const value = object.metadata[field]
        if (value === undefined) delete next.metadata[field]
        else next.metadata[field] = value as never
      }
      return next
    }
    const next: KubeObject = { ...object, metadata: { ...object.metadata } }
    for (const field of [
      'name',
      'namespace',
      'uid',
      'resourceVersion',
      'generation',
      'creationTimestamp',
      'deletionTimestamp',
      'deletionGracePeriodSeconds',
      'generateName',
    ] as const) {
      const kept = old.metadata[field]
      if (kept !== undefined) next.metadata[field] = kept as never
      else if (next.metadata[field] !== undefined) delete next.metadata[field]
    }
    if (next.metadata.selfLink !== undefined) delete next.metadata.selfLink
    if (type.hasStatus && part !== 'all') {
      const status = own(old, 'status')
      if (status === undefined) delete next.status
      else next.status = status
    }
    return next
  }

  #validate(type: ResourceType, object: KubeObject, old: KubeObject | undefined, part: Part | 'all'): void {
    const ofPart = isOwnPart(part) && old !== undefined ? problemsOfPart(part, object, old) : undefined
    const { problems, checksMetadataLast } = this.#strategyOf(type)
    const ofKind = ofPart ?? problems?.(object, old) ?? []
    const causes: StatusCause[] = []
    if (ofKind.length === 0 || checksMetadataLast !== true) {
      const isOfName = checksMetadataLast === 'name' && ofKind.length > 0
      for (const cause of metaProblems(object, type)) {
        if (!isOfName || cause.field !== 'metadata.name' || cause.reason !== 'FieldValueInvalid') causes.push(cause)
      }
    }
    addAll(causes, ofKind)
    const schema = type.schema?.root
    if (schema !== undefined) {
      const status = part === 'status' && old !== undefined
      addAll(causes, status ? problemsOfStatus(schema, object, old) : problemsOf(schema, object, old))
      addAll(causes, problemsOfRules(schema, object, old, causes))
    }
    if (causes.length === 0) return
    // A real server reports a cause of a built-in once, under the group of the version that it stores.
    const group = type.storage?.group ?? type.group
    throw StatusError.invalid({ ...type, group }, object.metadata.name ?? '', type.custom ? causes : once(causes))
  }

  /** Refuses new finalizers of an object that is being deleted, and another uid or deletion than the object's. `given`: the metadata of the request. */
  #checkImmutable(
    type: ResourceType,
    old: KubeObject,
    next: KubeObject,
    given: KubeObject['metadata'],
    part: Part | 'all',
  ): void {
    const causes: StatusCause[] = []
    const { uid = '', deletionTimestamp, deletionGracePeriodSeconds: grace } = given
    const had = new Set(old.metadata.finalizers ?? [])
    const added = (next.metadata.finalizers ?? []).filter(finalizer => !had.has(finalizer))
    if (old.metadata.deletionTimestamp !== undefined && added.length > 0) {
      const found = added.map(text => JSON.stringify(text)).join(', ')
      causes.push({
        reason: 'FieldValueForbidden',
        message: `Forbidden: no new finalizers can be added if the object is being deleted, found new finalizers []string{${found}}`,
        field: 'metadata.finalizers',
      })
    }
    const immutable = (field: string, value: unknown): void =>
      void causes.push(invalid(`metadata.${field}`, value, 'field is immutable'))
    if (uid !== '' && uid !== old.metadata.uid) immutable('uid', uid)
    // The status of a custom resource is written without the metadata of the request.
    if (!type.custom || part !== 'status') {
      if (deletionTimestamp !== undefined && old.metadata.deletionTimestamp === undefined)
        immutable('deletionTimestamp', deletionTimestamp)
      if (grace !== undefined && grace !== old.metadata.deletionGracePeriodSeconds)
        immutable('deletionGracePeriodSeconds', grace)
    }
    if (causes.length === 0) return
    // The server of custom resources validates an update twice.
    throw StatusError.invalid(type, next.metadata.name ?? '', type.custom ? [...causes, ...causes] : causes)
  }
}

function once(causes: readonly StatusCause[]): StatusCause[] {
  return [...new Map(causes.map(cause => [JSON.stringify(cause), cause])).values()]
}

/** Refuses an invalid resourceVersion of an object. */
export function checkVersion(resourceVersion: string = ''): void {
  if (resourceVersion === '' || parseResourceVersion(resourceVersion) !== undefined) return
  throw new StatusError(500, '', parseProblem(resourceVersion))
}

function isPod(type: ResourceType): boolean {
  return type.plural === 'pods' && type.group === ''
}

/** Whether a resource's strategy marks its deleted objects. The strategies of namespaces and definitions do, with fewer fields. */
function marksItself({ marked }: Strategy): boolean {
  return marked !== undefined
}

/** The storage's refusal of a write with another uid or resourceVersion than the object's. */
export function preconditionFailed(
  type: ResourceType,
  { metadata }: KubeObject,
  what: 'UID' | 'ResourceVersion',
  asked: string,
  dryRun: boolean,
): StatusError {
  const is = what === 'UID' ? metadata.uid : metadata.resourceVersion
  const failed = `Precondition failed: ${what} in precondition: ${asked}, ${what} in object meta: ${is}`
  const key = `${dryRun ? '' : '/registry'}${etcdKey(type, metadata)}`
  const why = `StorageError: invalid object, Code: 4, Key: ${key}, ResourceVersion: 0, AdditionalErrorMsg: ${failed}`
  return StatusError.conflict(type, metadata.name ?? '', why)
}

/** The key of an object in etcd, below its root, as in refusals of the storage. */
function etcdKey(type: ResourceType, { namespace = '', name = '' }: KubeObject['metadata']): string {
  const resource = type.custom || isOwnServer(type.group) ? `${type.group}/${type.plural}` : type.plural
  return `/${resource}/${objectKey(namespace, name)}`
}

/** Whether an object without finalizers is still kept: a namespace that its controller has not emptied yet. */
function isHeld(type: ResourceType, object: KubeObject): boolean {
  if (type.custom || type.plural !== 'namespaces') return false
  const finalizers = objectAt(object, 'spec')?.finalizers
  return Array.isArray(finalizers) && finalizers.length > 0
}

/** The finalizers for a delete: by its own propagation policy, else by that of an earlier delete, else by the resource's default. */
function withPropagation(
  { orphansByDefault }: Strategy,
  finalizers: readonly string[],
  asked: DeleteOptions['propagationPolicy'],
): string[] {
  const isAsked = finalizers.includes('foregroundDeletion') || finalizers.includes('orphan')
  const policy = asked ?? (!isAsked && orphansByDefault !== undefined ? 'Orphan' : undefined)
  const kept = finalizers.filter(name => policy === undefined || (name !== 'foregroundDeletion' && name !== 'orphan'))
  if (policy === 'Foreground') kept.push('foregroundDeletion')
  if (policy === 'Orphan') kept.push('orphan')
  return kept
}

/** Whether an update increments `metadata.generation`. Metadata and a status that is a subresource do not count, but some strategies count annotations. */
function contentChanged(
  type: ResourceType,
  { alsoCounts, keepsGeneration }: Strategy,
  old: KubeObject,
  next: KubeObject,
): boolean {
  if (keepsGeneration) return false
  if (alsoCounts !== undefined && !sameJson(old.metadata[alsoCounts] ?? {}, next.metadata[alsoCounts] ?? {})) {
    return true
  }
  const keys = new Set([...Object.keys(old), ...Object.keys(next)])
  for (const key of keys) {
    if (key === 'metadata' || key === 'apiVersion' || key === 'kind') continue
    if (key === 'status' && (type.hasStatus || !type.custom)) continue
    if (!sameJson(old[key], next[key])) return true
  }
  return false
}
