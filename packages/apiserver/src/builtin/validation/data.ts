import { addAll, type JsonObject, objectAt, own, sameJson, setOwn, sortKeys } from '@wherry/cel/internal'
import { configKeyProblems } from '../../metadata/names.ts'
import { invalid, tooLong } from '../../metadata/validate.ts'
import { base64Problem, DecodeError, stringMap } from '../../objects/decoding.ts'
import type { KubeObject } from '../../objects/object.ts'
import type { StatusCause } from '../../status.ts'
import { checked } from './causes.ts'
import { checkSecretType } from './secret.ts'

const configMapFields = ['data', 'binaryData']
const secretTypeProblems = checked(checkSecretType)

/** Reads the data of a ConfigMap. Throws a {@link DecodeError} if the data can't be decoded. */
export function readConfigMap(object: KubeObject): void {
  readMaps(object, 'data', 'binaryData')
  readBytes(object, 'binaryData')
}

/** Reads the data of a Secret, and fills in its type. Refuses data that can't be decoded. */
export function readSecret(object: KubeObject): void {
  readMaps(object, 'data', 'stringData')
  readBytes(object, 'data')
  encodeStringData(object)
  // On a real server, a manager that leaves the type out owns it as well.
  object.type ||= 'Opaque'
}

export function configMapProblems(object: KubeObject, old: KubeObject | undefined): StatusCause[] {
  const causes = immutableProblems(object, old)
  addAll(causes, keyProblems(object, 'data'))
  if (own(object, 'binaryData') !== undefined) {
    addAll(causes, [...keysOfBoth(object), ...keyProblems(object, 'binaryData')])
  }
  if (sizeOf(object, configMapFields) > maxDataBytes) causes.push(tooLong('[]', maxDataBytes))
  return causes
}

export function secretProblems(object: KubeObject, old: KubeObject | undefined): StatusCause[] {
  const size = sizeOf(object, ['data'])
  const type = own(object, 'type')
  // A Secret that `fill` stored may lack the default.
  const changed = old !== undefined && (own(old, 'type') ?? 'Opaque') !== type
  return [
    ...(changed ? [invalid('type', type, 'field is immutable')] : []),
    ...immutableProblems(object, old),
    ...keyProblems(object, 'data'),
    ...(size > maxDataBytes ? [tooLong('data', maxDataBytes)] : []),
    ...secretTypeProblems(object, old),
  ]
}

function encodeStringData(object: KubeObject): void {
  const stringData = objectAt(object, 'stringData')
  if (stringData === undefined) return
  const data: JsonObject = { ...objectAt(object, 'data') }
  for (const [key, value] of Object.entries(stringData)) {
    setOwn(data, key, Buffer.from(String(value), 'utf8').toString('base64'))
  }
  object.data = sortKeys(data)
  delete object.stringData
}

/** Reads maps of texts. An empty map and null are left out. */
function readMaps(object: KubeObject, ...fields: string[]): void {
  for (const field of fields) {
    const value = own(object, field)
    if (value === undefined) continue
    const map = value === null ? {} : stringMap(value, `${object.kind}.${field}`, 'map[string]string')
    if (Object.keys(map).length > 0) object[field] = map
    else delete object[field]
  }
}

/** Refuses values that are no base64, as decoding does, and removes line breaks from the others. */
function readBytes(object: KubeObject, field: string): void {
  const data = objectAt(object, field) ?? {}
  for (const key of Object.keys(data)) {
    const given = String(own(data, key))
    const text = given.replaceAll(/[\r\n]/g, '')
    if (text !== given) setOwn(data, key, text)
    const problem = base64Problem(text)
    if (problem !== undefined) throw new DecodeError(problem)
  }
}

const maxDataBytes = 1_048_576

function keyProblems(object: KubeObject, field: string): StatusCause[] {
  const map = objectAt(object, field)
  if (map === undefined) return []
  const causes: StatusCause[] = []
  const keys = Object.keys(map)
  if (keys.length > 1) keys.sort()
  for (const key of keys) {
    for (const why of configKeyProblems(key)) causes.push(invalid(`${field}[${key}]`, key, why))
  }
  return causes
}

/** The causes for keys that are both in a ConfigMap's texts and in its bytes. */
function keysOfBoth(object: KubeObject): StatusCause[] {
  const binary = objectAt(object, 'binaryData') ?? {}
  return Object.keys(objectAt(object, 'data') ?? {})
    .filter(key => own(binary, key) !== undefined)
    .sort()
    .map(key => invalid(`data[${key}]`, key, 'duplicate of key present in binaryData'))
}

function sizeOf(object: KubeObject, fields: readonly string[]): number {
  let bytes = 0
  for (const field of fields) {
    const map = objectAt(object, field)
    if (map === undefined) continue
    const encoding = field === 'data' && object.kind === 'ConfigMap' ? 'utf8' : 'base64'
    for (const value of Object.values(map)) bytes += Buffer.byteLength(String(value), encoding)
  }
  return bytes
}

/** The causes against a change of an object with `immutable: true`, which can't be taken back. */
function immutableProblems(object: KubeObject, old: KubeObject | undefined): StatusCause[] {
  if (old === undefined || own(old, 'immutable') !== true) return []
  const changed = ['data', 'binaryData'].filter(field => !sameJson(own(object, field), own(old, field)))
  if (own(object, 'immutable') !== true) changed.unshift('immutable')
  return changed.map(field => ({
    reason: 'FieldValueForbidden',
    message: 'Forbidden: field is immutable when `immutable` is set',
    field,
  }))
}
