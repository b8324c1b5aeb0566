import {
  goQuote,
  isObject,
  type Json,
  type JsonObject,
  objectAt,
  own,
  parseJson,
  sortKeys,
  stringAt,
} from '@wherry/cel/internal'
import { complete } from '../builtin/complete.ts'
import { readBuiltin } from '../builtin/read-builtin.ts'
import type { ServerRequest } from '../exchange.ts'
import { builtinResources } from '../generated/builtin-resources.ts'
import { invalid } from '../metadata/validate.ts'
import { DecodeError, goKind, stringMap, syntaxProblem, unmarshal } from '../objects/decoding.ts'
import type { KubeObject, ObjectMeta } from '../objects/object.ts'
import { apiVersionOf, type ResourceType } from '../resources/resource-type.ts'
import { StatusError } from '../status.ts'
import { goPlain } from '../strategic/strategic-error.ts'
import { tooDeepAt } from './depth.ts'
import { hugeNumber } from './huge-number.ts'
import { fieldTypeOf } from './managed.ts'
import type { Strategy } from './strategy.ts'
import type { WriteRequest } from './write-request.ts'
import { readYaml, YamlError } from './yaml.ts'

/**
 * The origin of an object. It decides how the server refuses an object that can't be decoded. If a strategic merge patch has made the object, `strategic`
 * returns the patch, which the server quotes.
 */
export type Origin = 'body' | 'patch' | 'apply' | { readonly strategic: () => Json }

const head = 'struct { APIVersion string "json:\\"apiVersion,omitempty\\""; Kind string "json:\\"kind,omitempty\\"" }'

/** The parts of a request that determine its body. */
export type BodyOf = Pick<ServerRequest, 'body' | 'headers'>

/** A content type without its parameters, in lower case. */
export function contentTypeOf(request: Pick<BodyOf, 'headers'>): string {
  return patchTypeOf(request).trim().toLowerCase()
}

/** The content type of a patch. A real server compares the text before the parameters, with its case and spaces. */
export function patchTypeOf({ headers }: Pick<BodyOf, 'headers'>): string {
  return (headers['content-type'] ?? '').split(';')[0] ?? ''
}

export function isYaml(request: Pick<BodyOf, 'headers'>): boolean {
  return contentTypeOf(request) === 'application/yaml'
}

/** Parses a request body that must be an object, in JSON or YAML. `null` is an empty object. Throws a {@link DecodeError} for any other body. */
export function parseBody(request: BodyOf, text: string = textOf(request.body)): JsonObject {
  const problem = (why: string): DecodeError => new DecodeError(`couldn't get version/kind; json parse error: ${why}`)
  const bracket = isYaml(request) ? undefined : tooDeepAt(text)
  if (bracket !== undefined) throw problem(`invalid character '${bracket}' exceeded max depth`)
  let value: Json
  try {
    // A real server reads YAML into maps of Go, and prints these with sorted keys.
    value = isYaml(request) ? sortKeys(readYaml(text).value) : parseJson(text)
  } catch (error) {
    throw error instanceof YamlError ? new DecodeError(error.message) : problem(syntaxProblem(error as Error))
  }
  if (value === null) return {}
  if (!isObject(value)) throw problem(`json: cannot unmarshal ${goKind(value)} into Go value of type ${head}`)
  for (const field of ['apiVersion', 'kind']) {
    const text = own(value, field) ?? ''
    if (typeof text !== 'string') {
      throw problem(`json: cannot unmarshal ${goKind(text)} into Go struct field .${field} of type string`)
    }
  }
  return value
}

/** Parses the body of a create or an update. Throws the server's 400. */
export function parseObject(request: BodyOf, type: ResourceType): JsonObject {
  const text = textOf(request.body)
  try {
    const value = parseBody(request, text)
    if (type.custom && !own(value, 'kind')) throw new DecodeError(`Object 'Kind' is missing in '${text}'`)
    const huge = type.custom && !isYaml(request) ? hugeNumber(text) : undefined
    if (huge !== undefined) throw undecodable(new DecodeError(huge), value, type, 'body')
    return value
  } catch (error) {
    if (!(error instanceof DecodeError)) throw error
    throw StatusError.badRequest(
      `the object provided is unrecognized (must be of type ${type.kind}): ${error.message} (${summary(text)})`,
    )
  }
}

export function textOf(body: Uint8Array): string {
  const bytes = Buffer.isBuffer(body) ? body : Buffer.from(body.buffer, body.byteOffset, body.byteLength)
  return bytes.toString('utf8')
}

function summary(text: string): string {
  if (text === '') return '<empty>'
  const shown = text.startsWith('{') ? text : Buffer.from(text).toString('hex')
  const bound = text.startsWith('{') ? 30 : 60
  return shown.length > bound ? `${shown.slice(0, bound)} ...` : shown
}

const builtinKinds = new Map(
  builtinResources.map(({ group, version, kind }) => [`${apiVersionOf(group, version)}/${kind}`, { group, version }]),
)

/** The object of a request, and its unknown fields. */
export interface ReadObject {
  readonly object: KubeObject
  /** The paths of the fields that a built-in's type does not have. */
  readonly unknown: readonly string[]
}

/** Checks that `given` is an object of `type` for this URL, and fills in the parts that may be left out. */
export function asObject(
  given: JsonObject,
  { type, target, strategyOf }: Pick<WriteRequest, 'type' | 'target' | 'strategyOf'>,
  origin: Origin,
): ReadObject {
  checkKind(given, type, origin)
  const { object: value, unknown } = knownFields(given, type, origin)
  return { object: completed(value, type, target.namespace, origin, strategyOf(type)), unknown }
}

function completed(
  value: JsonObject,
  type: ResourceType,
  namespace: string,
  origin: Origin,
  { decode }: Strategy,
): KubeObject {
  const given = own(value, 'metadata')
  const metadata = { ...(isObject(given) ? given : {}) } as ObjectMeta
  try {
    if (given !== undefined && given !== null && !isObject(given)) {
      throw type.custom
        ? new DecodeError(`json: cannot unmarshal ${goKind(given)} into Go value of type v1.ObjectMeta`)
        : unmarshal(given, `${type.kind}.metadata`, 'v1.ObjectMeta')
    }
    normaliseMeta(metadata, type.custom ? 'ObjectMeta' : 'ObjectMeta.metadata')
  } catch (error) {
    throw error instanceof DecodeError ? undecodable(error, value, type, origin) : error
  }
  const { namespace: itsOwn = '' } = metadata
  if (type.namespaced && itsOwn !== '' && itsOwn !== namespace) {
    throw StatusError.badRequest(
      'the namespace of the provided object does not match the namespace sent on the request',
    )
  }
  if (type.namespaced) metadata.namespace = namespace
  else delete metadata.namespace
  const { metadata: _, ...rest } = value
  const object = Object.assign(rest, { apiVersion: type.apiVersion, kind: type.kind, metadata }) as KubeObject
  try {
    decode?.(object)
    complete(object, type)
  } catch (error) {
    throw error instanceof DecodeError ? undecodable(error, value, type, origin) : error
  }
  return object
}

/**
 * Returns a built-in without the fields that its type does not have, and the paths of these fields. Refuses a built-in with a value of another type than its
 * field. An object without a known type stays unchanged.
 */
export function knownFields(
  value: JsonObject,
  type: ResourceType,
  origin: Origin,
): { readonly object: JsonObject; readonly unknown: readonly string[] } {
  const fields = type.schema === undefined ? fieldTypeOf(type) : undefined
  if (fields === undefined) return { object: value, unknown: [] }
  const reading = origin === 'body' || origin === 'patch' ? 'decoder' : 'converter'
  const { object, unknown, problem } = readBuiltin(value, fields, reading)
  if (problem !== undefined) throw undecodable(new DecodeError(problem), object, type, origin)
  return { object, unknown }
}

/** The refusal of an object that can't be decoded. For an apply it is `error`, to which the caller adds the words of an apply. */
function undecodable(error: DecodeError, value: JsonObject, type: ResourceType, origin: Origin): Error {
  if (origin === 'apply') return error
  if (origin === 'body') {
    return StatusError.badRequest(
      `${type.kind} in version "${type.version}" cannot be handled as a ${type.kind}: ${error.message}`,
    )
  }
  const text = origin === 'patch' ? JSON.stringify(value) : goPlain(origin.strategic())
  const message = `Invalid value: ${goQuote(text)}: ${error.message}`
  return new StatusError(422, 'Invalid', ` "" is invalid: patch: ${message}`, {
    details: { causes: [{ reason: 'FieldValueInvalid', message, field: 'patch' }] },
  })
}

function checkKind(value: JsonObject, type: ResourceType, origin: Origin): void {
  const kind = own(value, 'kind') ?? ''
  const apiVersion = own(value, 'apiVersion') ?? ''
  if (type.custom) {
    if (apiVersion !== type.apiVersion && origin === 'body') {
      throw StatusError.badRequest(
        `the API version in the data (${String(apiVersion)}) does not match the expected API version (${type.apiVersion})`,
      )
    }
    if (kind === type.kind && apiVersion === type.apiVersion) return
    const [field, must] = kind === type.kind ? ['apiVersion', type.apiVersion] : ['kind', type.kind]
    const name = stringAt(objectAt(value, 'metadata'), 'name') ?? ''
    const cause = invalid(field as string, own(value, field as string), `must be ${must}`)
    throw StatusError.invalid({ ...type, kind: String(kind) }, name, [cause])
  }
  // A strategic merge patch can't change the type: a real server ignores these fields of its result.
  if (typeof origin === 'object') return
  if ((apiVersion === '' || apiVersion === type.apiVersion) && (kind === '' || kind === type.kind)) return
  const named = { apiVersion: String(apiVersion || type.apiVersion), kind: String(kind || type.kind) }
  const known = builtinKinds.get(`${named.apiVersion}/${named.kind}`)
  const version = named.apiVersion.split('/').at(-1) as string
  const why =
    known === undefined
      ? `no kind "${named.kind}" is registered for version "${named.apiVersion}" in scheme "pkg/runtime/scheme.go:111"`
      : `converting (${known.version}.${named.kind}) to (${type.group === '' ? 'core' : type.group.split('.')[0]}.${type.kind}): unknown conversion`
  if (origin === 'patch') throw undecodable(new DecodeError(why), value, type, origin)
  throw StatusError.badRequest(`${named.kind} in version "${version}" cannot be handled as a ${type.kind}: ${why}`)
}

const metaMaps = ['labels', 'annotations'] as const
const metaLists = [
  ['ownerReferences', 'v1.OwnerReference'],
  ['finalizers', 'string'],
  ['managedFields', 'v1.ManagedFieldsEntry'],
] as const
const metaTexts = ['name', 'generateName', 'namespace', 'uid', 'resourceVersion'] as const

/** Refuses metadata of the wrong types, as decoding does, and drops nulls, empty maps and empty lists, as encoding does. */
function normaliseMeta(metadata: ObjectMeta, path: string): void {
  for (const key of Object.keys(metadata)) if (metadata[key] === null) delete metadata[key]
  const field = (name: string): string => `${path}.${name}`
  for (const name of metaMaps) {
    if (metadata[name] === undefined) continue
    const map = stringMap(metadata[name], field(name), 'map[string]string')
    if (Object.keys(map).length > 0) metadata[name] = map
    else delete metadata[name]
  }
  for (const [name, type] of metaLists) {
    const list: unknown = metadata[name]
    if (list === undefined) continue
    if (!Array.isArray(list)) throw unmarshal(list as Json, field(name), `[]${type}`)
    // An empty list of `managedFields` is kept, because it removes all managers.
    if (list.length === 0 && name !== 'managedFields') delete metadata[name]
    for (const [i, item] of (list as Json[]).entries()) {
      // A null item is an empty one.
      if (item === null) list[i] = type === 'string' ? '' : {}
      else if (type === 'string' ? typeof item !== 'string' : !isObject(item)) throw unmarshal(item, field(name), type)
    }
  }
  for (const name of metaTexts) {
    const text: Json | undefined = metadata[name]
    if (text !== undefined && typeof text !== 'string') {
      throw unmarshal(text, field(name), name === 'uid' ? 'types.UID' : 'string')
    }
  }
}
