import type { ServerRequest } from '../exchange.ts'
import { isObject, type Json, type JsonObject, sortKeys } from '../objects/json.ts'
import type { KubeObject } from '../objects/object.ts'
import type { ResourceType } from '../resources/resource-type.ts'
import type { Responder } from '../responder.ts'
import { decode } from '../schema/decode.ts'
import { duplicateFields } from '../schema/duplicates.ts'
import { goQuote } from '../schema/go-text.ts'
import { unknownMeta } from '../schema/meta-fields.ts'
import { StatusError } from '../status.ts'
import { isYaml, textOf } from './body.ts'
import { parsePatch } from './patch.ts'
import { readYaml, yamlError } from './yaml.ts'

/** What is to be done about fields that are unknown or given twice. */
export type FieldValidation = 'Ignore' | 'Warn' | 'Strict'

/**
 * Reads an object by the schema of its resource: defaults are filled in, and unknown fields go. Of those, and of fields
 * that were given twice, it is warned or, if so asked, they are refused.
 */
export function readFields(
  object: KubeObject,
  write: {
    readonly type: ResourceType
    readonly responder: Responder
    readonly request: ServerRequest
    readonly verb: string
  },
  validation: FieldValidation,
): KubeObject {
  const { type, responder, verb } = write
  const { schema } = type
  const read = schema === undefined ? { object, unknown: [] } : decode(schema.root, object)
  if (validation === 'Ignore') return read.object as KubeObject
  const unknown = schema === undefined ? [] : [...unknownMeta(object.metadata, 'metadata'), ...read.unknown]
  const text = textFindings(write)
  const fields = unknown.map(path => `unknown field "${path}"`)
  if (validation === 'Strict' && text.length + fields.length > 0) {
    const repeated = isYaml(write.request) && text.length > 0 ? [yamlError(text)] : text
    throw refusal([...repeated, ...fields], object, type, verb)
  }
  for (const finding of [...text, ...fields]) responder.warn(finding)
  return read.object as KubeObject
}

function refusal(findings: readonly string[], object: JsonObject, type: ResourceType, verb: string): StatusError {
  const why = `strict decoding error: ${findings.join(', ')}`
  if (verb !== 'patch') {
    return StatusError.badRequest(
      `${type.kind} in version "${type.version}" cannot be handled as a ${type.kind}: ${why}`,
    )
  }
  const message = `Invalid value: ${goQuote(JSON.stringify(sortKeys(object)))}: ${why}`
  return new StatusError(422, 'Invalid', ` "" is invalid: patch: ${message}`, {
    details: { causes: [{ reason: 'FieldValueInvalid', message, field: 'patch' }] },
  })
}

const operationFields = new Set(['op', 'path', 'from', 'value'])

/** What is wrong with the fields of a request's text itself, as the server words it. */
function textFindings({ request, verb }: { readonly request: ServerRequest; readonly verb: string }): string[] {
  const text = textOf(request.body)
  if (isYaml(request)) return [...readYaml(text).duplicates]
  const found = duplicateFields(text).map(path => `duplicate field "${path}"`)
  const type = request.headers['content-type'] ?? ''
  if (verb !== 'patch' || !type.startsWith('application/json-patch+json')) return found
  return [...found, ...strangeOperations(parsePatch(request.body))].map(finding => `json patch ${finding}`)
}

/** Fields of a JSON patch's operations that mean nothing there. */
function strangeOperations(patch: Json): string[] {
  if (!Array.isArray(patch)) return []
  return (patch as Json[]).flatMap((operation, i) => {
    const strange = isObject(operation) ? Object.keys(operation).filter(key => !operationFields.has(key)) : []
    return strange.map(key => `unknown field "[${i}].${key}"`)
  })
}
