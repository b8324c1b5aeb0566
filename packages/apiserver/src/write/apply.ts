import { isObject, type JsonObject, objectAt, own, sameJson, stringAt } from '@wherry/cel/internal'
import { apply, kindOf, nameOf } from '../fields/apply.ts'
import { ItemError } from '../fields/items.ts'
import { contentOf } from '../fields/ownership.ts'
import { DecodeError, goKind } from '../objects/decoding.ts'
import type { KubeObject } from '../objects/object.ts'
import { isTrue } from '../requests/request-info.ts'
import { applyDefaults } from '../schema/defaults.ts'
import { StatusError } from '../status.ts'
import { asObject, patchTypeOf, textOf } from './body.ts'
import type { FieldValidation } from './fields.ts'
import { setManaged, type WritingHost, writingOf } from './managed.ts'
import type { WriteRequest } from './write-request.ts'
import { readYaml, TooDeepError, YamlError, yamlError } from './yaml.ts'

/** Whether a patch is a server-side apply. */
export function isApply({ request, verb }: Pick<WriteRequest, 'request' | 'verb'>): boolean {
  return verb === 'patch' && patchTypeOf(request) === 'application/apply-patch+yaml'
}

/** The result of an apply to `live` (`undefined` if the object does not exist yet), with its `managedFields` and its defaults. Throws the refusal. */
export function appliedTo(
  host: WritingHost,
  write: WriteRequest,
  live: KubeObject | undefined,
  validation: FieldValidation,
): KubeObject {
  const { config, duplicates } = readConfiguration(write)
  checkKind(config, write)
  if (own(objectAt(config, 'metadata') ?? {}, 'managedFields') != null) {
    throw StatusError.badRequest('metadata.managedFields must be nil')
  }
  const { apiVersion, kind } = write.type
  const base = live ?? ({ apiVersion, kind, metadata: {} } as KubeObject)
  const object = merged(host, write, base, config as KubeObject)
  if (validation === 'Strict' && duplicates.length > 0) {
    throw StatusError.badRequest(`error strict decoding patch: error converting YAML to JSON: ${yamlError(duplicates)}`)
  }
  if (validation === 'Warn') for (const duplicate of duplicates) write.responder.warn(duplicate)
  if (write.type.custom && write.target.subresource === 'scale') checkUnchanged(base, object, config as KubeObject)
  const { uid } = object.metadata
  if (live === undefined && uid !== undefined) {
    const why = `uid mismatch: the provided object specified uid ${uid}, and no existing object was found`
    throw StatusError.conflict(write.type, write.target.name, why)
  }
  return decoded(write, object, config as KubeObject)
}

/** Refuses an apply that changes the Scale of a custom resource, because a real server can't convert such a Scale back. */
function checkUnchanged(live: KubeObject, applied: KubeObject, config: KubeObject): void {
  if (sameJson(contentOf(live), contentOf(applied))) return
  const why = `request to convert CR to an invalid group/version: ${config.apiVersion}`
  throw new StatusError(500, '', `failed to convert new object (${nameOf(config, config)}) to proper version: ${why}`)
}

/** Brings the result of an apply into the form of an object of its kind. */
function decoded(write: WriteRequest, applied: KubeObject, config: KubeObject): KubeObject {
  const { type } = write
  try {
    const { object } = asObject(applied, write, 'apply')
    // Unknown fields were refused before, and nulls are kept, so nothing is pruned.
    return type.schema === undefined ? object : (applyDefaults(type.schema.root, object) as KubeObject)
  } catch (error) {
    if (!(error instanceof DecodeError)) throw error
    const why = `unable to convert unstructured object to ${kindOf(type)}: ${error.message}`
    const message = `failed to convert new object (${nameOf(config, type)}) to proper version: ${why}`
    throw new StatusError(500, '', message)
  }
}

function merged(host: WritingHost, write: WriteRequest, live: KubeObject, config: KubeObject): KubeObject {
  const force = isTrue(write.info.query.get('force'))
  try {
    const { object, managedFields } = apply(live, config, writingOf(host, write), force)
    const next = { ...object, metadata: { ...object.metadata } }
    setManaged(next, managedFields)
    return next
  } catch (error) {
    throw error instanceof ItemError ? new StatusError(500, '', error.message) : error
  }
}

function readConfiguration({ request }: WriteRequest): { config: JsonObject; duplicates: readonly string[] } {
  try {
    const { value, duplicates } = readYaml(textOf(request.body))
    if (value === null) return { config: {}, duplicates }
    if (isObject(value)) return { config: value, duplicates }
    const why = `json: cannot unmarshal ${goKind(value)} into Go value of type map[string]interface {}`
    throw StatusError.badRequest(`error decoding patch: error unmarshaling JSON: while decoding JSON: ${why}`)
  } catch (error) {
    if (error instanceof TooDeepError) {
      throw StatusError.badRequest(`error decoding patch: error converting YAML to JSON: ${error.message}`)
    }
    throw error instanceof YamlError ? StatusError.badRequest(`error encoding patch: ${error.message}`) : error
  }
}

function checkKind(config: JsonObject, { type }: WriteRequest): void {
  const apiVersion = stringAt(config, 'apiVersion') ?? ''
  const kind = stringAt(config, 'kind') ?? ''
  if (apiVersion === type.apiVersion && kind === type.kind) return
  throw StatusError.badRequest(`invalid object type: ${kindOf({ apiVersion, kind })}`)
}
