import { goQuote, isObject, type Json, sortKeys } from '@wherry/cel/internal'
import type { ServerRequest } from '../exchange.ts'
import type { KubeObject } from '../objects/object.ts'
import type { ResourceType } from '../resources/resource-type.ts'
import type { Responder } from '../responder.ts'
import { decode } from '../schema/decode.ts'
import { duplicateFields } from '../schema/duplicates.ts'
import { knownMeta, unknownMeta } from '../schema/meta-fields.ts'
import { StatusError } from '../status.ts'
import { goPlain } from '../strategic/strategic-error.ts'
import { isYaml, patchTypeOf, textOf } from './body.ts'
import { parsePatch, strategicType } from './patch.ts'
import { readYaml, yamlError } from './yaml.ts'

/** How unknown and duplicate fields are treated. */
export type FieldValidation = 'Ignore' | 'Warn' | 'Strict'

/** The parts of a request that determine the known fields of its object, and how other fields are reported. */
interface FieldsOf {
  readonly type: ResourceType
  readonly responder: Responder
  readonly request: ServerRequest
  readonly verb: string
}

/** The maximum number of unknown and duplicate fields that the decoder of JSON reports. */
const mostFindings = 100

/** Reads a custom resource by its schema: defaults are filled in, unknown fields are removed and reported. */
export function readBySchema(object: KubeObject, write: FieldsOf, validation: FieldValidation): KubeObject {
  const { schema } = write.type
  if (schema === undefined) return object
  const read = decode(schema.root, object)
  reportFields([...unknownMeta(object.metadata, 'metadata'), ...read.unknown], sortKeys(object), write, validation)
  const known = read.object as KubeObject
  return { ...known, metadata: knownMeta(known.metadata) } as KubeObject
}

/** Warns of unknown and duplicate fields of `value`, or refuses them if `validation` is strict. */
export function reportFields(
  unknown: readonly string[],
  value: Json,
  write: FieldsOf,
  validation: FieldValidation,
): void {
  if (validation === 'Ignore') return
  const text = textFindings(write, value)
  if (text.length === 0 && unknown.length === 0) return
  // The decoder of built-ins quotes the paths as Go does, and stops after a number of findings.
  const isBuiltin = write.type.schema === undefined
  const fields = unknown
    .slice(0, isBuiltin ? Math.max(0, mostFindings - text.length) : undefined)
    .map(path => `unknown field ${isBuiltin ? goQuote(path) : `"${path}"`}`)
  if (validation === 'Strict') {
    const repeated = isYaml(write.request) && text.length > 0 ? [yamlError(text)] : text
    throw refusal([...repeated, ...fields], value, write)
  }
  for (const finding of [...text, ...fields]) write.responder.warn(finding)
}

function refusal(findings: readonly string[], value: Json, { type, verb, request }: FieldsOf): StatusError {
  const why = `strict decoding error: ${findings.join(', ')}`
  if (verb !== 'patch') {
    return StatusError.badRequest(
      `${type.kind} in version "${type.version}" cannot be handled as a ${type.kind}: ${why}`,
    )
  }
  const strategic = patchTypeOf(request) === strategicType
  const shown = strategic ? goPlain(parsePatch(request.body)) : JSON.stringify(value)
  const message = `Invalid value: ${goQuote(shown)}: ${why}`
  return new StatusError(422, 'Invalid', ` "" is invalid: patch: ${message}`, {
    details: { causes: [{ reason: 'FieldValueInvalid', message, field: 'patch' }] },
  })
}

const operationFields = new Set(['op', 'path', 'from', 'value'])

/** The problems of the fields in a request's text itself, in the server's words. `value` is the parsed text, or the result of the patch. */
function textFindings(
  { request, verb }: { readonly request: ServerRequest; readonly verb: string },
  value: Json,
): string[] {
  const text = textOf(request.body)
  if (isYaml(request)) return [...readYaml(text).duplicates]
  const found = duplicateFields(text, verb === 'patch' ? undefined : value)
    .slice(0, mostFindings)
    .map(path => `duplicate field ${goQuote(path)}`)
  const type = request.headers['content-type'] ?? ''
  if (verb !== 'patch' || !type.startsWith('application/json-patch+json')) return found
  return [...found, ...strangeOperations(parsePatch(request.body))].map(finding => `json patch ${finding}`)
}

/** The unknown fields of a JSON patch's operations. */
function strangeOperations(patch: Json): string[] {
  if (!Array.isArray(patch)) return []
  return (patch as Json[]).flatMap((operation, i) => {
    const strange = isObject(operation) ? Object.keys(operation).filter(key => !operationFields.has(key)) : []
    return strange.map(key => `unknown field "[${i}].${key}"`)
  })
}
