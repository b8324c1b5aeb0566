import { isObject, type JsonObject, objectAt, own, stringAt } from '@wherry/cel/internal'
import type { User } from '../authn/access.ts'
import type { KubeObject } from '../objects/object.ts'
import type { HookAnswer } from '../outside/hook-client.ts'
import type { ResourceType } from '../resources/resource-type.ts'
import { StatusError } from '../status.ts'

/** A request's attributes, as webhooks receive them. */
export interface Attributes {
  readonly type: ResourceType
  /** The kind of the written object. For scale and eviction it differs from the resource's own kind. */
  readonly kind: { readonly group: string; readonly version: string; readonly kind: string }
  readonly operation: 'CREATE' | 'UPDATE' | 'DELETE'
  readonly name: string
  readonly namespace: string
  readonly subresource: string
  readonly user: User
  readonly object: JsonObject | undefined
  readonly oldObject: JsonObject | undefined
  readonly dryRun: boolean
  /** CreateOptions, UpdateOptions (for a patch, too) or DeleteOptions. */
  readonly options: JsonObject
}

/** The request of an AdmissionReview, without its uid. `at`: the version at which the webhook receives the objects. */
export function reviewRequest(asked: Attributes, at: ResourceType): JsonObject {
  const { type, kind, name, namespace, subresource, user } = asked
  const resourceOf = ({ group, version, plural }: ResourceType): JsonObject => ({ group, version, resource: plural })
  const userInfo: JsonObject = { username: user.name }
  if (user.uid !== undefined && user.uid !== '') userInfo.uid = user.uid
  if (user.groups.length > 0) userInfo.groups = [...user.groups]
  if (Object.keys(user.extra ?? {}).length > 0) userInfo.extra = structuredClone(user.extra) as JsonObject
  const request: JsonObject = {
    kind: { ...kind, version: type === at ? kind.version : at.version },
    resource: resourceOf(at),
  }
  if (subresource !== '') request.subResource = subresource
  request.requestKind = { ...kind }
  request.requestResource = resourceOf(type)
  if (subresource !== '') request.requestSubResource = subresource
  if (name !== '') request.name = name
  if (namespace !== '') request.namespace = namespace
  return Object.assign(request, {
    operation: asked.operation,
    userInfo,
    object: asked.object ?? null,
    oldObject: asked.oldObject ?? null,
    dryRun: asked.dryRun,
    options: asked.options,
  })
}

/** The decision of a webhook. */
export interface Verdict {
  readonly allowed: boolean
  readonly warnings: readonly string[]
  /** The text of a JSON patch. */
  readonly patch?: string | undefined
  readonly patchType?: string | undefined
  readonly result?: JsonObject | undefined
}

/** Reads an answer. Returns a text with the reason, if the call of the webhook counts as failed. */
export function readVerdict(answer: HookAnswer, uid: string, version: string, mutating: boolean): Verdict | string {
  if ('failure' in answer) return `failed to call webhook: ${answer.failure}`
  const { review } = answer
  const response = objectAt(review, 'response')
  const invalid = (why: string): string => `received invalid webhook response: ${why}`
  if (response === undefined) return invalid('webhook response was absent')
  const patch = stringAt(response, 'patch') ?? ''
  const patchType = stringAt(response, 'patchType')
  // For the older version, a real server checks neither uid nor kind.
  if (version === 'v1') {
    const given = stringAt(response, 'uid') ?? ''
    if (given !== uid) return invalid(`expected response.uid=${JSON.stringify(uid)}, got ${JSON.stringify(given)}`)
    const kind = `${groupVersion(stringAt(review, 'apiVersion') ?? '')}, Kind=${stringAt(review, 'kind') ?? ''}`
    const expected = 'admission.k8s.io/v1, Kind=AdmissionReview'
    if (kind !== expected) return invalid(`expected webhook response of ${expected}, got ${kind}`)
    if (mutating && patch !== '' && patchType === undefined) {
      return invalid('webhook returned response.patch but not response.patchType')
    }
    if (mutating && patch === '' && patchType !== undefined) {
      return invalid('webhook returned response.patchType but not response.patch')
    }
    if (!mutating && patch !== '') return invalid('validating webhook may not return response.patch')
    if (!mutating && patchType !== undefined) return invalid('validating webhook may not return response.patchType')
  }
  const warnings = own(response, 'warnings')
  return {
    allowed: own(response, 'allowed') === true,
    warnings: Array.isArray(warnings) ? warnings.map(String) : [],
    patch: mutating && patch !== '' ? Buffer.from(patch, 'base64').toString('utf8') : undefined,
    patchType: version === 'v1' ? patchType : 'JSONPatch',
    result: objectAt(response, 'status'),
  }
}

function groupVersion(apiVersion: string): string {
  return apiVersion.includes('/') ? apiVersion : `/${apiVersion}`
}

/** The refusal of a request that a webhook does not allow. */
export function denied(hook: string, result: JsonObject | undefined): StatusError {
  const by = `admission webhook ${JSON.stringify(hook)} denied the request`
  const code = Number(result === undefined ? 0 : (own(result, 'code') ?? 0))
  const said = stringAt(result, 'message') ?? ''
  const reason = stringAt(result, 'reason') ?? ''
  const why = said !== '' ? said : reason
  const details = objectAt(result, 'details')
  return new StatusError(
    Math.max(code, 400),
    reason,
    why === '' ? `${by} without explanation` : `${by}: ${why}`,
    details === undefined ? {} : { details },
  )
}

/** The refusal of a request after the call of its webhook failed. */
export function callFailed(hook: string, why: string): StatusError {
  return StatusError.internal(`failed calling webhook ${JSON.stringify(hook)}: ${why}`)
}

/** The name in the refusals of a request. If the object has no name yet, its `generateName`. */
export function shownName({ name, object }: Attributes): string {
  const metadata = (object as KubeObject | undefined)?.metadata
  return name || metadata?.name || metadata?.generateName || 'Unknown'
}

/** The kind that a request writes. */
export function kindOf(type: ResourceType, subresource: string): Attributes['kind'] {
  if (subresource === 'scale') return { group: 'autoscaling', version: 'v1', kind: 'Scale' }
  if (subresource === 'eviction') return { group: 'policy', version: 'v1', kind: 'Eviction' }
  return { group: type.group, version: type.version, kind: type.kind }
}

/** The labels of an object; `undefined` if there is no object, or it has no labels. */
export function labelsOf(object: JsonObject | undefined): { readonly [key: string]: string } | undefined {
  const labels = object === undefined ? undefined : (object as KubeObject).metadata?.labels
  return isObject(labels) ? (labels as { readonly [key: string]: string }) : undefined
}
