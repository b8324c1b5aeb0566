import { isObject, type Json, type JsonObject, objectAt } from '@wherry/cel/internal'
import type { User } from '../access.ts'
import { confirmNoEscalation } from '../authn/escalation.ts'
import type { CoreParts } from '../core.ts'
import type { ServerRequest } from '../exchange.ts'
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
import { list, sendList } from '../read/list.ts'
import { includedOf, tableOf } from '../read/table.ts'
import { parseListOptions } from '../requests/list-options.ts'
import type { Representation } from '../requests/representation.ts'
import type { RequestInfo, ResourceTarget } from '../requests/request-info.ts'
import type { ResourceType } from '../resources/resource-type.ts'
import type { Responder } from '../responder.ts'
import { viewOf } from '../schema/resource-schema.ts'
import { deleted, StatusError } from '../status.ts'
import { objectKey, resourceKey } from '../store/store.ts'
import { appliedTo, isApply } from './apply.ts'
import { behaviourOf } from './behaviour.ts'
import { contentTypeOf, knownFields, parseObject } from './body.ts'
import { checkContentType } from './content-type.ts'
import { type FieldValidation, tellFields } from './fields.ts'
import { fieldTypeOf, own, setManaged } from './managed.ts'
import { readDeleteOptions, readWriteOptions } from './options.ts'
import { isOwnPart } from './parts.ts'
import { jsonPatch, mergePatch, parsePatch, strategicPatch, strategicType } from './patch.ts'
import { originOf, readObject } from './read-object.ts'
import { scaleOf, withScale } from './scale.ts'
import { asScales, managedByScale, managedOfScale } from './scale-owners.ts'
import { checkVersion, type DeleteOptions, type Part } from './writer.ts'

/** A request that writes, taken apart. */
export interface WriteRequest {
  readonly request: ServerRequest
  readonly info: RequestInfo
  readonly target: ResourceTarget
  readonly type: ResourceType
  readonly verb: string
  readonly responder: Responder
  readonly user: User
  readonly representation: Representation
}

/** Carries a write out and answers it. Throws what is refused. */
export function answerWrite(parts: CoreParts, write: WriteRequest): void {
  const { verb, type, target } = write
  if (verb === 'delete') return remove(parts, write)
  if (verb === 'deletecollection') return removeCollection(parts, write)
  if (verb === 'get') {
    return sendValue(write, 200, scaleOf(type, parts.writer.read(type, target.namespace, target.name).object))
  }
  if (verb === 'patch') checkPatchType(write)
  const applies = isApply(write)
  const { dryRun, validation } = readWriteOptions(write.info.query, verb, applies)
  if (verb !== 'patch') checkContentType(write.request)
  if (target.subresource === 'scale') return scale(parts, write, dryRun, validation)
  if (applies) return applyConfiguration(parts, write, dryRun, validation)
  if (verb === 'create') return create(parts, write, dryRun, validation)
  if (verb === 'update' && createsOnUpdate(parts, write)) return create(parts, write, dryRun, validation)
  const viaPatch = verb === 'patch'
  // What a PUT brings is looked at before what is there; a patch needs that first.
  const read = (value: JsonObject): KubeObject => named(write, readObject(value, write, validation))
  const given = viaPatch ? undefined : read(parseObject(write.request, type))
  const current = parts.writer.read(type, target.namespace, target.name)
  const object = given ?? read(patched(write, current.object))
  confirmGrant(parts, write, object)
  own(parts, write, current.object, object)
  const after = parts.writer.update(type, current, object, partOf(target), { dryRun, viaPatch })
  warnOfFinalizers(write, after, current.object.metadata.finalizers ?? [])
  send(parts, write, 200, after, dryRun)
}

/** Which part of an object an endpoint writes. */
function partOf({ subresource }: ResourceTarget): Part {
  return subresource === 'finalize' || subresource === 'status' || isOwnPart(subresource) ? subresource : 'main'
}

function applyConfiguration(parts: CoreParts, write: WriteRequest, dryRun: boolean, validation: FieldValidation): void {
  const { target, type } = write
  const there = parts.store.collection(type).get(objectKey(target.namespace, target.name)) !== undefined
  // A subresource is of an object that is there.
  const creates = !there && target.subresource === ''
  const current = creates ? undefined : parts.writer.read(type, target.namespace, target.name)
  const object = named(write, appliedTo(parts, write, current?.object, validation))
  if (current !== undefined) {
    confirmGrant(parts, write, object)
    const after = parts.writer.update(type, current, object, partOf(target), { dryRun, viaPatch: true })
    warnOfFinalizers(write, after, current.object.metadata.finalizers ?? [])
    return send(parts, write, 200, after, dryRun)
  }
  authorizeCreate(parts, write)
  checkVersion(object.metadata.resourceVersion)
  // It is the storage that takes no notice of it, and a dry run does not come so far.
  if (!dryRun) delete object.metadata.resourceVersion
  store(parts, write, object, dryRun)
}

/** Writes the replicas of an object, by its Scale. */
function scale(parts: CoreParts, write: WriteRequest, dryRun: boolean, validation: FieldValidation): void {
  const { type, target, verb } = write
  const current = parts.writer.read(type, target.namespace, target.name)
  const { managedFields } = current.object.metadata
  const shown = scaleOf(type, current.object)
  const live = { ...shown, metadata: { ...shown.metadata } }
  setManaged(live, managedOfScale(managedFields, parts, type))
  const asScale = { ...write, type: asScales(type) }
  const asked = (): JsonObject => {
    const value = verb === 'patch' ? patched(write, live) : parseObject(write.request, type)
    const { object, unknown } = knownFields(value, asScale.type, originOf(write))
    tellFields(unknown, value, asScale, validation)
    return object
  }
  const given = isApply(write) ? named(write, appliedTo(parts, asScale, live, validation)) : asked()
  const scaled = { ...given, metadata: { ...objectAt(given, 'metadata') } } as KubeObject
  // A Scale that was decoded does not say 0, and one that was applied keeps what it said.
  if (!isApply(write) && objectAt(scaled, 'spec')?.replicas === 0) scaled.spec = {}
  if (!isApply(write)) own(parts, asScale, live, scaled)
  const next = withScale(type, current.object, scaled)
  setManaged(next, managedByScale(managedFields, scaled.metadata.managedFields, parts, type))
  const after = parts.writer.update(type, current, next, 'main', { dryRun, viaPatch: verb === 'patch' })
  sendValue(write, 200, scaleOf(type, after))
}

/** Refuses an apply that would create to who may not. Unlike other refusals of access it is an answer like any. */
function authorizeCreate(parts: CoreParts, { info, target, user }: WriteRequest): void {
  try {
    parts.access.authorize({ ...target, user, verb: 'create', path: info.path })
  } catch (error) {
    if (!(error instanceof StatusError)) throw error
    throw new StatusError(error.code, error.reason, error.message, { details: error.details })
  }
}

/** Whether an update is of an object that is not there, and makes it. */
function createsOnUpdate({ store }: CoreParts, { type, target }: WriteRequest): boolean {
  if (behaviourOf(type).createsOnUpdate !== true || target.subresource !== '') return false
  return store.collection(type).get(objectKey(target.namespace, target.name)) === undefined
}

/** Refuses an object of another name than the URL's. */
function named({ target }: WriteRequest, object: KubeObject): KubeObject {
  const { name = '' } = object.metadata
  if (name === target.name) return object
  throw StatusError.badRequest(
    name === ''
      ? `the name of the object (${target.name} based on URL) was undeterminable: name must be provided`
      : `the name of the object (${name}) does not match the name on the URL (${target.name})`,
  )
}

function create(parts: CoreParts, write: WriteRequest, dryRun: boolean, validation: FieldValidation): void {
  const { type, verb } = write
  const object = readObject(parseObject(write.request, type), write, validation)
  if (verb === 'update') named(write, object)
  if (verb === 'update') delete object.metadata.resourceVersion
  if (resourceKey(type) === 'certificatesigningrequests.certificates.k8s.io') {
    const { name: username, uid, groups, extra } = write.user
    const given = { username, groups, ...(uid !== undefined && { uid }), ...(extra !== undefined && { extra }) }
    object.spec = { ...objectAt(object, 'spec'), ...given } as unknown as JsonObject
  }
  own(parts, write, undefined, object)
  store(parts, write, object, dryRun)
}

/** Nobody grants rights that they do not have. */
function confirmGrant({ access }: CoreParts, { type, target, user }: WriteRequest, object: KubeObject): void {
  const { group, plural } = type
  if (group !== 'rbac.authorization.k8s.io' || target.subresource !== '') return
  confirmNoEscalation(access, { user, plural, namespace: target.namespace, name: target.name, object })
}

/** Creates an object, and answers it. */
function store(parts: CoreParts, write: WriteRequest, object: KubeObject, dryRun: boolean): void {
  const { type, target } = write
  parts.namespaces.admit(type, target.namespace, object.metadata.name ?? '')
  parts.definitions.admitCreate(type, object.metadata.name ?? '')
  confirmGrant(parts, write, object)
  const created = parts.writer.create(type, object, dryRun)
  warnOfFinalizers(write, created, [])
  send(parts, write, 201, created, dryRun)
}

/** The server of custom resources takes any finalizer, and warns of new ones that others may use too. */
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

function warnOfOrphans({ type, responder }: WriteRequest, { propagationPolicy }: DeleteOptions): void {
  const warning = behaviourOf(type).orphansByDefault?.warning
  if (propagationPolicy === undefined && warning !== undefined) responder.warn(warning)
}

function remove(parts: CoreParts, write: WriteRequest): void {
  const { type, target } = write
  const options = readDeleteOptions(write.request, write.info.query)
  warnOfOrphans(write, options)
  parts.namespaces.admitDeletion(type, target.name)
  const result = parts.writer.delete(type, parts.writer.read(type, target.namespace, target.name), options)
  if (!result.deleted || behaviourOf(type).answersDeleted) {
    return send(parts, write, 200, result.object, options.dryRun)
  }
  write.responder.json(200, deleted(type, target.name, result.object.metadata.uid ?? ''))
}

function removeCollection(parts: CoreParts, write: WriteRequest): void {
  const { type, target, info } = write
  const options = readDeleteOptions(write.request, info.query)
  warnOfOrphans(write, options)
  const listOptions = parseListOptions(info.query, type, false, parts.shards)
  const source = {
    store: parts.store,
    type,
    namespace: target.namespace,
    watchCache: parts.hasWatchCache(resourceKey(type)),
  }
  // Somebody may be asked about each, so that this is begun anew: what is gone by then stays on the list.
  const result = parts.outside.once('list', () => list(source, listOptions))
  for (const item of result.items) {
    parts.outside.once(`delete ${item.key}`, () => {
      if (parts.store.collection(type).get(item.key)?.uid !== item.uid) return
      parts.writer.delete(type, parts.writer.read(type, item.namespace, item.name), options)
    })
  }
  const table = { now: parts.clock.now(), include: includedOf(info.query) }
  sendList(write.responder, type, result, listOptions, write.representation, table)
}

const patchTypes = ['application/json-patch+json', 'application/merge-patch+json', 'application/apply-patch+yaml']

/** Refuses patches of another type than the resource takes. */
function checkPatchType({ request, type }: WriteRequest): void {
  const given = contentTypeOf(request)
  if (patchTypes.includes(given) || (given === strategicType && !type.custom)) return
  if (given === 'application/apply-patch+cbor') throw StatusError.missing('bodies of CBOR')
  const works = patchTypes.join(', ')
  const why = `the body of the request was in an unknown format - accepted media types include: ${works}`
  throw new StatusError(415, 'UnsupportedMediaType', type.custom ? why : '415: Unsupported Media Type', {
    details: type.custom ? undefined : {},
  })
}

function patched({ request, type }: WriteRequest, current: KubeObject): JsonObject {
  switch (contentTypeOf(request)) {
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

/** The state in the store that `object` is, so that it need not be printed twice; `undefined` when it is another. */
function storedState({ store }: CoreParts, type: ResourceType, { metadata }: KubeObject): StoredText | undefined {
  const version = store.collection(type).get(objectKey(metadata.namespace ?? '', metadata.name ?? ''))
  const same = version !== undefined && version.uid === metadata.uid && String(version.rv) === metadata.resourceVersion
  return same ? viewOf(type, version) : undefined
}

function send(parts: CoreParts, write: WriteRequest, code: number, object: KubeObject, dryRun: boolean): void {
  const { type, info, representation } = write
  const { resourceVersion = '' } = object.metadata
  const known = dryRun || resourceVersion === '' ? undefined : storedState(parts, type, object)
  const stored = known ?? serialise(object, resourceVersion, type.custom)
  const shown = representation.lean ? withoutManagedFields(stored) : stored
  let text: string
  if (representation.as === 'table') {
    const table = { now: parts.clock.now(), first: true, include: includedOf(info.query) }
    text = tableOf(type, { ...stored, rv: resourceVersion }, table)
  } else if (representation.as === 'metadata') text = metadataText(shown)
  else text = withHead(shown, type.apiVersion, type.kind, type.custom)
  write.responder.latin1(code, `${text}\n`, text.length)
}

function sendValue({ responder }: WriteRequest, code: number, value: Json): void {
  const text = toLatin1(JSON.stringify(value))
  responder.latin1(code, text, text.length)
}
