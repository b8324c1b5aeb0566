import type { User } from '../access.ts'
import type { CoreParts } from '../core.ts'
import type { ServerRequest } from '../exchange.ts'
import { isObject, type Json, type JsonObject, objectAt, own, stringAt } from '../objects/json.ts'
import type { KubeObject } from '../objects/object.ts'
import { metadataText, type StoredText, serialise, toLatin1, withHead } from '../objects/stored.ts'
import { list } from '../read/list.ts'
import { parseListOptions } from '../requests/list-options.ts'
import type { RequestInfo, ResourceTarget } from '../requests/request-info.ts'
import type { ResourceType } from '../resources/resource-type.ts'
import type { Responder } from '../responder.ts'
import { deleted, StatusError } from '../status.ts'
import { objectKey } from '../store/store.ts'
import { behaviourOf } from './behaviour.ts'
import { jsonPatch, mergePatch } from './patch.ts'
import { scaleOf, withScale } from './scale.ts'
import { asObject, parseBody } from './validate.ts'
import type { DeleteOptions } from './writer.ts'

/** A request that writes, taken apart. */
export interface WriteRequest {
  readonly request: ServerRequest
  readonly info: RequestInfo
  readonly target: ResourceTarget
  readonly type: ResourceType
  readonly verb: string
  readonly responder: Responder
  readonly user: User
}

/** Carries a write out and answers it. Throws what is refused. */
export function answerWrite(parts: CoreParts, write: WriteRequest): void {
  const { verb } = write
  checkQuery(write.info.query)
  if (verb === 'create') return create(parts, write)
  if (verb === 'delete') return remove(parts, write)
  if (verb === 'deletecollection') return removeCollection(parts, write)
  const { type, target } = write
  const current = parts.writer.read(type, target.namespace, target.name)
  if (verb === 'get') return sendValue(write, 200, scaleOf(type, current.object))
  const dryRun = isDryRun(write.info.query)
  if (target.subresource === 'scale') {
    const before = scaleOf(type, current.object)
    const scale = verb === 'patch' ? patched(write, before) : parseBody(write.request.body)
    const next = withScale(type, current.object, scale)
    const after = parts.writer.update(type, current, next, 'main', { dryRun, viaPatch: verb === 'patch' })
    return sendValue(write, 200, scaleOf(type, after))
  }
  const body = verb === 'patch' ? patched(write, current.object) : parseBody(write.request.body)
  const object = asObject(body, type, target.namespace)
  if (verb === 'update' && (object.metadata.name ?? '') === '') object.metadata.name = target.name
  const part = target.subresource === 'finalize' ? 'all' : target.subresource === 'status' ? 'status' : 'main'
  const after = parts.writer.update(type, current, object, part, { dryRun, viaPatch: verb === 'patch' })
  send(parts, write, 200, after)
}

function create(parts: CoreParts, write: WriteRequest): void {
  const { type, target } = write
  parts.namespaces.admit(type, target.namespace)
  const object = asObject(parseBody(write.request.body), type, target.namespace)
  send(parts, write, 201, parts.writer.create(type, object, isDryRun(write.info.query)))
}

function remove(parts: CoreParts, write: WriteRequest): void {
  const { type, target } = write
  const options = deleteOptions(write)
  const result = parts.writer.delete(type, parts.writer.read(type, target.namespace, target.name), options)
  if (!result.deleted || behaviourOf(type).answersDeleted) return send(parts, write, 200, result.object)
  write.responder.json(200, deleted(type, target.name, result.object.metadata.uid ?? ''))
}

function removeCollection(parts: CoreParts, write: WriteRequest): void {
  const { type, target, info } = write
  const options = deleteOptions(write)
  const listOptions = parseListOptions(info.query, type, false, parts.shards)
  const source = {
    store: parts.store,
    type,
    namespace: target.namespace,
    watchCache: parts.hasWatchCache(type.plural),
  }
  const { items, rv } = list(source, listOptions)
  for (const item of items) {
    parts.writer.delete(type, parts.writer.read(type, item.namespace, item.name), options)
  }
  const texts = items.map(item => (type.custom ? withHead(item, type.apiVersion, type.kind, true) : item.text))
  const head = `{"kind":"${type.listKind}","apiVersion":"${type.apiVersion}","metadata":{"resourceVersion":"${rv}"},"items":[`
  write.responder.latin1(200, `${head}${texts.join(',')}]}\n`, 1)
}

function patched({ request, type }: WriteRequest, current: KubeObject): Json {
  const contentType = (request.headers['content-type'] ?? '').split(';')[0]?.trim()
  switch (contentType) {
    case 'application/json-patch+json':
      return jsonPatch(current, parseBody(request.body))
    case 'application/merge-patch+json': {
      const patch = parseBody(request.body)
      if (!isObject(patch)) throw StatusError.badRequest('error decoding patch: the merge patch is no JSON object')
      return mergePatch(current, patch)
    }
    case 'application/apply-patch+yaml':
    case 'application/apply-patch+cbor':
      throw StatusError.missing('server-side apply')
    case 'application/strategic-merge-patch+json':
      if (!type.custom) throw StatusError.missing('strategic merge patches')
      break
  }
  const works = 'application/json-patch+json, application/merge-patch+json, application/apply-patch+yaml'
  throw new StatusError(
    415,
    'UnsupportedMediaType',
    type.custom
      ? `the body of the request was in an unknown format - accepted media types include: ${works}`
      : '415: Unsupported Media Type',
  )
}

function deleteOptions({ request, info }: WriteRequest): DeleteOptions {
  const value = request.body.length === 0 ? {} : parseBody(request.body)
  if (!isObject(value)) throw StatusError.badRequest('the request body is no DeleteOptions')
  const body: JsonObject = value
  const preconditions = objectAt(body, 'preconditions')
  const policy = stringAt(body, 'propagationPolicy') ?? info.query.get('propagationPolicy') ?? undefined
  if (policy !== undefined && policy !== 'Background' && policy !== 'Foreground' && policy !== 'Orphan') {
    throw StatusError.invalid({ group: 'meta.k8s.io', plural: 'deleteoptions', kind: 'DeleteOptions' }, '', [
      {
        reason: 'FieldValueNotSupported',
        message: `Unsupported value: ${JSON.stringify(policy)}: supported values: "Foreground", "Background", "Orphan", "nil"`,
        field: 'propagationPolicy',
      },
    ])
  }
  const orphan = own(body, 'orphanDependents')
  const grace = own(body, 'gracePeriodSeconds') ?? info.query.get('gracePeriodSeconds') ?? undefined
  return {
    uid: stringAt(preconditions, 'uid'),
    resourceVersion: stringAt(preconditions, 'resourceVersion'),
    propagationPolicy: policy ?? (orphan === true ? 'Orphan' : undefined),
    gracePeriodSeconds: grace === undefined ? undefined : Number(grace),
    dryRun: isDryRun(info.query) || Array.isArray(own(body, 'dryRun')),
  }
}

function checkQuery(query: URLSearchParams): void {
  const validation = query.get('fieldValidation') ?? ''
  if (validation === 'Strict') throw StatusError.missing('fieldValidation=Strict')
  if (!['', 'Warn', 'Ignore'].includes(validation)) {
    throw StatusError.badRequest(
      `fieldValidation: Unsupported value: "${validation}": supported values: "Ignore", "Strict", "Warn"`,
    )
  }
}

function isDryRun(query: URLSearchParams): boolean {
  const value = query.get('dryRun')
  if (value === null || value === '') return false
  if (value !== 'All') throw StatusError.badRequest(`dryRun: Unsupported value: "${value}": supported values: "All"`)
  return true
}

/** The state in the store that `object` is, so that it need not be printed twice; `undefined` when it is another. */
function storedState({ store }: CoreParts, type: ResourceType, { metadata }: KubeObject): StoredText | undefined {
  const version = store.collection(type).get(objectKey(metadata.namespace ?? '', metadata.name ?? ''))
  const same = version !== undefined && version.uid === metadata.uid && String(version.rv) === metadata.resourceVersion
  return same ? version : undefined
}

function send(parts: CoreParts, write: WriteRequest, code: number, object: KubeObject): void {
  const { type, request } = write
  const { resourceVersion } = object.metadata
  if (resourceVersion === undefined || resourceVersion === '') return sendValue(write, code, object)
  const stored = storedState(parts, type, object) ?? serialise(object, resourceVersion, type.custom)
  const metadata = /as=PartialObjectMetadata(;|,|$)/.test(request.headers.accept ?? '')
  const text = metadata ? metadataText(stored) : withHead(stored, type.apiVersion, type.kind, type.custom)
  write.responder.latin1(code, `${text}\n`, text.length)
}

function sendValue({ responder }: WriteRequest, code: number, value: Json): void {
  const text = toLatin1(JSON.stringify(value))
  responder.latin1(code, text, text.length)
}
