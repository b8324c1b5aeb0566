import { isObject, type Json, type JsonObject, objectAt, own, stringAt } from '@wherry/cel/internal'
import type { KubeObject } from '../objects/object.ts'
import type { HookAnswer } from '../outside/hook-client.ts'

/** The request of a ConversionReview: the objects, and the version to convert them to. */
export function conversionReview(
  uid: string,
  objects: readonly KubeObject[],
  desiredAPIVersion: string,
  version: string,
): JsonObject {
  return {
    kind: 'ConversionReview',
    apiVersion: `apiextensions.k8s.io/${version}`,
    request: { uid, desiredAPIVersion, objects },
  }
}

/** The converted objects, in their order. If a real server refuses the answer: the reason, as a text. */
export function readConverted(
  answer: HookAnswer,
  uid: string,
  originals: readonly KubeObject[],
  apiVersion: string,
  version: string,
): readonly KubeObject[] | string {
  const [first] = originals
  const about = `conversion webhook for ${asKind(first)}`
  if ('failure' in answer) return `${about} failed: ${answer.failure}`
  const { review } = answer
  if (version === 'v1') {
    const kind = asKind({ apiVersion: stringAt(review, 'apiVersion') ?? '', kind: stringAt(review, 'kind') ?? '' })
    const expected = 'apiextensions.k8s.io/v1, Kind=ConversionReview'
    if (kind !== expected) return `${about} failed: expected webhook response of ${expected}, got ${kind}`
  }
  const response = objectAt(review, 'response')
  if (response === undefined) return `${about} failed: no response provided`
  const given = stringAt(response, 'uid') ?? ''
  if (version === 'v1' && given !== uid) {
    return `${about} failed: expected response.uid=${JSON.stringify(uid)}, got ${JSON.stringify(given)}`
  }
  const result = objectAt(response, 'result')
  const status = stringAt(result, 'status') ?? ''
  if (status !== 'Success') {
    const message = stringAt(result, 'message') ?? ''
    return `${about} failed: ${message === '' ? `response.result.status was '${status}', not 'Success'` : message}`
  }
  const value = own(response, 'convertedObjects')
  const converted = Array.isArray(value) ? (value as Json[]) : []
  if (converted.length !== originals.length) {
    return `${about} returned ${converted.length} objects, expected ${originals.length}`
  }
  const objects: KubeObject[] = []
  for (const [i, original] of originals.entries()) {
    const object = converted[i] as Json
    const wrong = isObject(object) ? problemOf(original, object, apiVersion) : ': no object'
    if (wrong !== undefined) return `${about} returned invalid object${wrong}`
    const metadata = objectAt(object as JsonObject, 'metadata')
    if (metadata === undefined) return `${about} returned invalid metadata: missing metadata in converted object`
    objects.push(withMetadata(object as KubeObject, original, metadata))
  }
  return objects
}

/** A kind as the server's messages print it. */
function asKind(object: { readonly apiVersion: string; readonly kind: string } | undefined): string {
  const { apiVersion = '', kind = '' } = object ?? {}
  return `${apiVersion.includes('/') ? apiVersion : `/${apiVersion}`}, Kind=${kind}`
}

function problemOf(original: KubeObject, object: JsonObject, apiVersion: string): string | undefined {
  const got = stringAt(object, 'apiVersion') ?? ''
  if (got !== apiVersion) return ` at index 0: invalid groupVersion (expected ${apiVersion}, received ${got})`
  const kind = stringAt(object, 'kind') ?? ''
  if (kind !== original.kind) return ` at index 0: invalid kind (expected ${original.kind}, received ${kind})`
  const metadata = objectAt(object, 'metadata')
  for (const [field, name] of [
    ['name', 'name'],
    ['namespace', 'namespace'],
    ['uid', 'UID'],
  ] as const) {
    const [had = '', has = ''] = [original.metadata[field], stringAt(metadata, field)]
    if (had !== has) return `: must have the same ${name}: ${had} != ${has}`
  }
  return undefined
}

/** A webhook may change labels and annotations, and no other metadata. */
function withMetadata(converted: KubeObject, original: KubeObject, given: JsonObject): KubeObject {
  const metadata: KubeObject['metadata'] = { ...original.metadata }
  for (const field of ['labels', 'annotations'] as const) {
    const value = objectAt(given, field)
    if (value === undefined || Object.keys(value).length === 0) delete metadata[field]
    else metadata[field] = value as { [key: string]: string }
  }
  return { ...converted, metadata }
}
