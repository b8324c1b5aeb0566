import { isObject, type Json, type JsonObject, objectAt } from '@wherry/cel/internal'
import type { AccessControl } from '../authn/access.ts'
import { confirmNoEscalation } from '../authn/escalation.ts'
import { deduced } from '../fields/field-type.ts'
import type { KubeObject } from '../objects/object.ts'
import {
  metadataText,
  type StoredText,
  serialise,
  toLatin1,
  withHead,
  withoutManagedFields,
} from '../objects/stored.ts'
import type { Outside } from '../outside/outside.ts'
import { list, sendList } from '../read/list.ts'
import { includedOf, tableOf } from '../read/table.ts'
import { parseListOptions } from '../requests/list-options.ts'
import type { ResourceTarget } from '../requests/request-info.ts'
import type { ResourceType } from '../resources/resource-type.ts'
import { viewOf } from '../resources/view.ts'
import { deleted, StatusError } from '../status.ts'
import { objectKey, resourceKey, type Store } from '../store/store.ts'
import { appliedTo, isApply } from './apply.ts'
import { knownFields, parseObject, patchTypeOf } from './body.ts'
import { checkContentType } from './content-type.ts'
import { type FieldValidation, reportFields } from './fields.ts'
import { fieldTypeOf, own, setManaged, type WritingHost } from './managed.ts'
import { readDeleteOptions, readWriteOptions } from './options.ts'
import { isOwnPart, type Part } from './parts.ts'
import { jsonPatch, mergePatch, parsePatch, strategicPatch, strategicType } from './patch.ts'
import { originOf, readObject } from './read-object.ts'
import { scaleOf, withScale } from './scale.ts'
import { asScales, managedByScale, managedOfScale } from './scale-owners.ts'
import type { WriteRequest } from './write-request.ts'
import { checkVersion, type DeleteOptions, type Writer } from './writer.ts'

/** The parts of the server that writes need. */
export interface WriteHost extends WritingHost {
  readonly store: Store
  readonly writer: Writer
  readonly access: AccessControl
  readonly outside: Outside
  readonly namespaces: {
    /** Refuses an object in a namespace that does not exist or is being deleted. */
    admit(type: ResourceType, namespace: string, name: string): void
    admitDeletion(type: ResourceType, name: string): void
  }
  readonly definitions: { admitCreate(type: ResourceType, name: string): void }
  readonly hasWatchCache: (resource: string) => boolean
  readonly shards: boolean
}

/** Carries out a write, or a read of a Scale, and answers it. Throws the refusal. */
export function answerWrite(host: WriteHost, write: WriteRequest): void {
  const { verb, type, target } = write
  if (verb === 'delete') return remove(host, write)
  if (verb === 'deletecollection') return removeCollection(host, write)
  if (verb === 'get') {
    return sendValue(write, 200, scaleOf(type, host.writer.read(type, target.namespace, target.name).object))
  }
  if (verb === 'patch') checkPatchType(write)
  const applies = isApply(write)
  const { dryRun, validation } = readWriteOptions(write.info.query, verb, applies)
  if (verb !== 'patch') checkContentType(write.request)
  if (target.subresource === 'scale') return scale(host, write, dryRun, validation)
  if (applies) return applyConfiguration(host, write, dryRun, validation)
  if (verb === 'create') return create(host, write, dryRun, validation)
  if (verb === 'update' && createsOnUpdate(host, write)) return create(host, write, dryRun, validation)
  const viaPatch = verb === 'patch'
  // The object of a PUT is checked before the live object is read; a patch needs the live object first.
  const read = (value: JsonObject): KubeObject => named(write, readObject(value, write, validation))
  const given = viaPatch ? undefined : read(parseObject(write.request, type))
  const current = host.writer.read(type, target.namespace, target.name)
  const object = given ?? read(patched(write, current.object))
  confirmGrant(host, write, object)
  own(host, write, current.object, object)
  const after = host.writer.update(type, current, object, partOf(target), { dryRun, viaPatch })
  warnOf(write, after, current.object)
  send(host, write, 200, after, dryRun)
}

/** The part of an object that an endpoint writes. */
function partOf({ subresource }: ResourceTarget): Part {
  return subresource === 'finalize' || subresource === 'status' || isOwnPart(subresource) ? subresource : 'main'
}

function applyConfiguration(host: WriteHost, write: WriteRequest, dryRun: boolean, validation: FieldValidation): void {
  const { target, type } = write
  const there = host.store.collection(type).get(objectKey(target.namespace, target.name)) !== undefined
  // A subresource exists only for an existing object.
  const creates = !there && target.subresource === ''
  const current = creates ? undefined : host.writer.read(type, target.namespace, target.name)
  const object = named(write, appliedTo(host, write, current?.object, validation))
  if (current !== undefined) {
    confirmGrant(host, write, object)
    const after = host.writer.update(type, current, object, partOf(target), { dryRun, viaPatch: true })
    warnOf(write, after, current.object)
    return send(host, write, 200, after, dryRun)
  }
  authorizeCreate(host, write)
  checkVersion(object.metadata.resourceVersion)
  // The storage ignores the resourceVersion. A dry run does not reach the storage.
  if (!dryRun) delete object.metadata.resourceVersion
  store(host, write, object, dryRun)
}

/** Writes the replicas of an object through its Scale. */
function scale(host: WriteHost, write: WriteRequest, dryRun: boolean, validation: FieldValidation): void {
  const { type, target, verb } = write
  const current = host.writer.read(type, target.namespace, target.name)
  const { managedFields } = current.object.metadata
  const shown = scaleOf(type, current.object)
  const live = { ...shown, metadata: { ...shown.metadata } }
  setManaged(live, managedOfScale(managedFields, host.registry, type))
  const asScale = { ...write, type: asScales(type) }
  const asked = (): JsonObject => {
    const value = verb === 'patch' ? patched(write, live) : parseObject(write.request, type)
    const { object, unknown } = knownFields(value, asScale.type, originOf(write))
    reportFields(unknown, value, asScale, validation)
    return object
  }
  const given = isApply(write) ? named(write, appliedTo(host, asScale, live, validation)) : asked()
  const scaled = { ...given, metadata: { ...objectAt(given, 'metadata') } } as KubeObject
  // A decoded Scale leaves out a 0, and an applied Scale keeps its value.
  if (!isApply(write) && objectAt(scaled, 'spec')?.replicas === 0) scaled.spec = {}
  if (!isApply(write)) own(host, asScale, live, scaled)
  const next = withScale(type, current.object, scaled)
  setManaged(next, managedByScale(managedFields, scaled.metadata.managedFields, host.registry, type))
  const after = host.writer.update(type, current, next, 'main', { dryRun, viaPatch: verb === 'patch' })
  sendValue(write, 200, scaleOf(type, after))
}

/** Refuses an apply or an update that would create an object to users without the right to create. Unlike other refusals of access, this refusal has no special headers. */
function authorizeCreate(host: WriteHost, { info, target, user }: WriteRequest): void {
  try {
    host.access.authorize({ ...target, user, verb: 'create', path: info.path })
  } catch (error) {
    if (!(error instanceof StatusError)) throw error
    throw new StatusError(error.code, error.reason, error.message, { details: error.details })
  }
}

/** Whether an update creates its object because it does not exist. */
function createsOnUpdate({ store }: WriteHost, { type, target, strategyOf }: WriteRequest): boolean {
  if (strategyOf(type).createsOnUpdate !== true || target.subresource !== '') return false
  return store.collection(type).get(objectKey(target.namespace, target.name)) === undefined
}

/** Refuses an object with another name than the URL's. */
function named({ target }: WriteRequest, object: KubeObject): KubeObject {
  const { name = '' } = object.metadata
  if (name === target.name) return object
  throw StatusError.badRequest(
    name === ''
      ? `the name of the object (${target.name} based on URL) was undeterminable: name must be provided`
      : `the name of the object (${name}) does not match the name on the URL (${target.name})`,
  )
}

function create(host: WriteHost, write: WriteRequest, dryRun: boolean, validation: FieldValidation): void {
  const { type, verb } = write
  const object = readObject(parseObject(write.request, type), write, validation)
  if (verb === 'update') {
    named(write, object)
    authorizeCreate(host, write)
    delete object.metadata.resourceVersion
  }
  if (resourceKey(type) === 'certificatesigningrequests.certificates.k8s.io') {
    const { name: username, uid, groups, extra } = write.user
    const given = { username, groups, ...(uid !== undefined && { uid }), ...(extra !== undefined && { extra }) }
    object.spec = { ...objectAt(object, 'spec'), ...given } as unknown as JsonObject
  }
  own(host, write, undefined, object)
  store(host, write, object, dryRun)
}

/** Refuses a grant of rights that the user does not have. */
function confirmGrant({ access }: WriteHost, { type, target, user }: WriteRequest, object: KubeObject): void {
  const { group, plural } = type
  if (group !== 'rbac.authorization.k8s.io' || target.subresource !== '') return
  confirmNoEscalation(access, { user, plural, namespace: target.namespace, name: target.name, object })
}

/** Creates an object, and answers with it. */
function store(host: WriteHost, write: WriteRequest, object: KubeObject, dryRun: boolean): void {
  const { type, target } = write
  host.namespaces.admit(type, target.namespace, object.metadata.name ?? '')
  host.definitions.admitCreate(type, object.metadata.name ?? '')
  confirmGrant(host, write, object)
  const created = host.writer.create(type, object, dryRun)
  warnOf(write, created, undefined)
  send(host, write, 201, created, dryRun)
}

function warnOf(write: WriteRequest, object: KubeObject, old: KubeObject | undefined): void {
  warnOfFinalizers(write, object, old?.metadata.finalizers ?? [])
  const { type, target, responder, strategyOf } = write
  if (target.subresource !== '') return
  for (const warning of strategyOf(type).warnings?.(object, old) ?? []) responder.warn(warning)
}

/** Warns of new finalizers that other programs may use, too. The server of custom resources accepts any finalizer. */
function warnOfFinalizers({ type, responder }: WriteRequest, { metadata }: KubeObject, known: readonly string[]): void {
  if (!type.custom) return
  for (const finalizer of metadata.finalizers ?? []) {
    if (
      known.includes(finalizer) ||
      finalizer.includes('/') ||
      finalizer === 'orphan' ||
      finalizer === 'foregroundDeletion'
    )
      continue
    const why = 'prefer a domain-qualified finalizer name to avoid accidental conflicts with other finalizer writers'
    responder.warn(`metadata.finalizers: ${JSON.stringify(finalizer)}: ${why}`)
  }
}

function warnOfOrphans({ type, responder, strategyOf }: WriteRequest, { propagationPolicy }: DeleteOptions): void {
  const warning = strategyOf(type).orphansByDefault?.warning
  if (propagationPolicy === undefined && warning !== undefined) responder.warn(warning)
}

function remove(host: WriteHost, write: WriteRequest): void {
  const { type, target, strategyOf } = write
  const options = readDeleteOptions(write.request, write.info.query)
  warnOfOrphans(write, options)
  host.namespaces.admitDeletion(type, target.name)
  const result = host.writer.delete(type, host.writer.read(type, target.namespace, target.name), options)
  if (!result.deleted || strategyOf(type).answersDeleted) {
    return send(host, write, 200, result.object, options.dryRun)
  }
  write.responder.json(200, deleted(type, target.name, result.object.metadata.uid ?? ''))
}

function removeCollection(host: WriteHost, write: WriteRequest): void {
  const { type, target, info } = write
  const options = readDeleteOptions(write.request, info.query)
  warnOfOrphans(write, options)
  const listOptions = parseListOptions(info.query, type, false, host.shards)
  const source = {
    store: host.store,
    type,
    namespace: target.namespace,
    watchCache: host.hasWatchCache(resourceKey(type)),
  }
  // A webhook may be called for each object, so that this code runs again. Objects that were deleted by then stay in the list.
  const result = host.outside.once('list', () => list(source, listOptions))
  for (const item of result.items) {
    host.outside.once(`delete ${item.key}`, () => {
      if (host.store.collection(type).get(item.key)?.uid !== item.uid) return
      host.writer.delete(type, host.writer.read(type, item.namespace, item.name), options)
    })
  }
  const table = { now: host.clock.now(), include: includedOf(info.query, write.representation.as) }
  sendList(write.responder, type, result, listOptions, write.representation, table)
}

const plainTypes = ['application/json-patch+json', 'application/merge-patch+json']
const applyType = 'application/apply-patch+yaml'

/** Refuses patches of a type that the resource does not accept. */
function checkPatchType({ request, type }: WriteRequest): void {
  const given = patchTypeOf(request)
  const accepted = [...plainTypes, ...(type.custom ? [] : [strategicType]), applyType]
  if (accepted.includes(given)) return
  if (given === 'application/apply-patch+cbor') throw StatusError.missing('bodies of CBOR')
  const why = `the body of the request was in an unknown format - accepted media types include: ${accepted.join(', ')}`
  // For a built-in, a real server's router refuses other types, but it ignores the spaces around a type.
  const isRouted = type.custom || accepted.includes(given.trim())
  throw new StatusError(415, 'UnsupportedMediaType', isRouted ? why : '415: Unsupported Media Type', {
    details: isRouted ? undefined : {},
  })
}

function patched({ request, type }: WriteRequest, current: KubeObject): JsonObject {
  switch (patchTypeOf(request)) {
    case 'application/json-patch+json':
      return jsonPatch(current, parsePatch(request.body))
    case strategicType:
      return strategicPatch(current, request.body, fieldTypeOf(type) ?? deduced)
    default: {
      const result = mergePatch(current, parsePatch(request.body, 'object'))
      return isObject(result) ? result : {}
    }
  }
}

/** The stored state that equals `object`, so that the object need not be serialised again; `undefined` if the store has another state. */
function storedState({ store }: WriteHost, type: ResourceType, { metadata }: KubeObject): StoredText | undefined {
  const version = store.collection(type).get(objectKey(metadata.namespace ?? '', metadata.name ?? ''))
  const same = version !== undefined && version.uid === metadata.uid && String(version.rv) === metadata.resourceVersion
  return same ? viewOf(type, version) : undefined
}

function send(host: WriteHost, write: WriteRequest, code: number, object: KubeObject, dryRun: boolean): void {
  const { type, info, representation } = write
  const { resourceVersion = '' } = object.metadata
  const known = dryRun || resourceVersion === '' ? undefined : storedState(host, type, object)
  const stored = known ?? serialise(object, resourceVersion, type.custom)
  const shown = representation.lean ? withoutManagedFields(stored) : stored
  let text: string
  if (representation.as === 'table') {
    const table = { now: host.clock.now(), first: true, include: includedOf(info.query, 'table') }
    text = tableOf(type, { ...stored, rv: resourceVersion }, table)
  } else if (representation.as === 'metadata') text = metadataText(shown)
  else text = withHead(shown, type.apiVersion, type.kind, type.custom)
  write.responder.latin1(code, `${text}\n`, text.length)
}

function sendValue({ responder }: WriteRequest, code: number, value: Json): void {
  const text = toLatin1(JSON.stringify(value))
  responder.latin1(code, `${text}\n`, text.length)
}
