import { isObject, type Json, own, parseJson } from '../objects/json.ts'
import type { KubeObject, ObjectMeta } from '../objects/object.ts'
import type { ResourceType } from '../resources/resource-type.ts'
import { type StatusCause, StatusError } from '../status.ts'
import { nameProblem } from './names.ts'

const qualifiedName = /^([a-z0-9]([-a-z0-9.]*[a-z0-9])?\/)?[A-Za-z0-9]([-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?$/
const labelValue = /^([A-Za-z0-9]([-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?)?$/

/** Parses a request body. Throws the server's 400 for what is no JSON. */
export function parseBody(body: Uint8Array): Json {
  const text = Buffer.from(body.buffer, body.byteOffset, body.byteLength).toString('utf8')
  try {
    return parseJson(text)
  } catch (error) {
    throw StatusError.badRequest(
      `the object provided is unrecognized (must be JSON): couldn't get version/kind; json parse error: ${(error as Error).message}`,
    )
  }
}

/** Checks that `value` is an object of `type` for this URL, and gives it the parts that it may leave out. */
export function asObject(value: Json, type: ResourceType, namespace: string): KubeObject {
  if (!isObject(value)) throw StatusError.badRequest('the request body is no JSON object')
  const kind = own(value, 'kind')
  const apiVersion = own(value, 'apiVersion')
  if (type.custom && (typeof kind !== 'string' || kind === '')) {
    throw StatusError.badRequest(`Object 'Kind' is missing in '${JSON.stringify(value).slice(0, 200)}'`)
  }
  if (type.custom && (typeof apiVersion !== 'string' || apiVersion === '')) {
    throw StatusError.badRequest(`Object 'apiVersion' is missing in '${JSON.stringify(value).slice(0, 200)}'`)
  }
  if (apiVersion !== undefined && apiVersion !== '' && apiVersion !== type.apiVersion) {
    throw StatusError.badRequest(
      `the API version in the data (${String(apiVersion)}) does not match the expected API version (${type.apiVersion})`,
    )
  }
  if (kind !== undefined && kind !== '' && kind !== type.kind) {
    throw StatusError.badRequest(
      `${type.kind} in version "${type.version}" cannot be handled as a ${type.kind}: the kind in the data (${String(kind)}) does not match`,
    )
  }
  const given = own(value, 'metadata')
  if (given !== undefined && given !== null && !isObject(given)) {
    throw StatusError.badRequest('json: cannot unmarshal metadata into Go struct field .metadata of type v1.ObjectMeta')
  }
  const metadata = { ...(given as ObjectMeta | null | undefined) }
  checkMetaShape(metadata)
  if (type.namespaced) {
    if (metadata.namespace !== undefined && metadata.namespace !== '' && metadata.namespace !== namespace) {
      throw StatusError.badRequest(
        'the namespace of the provided object does not match the namespace sent on the request',
      )
    }
    metadata.namespace = namespace
  } else if (metadata.namespace !== undefined && metadata.namespace !== '') {
    throw StatusError.badRequest(
      'the namespace of the provided object does not match the namespace sent on the request',
    )
  } else {
    delete metadata.namespace
  }
  const { metadata: _, ...rest } = value
  return Object.assign(rest, { apiVersion: type.apiVersion, kind: type.kind, metadata }) as KubeObject
}

/** Refuses metadata of the wrong types, as decoding does, and drops what is null. */
function checkMetaShape(metadata: ObjectMeta): void {
  for (const key of Object.keys(metadata)) if (metadata[key] === null) delete metadata[key]
  for (const field of ['labels', 'annotations'] as const) {
    const map: unknown = metadata[field]
    if (map === undefined) continue
    if (!isObject(map) || Object.values(map).some(value => typeof value !== 'string')) {
      throw StatusError.badRequest(
        `json: cannot unmarshal into Go struct field ObjectMeta.metadata.${field} of type string`,
      )
    }
  }
  for (const field of ['ownerReferences', 'finalizers', 'managedFields'] as const) {
    const list: unknown = metadata[field]
    if (list !== undefined && !Array.isArray(list)) {
      throw StatusError.badRequest(`json: cannot unmarshal into Go struct field ObjectMeta.metadata.${field}`)
    }
    if (Array.isArray(list) && list.length === 0) delete metadata[field]
  }
  for (const field of ['name', 'generateName', 'namespace', 'uid', 'resourceVersion'] as const) {
    const text: unknown = metadata[field]
    if (text !== undefined && typeof text !== 'string') {
      throw StatusError.badRequest(
        `json: cannot unmarshal into Go struct field ObjectMeta.metadata.${field} of type string`,
      )
    }
  }
}

/** Refuses what no object of this resource may have: a bad name, labels, owners. */
export function validateMeta(object: KubeObject, type: ResourceType): void {
  const causes: StatusCause[] = []
  const invalid = (field: string, value: string, why: string): void => {
    causes.push({ reason: 'FieldValueInvalid', message: `Invalid value: ${JSON.stringify(value)}: ${why}`, field })
  }
  const required = (field: string, why = ''): void => {
    causes.push({ reason: 'FieldValueRequired', message: `Required value${why === '' ? '' : `: ${why}`}`, field })
  }
  const { name = '', labels = {}, annotations = {}, ownerReferences = [] } = object.metadata
  if (name === '') required('metadata.name', 'name or generateName is required')
  else {
    const problem = nameProblem(type, name)
    if (problem !== undefined) invalid('metadata.name', name, problem)
  }
  for (const [key, value] of Object.entries(labels)) {
    if (!qualifiedName.test(key)) {
      invalid('metadata.labels', key, "name part must consist of alphanumeric characters, '-', '_' or '.'")
    }
    if (!labelValue.test(value)) {
      invalid(
        'metadata.labels',
        value,
        "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.'",
      )
    }
  }
  for (const key of Object.keys(annotations)) {
    if (!qualifiedName.test(key.toLowerCase())) {
      invalid('metadata.annotations', key, "name part must consist of alphanumeric characters, '-', '_' or '.'")
    }
  }
  ownerReferences.forEach((owner, i) => {
    for (const field of ['apiVersion', 'kind', 'name', 'uid'] as const) {
      if (!isObject(owner) || typeof owner[field] !== 'string' || owner[field] === '') {
        required(`metadata.ownerReferences[${i}].${field}`, 'must not be empty')
      }
    }
  })
  if (causes.length > 0) throw StatusError.invalid(type, name, causes)
}
