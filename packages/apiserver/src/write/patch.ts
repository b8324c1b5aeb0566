import {
  isObject,
  isRawNumber,
  type Json,
  type JsonObject,
  mapJson,
  own,
  parseJson,
  setOwn,
} from '@wherry/cel/internal'
import { applyPatch, type Operation, Pointer } from 'rfc6902'
import type { FieldType } from '../fields/field-type.ts'
import { goKind } from '../objects/decoding.ts'
import { StatusError } from '../status.ts'
import { StrategicError } from '../strategic/strategic-error.ts'
import { strategicMerge } from '../strategic/strategic-merge.ts'
import { textOf } from './body.ts'
import { maxPatchLevels, tooDeepAt } from './depth.ts'
import { hugeNumber } from './huge-number.ts'

/**
 * Applies a merge patch (RFC 7396). No library is used, because the known libraries lose keys named `__proto__`, or throw on them. The keys of each patched
 * object are sorted, as in a real server's refusals of the result.
 */
export function mergePatch(target: Json | undefined, patch: Json): Json {
  if (!isObject(patch)) return patch
  const old: JsonObject = isObject(target) ? target : {}
  const merged: JsonObject = {}
  for (const key of [...new Set([...Object.keys(old), ...Object.keys(patch)])].sort()) {
    const [before, value] = [own(old, key), own(patch, key)]
    const after = value === undefined ? before : value === null ? undefined : mergePatch(before, value)
    if (after !== undefined) setOwn(merged, key, after)
  }
  return merged
}

/** The content type of a strategic merge patch. */
export const strategicType = 'application/strategic-merge-patch+json'

const rejected = 'the server rejected our request due to an error in our request'

/** Parses the body of a patch. A merge patch must be an object. Throws the server's 400. */
export function parsePatch(body: Uint8Array, shape?: 'object'): Json {
  const text = textOf(body)
  let patch: Json | undefined
  try {
    patch = tooDeepAt(text, maxPatchLevels) === undefined ? parseJson(text) : undefined
  } catch {}
  if (patch === undefined) throw StatusError.badRequest('invalid JSON patch')
  const huge = hugeNumber(text, shape === undefined ? 'Go struct field jsonPatchOp.value' : undefined)
  if (huge !== undefined) throw StatusError.badRequest(`error decoding patch: ${huge}`)
  if (shape === undefined || isObject(patch)) return patch
  if (patch === null) throw StatusError.badRequest('Invalid JSON Patch')
  const why = `json: cannot unmarshal ${goKind(patch)} into Go value of type map[string]interface {}`
  throw StatusError.badRequest(`error decoding patch: ${why}`)
}

/** Applies a strategic merge patch to a built-in. Throws the server's refusals. */
export function strategicPatch(target: JsonObject, body: Uint8Array, type: FieldType): JsonObject {
  const patch = readStrategic(body)
  if (patch === null) return target
  try {
    return strategicMerge(target, patch, type)
  } catch (error) {
    if (!(error instanceof StrategicError)) throw error
    if (error.code === 400) throw StatusError.badRequest(error.message)
    if (error.code === 422) throw unprocessable()
    throw new StatusError(500, '', error.message)
  }
}

function readStrategic(body: Uint8Array): JsonObject | null {
  const huge = hugeNumber(textOf(body))
  if (huge !== undefined) throw StatusError.badRequest(huge)
  const patch = parsePatch(body)
  if (patch === null || isObject(patch)) return patch
  const why = `json: cannot unmarshal ${goKind(patch)} into Go value of type map[string]interface {}`
  throw StatusError.badRequest(why)
}

/** The maximum number of operations in a JSON patch. */
const maxOperations = 10_000

/** Applies a JSON patch (RFC 6902). Throws the server's 422 if the patch does not apply, 400 if it is no JSON patch, and 413 for too many operations. */
export function jsonPatch(target: JsonObject, patch: Json): JsonObject {
  if (!Array.isArray(patch)) {
    throw StatusError.badRequest(
      `error decoding patch: json: cannot unmarshal ${goKind(patch)} into Go value of type []handlers.jsonPatchOp`,
    )
  }
  const strange = (patch as Json[]).find(operation => operation !== null && !isObject(operation))
  if (strange !== undefined) {
    const why = `json: cannot unmarshal ${goKind(strange)} into Go value of type handlers.jsonPatchOp`
    throw StatusError.badRequest(`error decoding patch: ${why}`)
  }
  for (const operation of patch as (JsonObject | null)[]) checkOperation(operation ?? {})
  if (patch.length > maxOperations) {
    const why = `The allowed maximum operations in a JSON patch is ${maxOperations}, got ${patch.length}`
    throw new StatusError(413, 'RequestEntityTooLarge', `Request entity too large: ${why}`)
  }
  const document = armour(target) as JsonObject
  const operations = armour(patch) as unknown as Operation[]
  for (const operation of operations) {
    const copy = { ...(operation as object) } as { op: string; path: string; from?: string; value?: unknown }
    if (copy.op === 'move' || copy.op === 'copy') copy.from = withIndices(document, copy.from as string, false)
    if (copy.op === 'move') {
      // In two steps, because the index of the target counts in the list without the item.
      const { value } = Pointer.fromJSON(copy.from as string).evaluate(document)
      if (applyPatch(document, [{ op: 'remove', path: copy.from as string }])[0] !== null) throw unprocessable()
      Object.assign(copy, { op: 'add', value })
    }
    copy.path = withIndices(document, copy.path, copy.op === 'add' || copy.op === 'copy')
    // The server's library treats an absent field of an existing object as null, which can be copied and replaced.
    if (copy.op === 'copy' && isMissing(document, copy.from ?? '')) Object.assign(copy, { op: 'add', value: null })
    if (isMissing(document, copy.path)) {
      if (copy.op === 'replace') copy.op = 'add'
      if (copy.op === 'test' && copy.value === null) continue
    }
    if (applyPatch(document, [copy as unknown as Operation])[0] !== null) throw unprocessable()
  }
  const patched = disarm(document)
  if (!isObject(patched)) throw unprocessable()
  const touched: Touched = new Map()
  for (const { path, from = '' } of operations as { path: string; from?: string }[]) {
    touch(touched, path)
    touch(touched, from)
  }
  return inOrder(patched, touched)
}

/** The keys on the paths of a patch, as a tree. */
interface Touched extends Map<string, Touched> {}

function touch(touched: Touched, pointer: string): void {
  let at = touched
  for (const part of pointer.split('/').slice(1)) {
    const key = part.replaceAll('~1', '/').replaceAll('~0', '~')
    const below: Touched = at.get(key) ?? new Map()
    at.set(key, below)
    at = below
  }
}

/** Sorts the keys of all objects on the patch's paths, as in a real server's refusals of the result. */
function inOrder(object: JsonObject, touched: Touched): JsonObject {
  const ordered: JsonObject = {}
  for (const key of Object.keys(object).sort()) {
    const value = object[key] as Json
    const below = touched.get(key)
    setOwn(ordered, key, below !== undefined && below.size > 0 && isObject(value) ? inOrder(value, below) : value)
  }
  return ordered
}

function isMissing(document: JsonObject, path: string): boolean {
  const { parent, value } = Pointer.fromJSON(path).evaluate(document)
  return value === undefined && isObject(parent)
}

/** Refuses an operation with the server's 400 if a field has another type, and with its 422 if it lacks a path. */
function checkOperation(operation: JsonObject): void {
  for (const field of ['op', 'path', 'from']) {
    const value = own(operation, field) ?? ''
    if (typeof value === 'string') continue
    const why = `json: cannot unmarshal ${goKind(value)} into Go struct field jsonPatchOp.${field} of type string`
    throw StatusError.badRequest(`error decoding patch: ${why}`)
  }
  const { op, path, from } = operation
  if (!isPointer(path) || ((op === 'move' || op === 'copy') && !isPointer(from))) throw unprocessable()
}

function isPointer(path: Json | undefined): boolean {
  return typeof path === 'string' && (path === '' || path.startsWith('/'))
}

/**
 * The path in the armoured document, with the indices of lists as the patch library takes them: a real server counts negative ones from the end. `adds`: whether
 * the operation adds an item. Throws the server's 422 for an index that the list does not have.
 */
function withIndices(document: JsonObject, path: string, adds: boolean): string {
  let value: Json | undefined = document
  const parts = path.split('/').map(disguised)
  for (const [i, part] of parts.entries()) {
    if (i === 0) continue
    if (!Array.isArray(value)) {
      value = isObject(value) ? own(value, part.replaceAll('~1', '/').replaceAll('~0', '~')) : undefined
      continue
    }
    const isNew = adds && i === parts.length - 1
    if (isNew && part === '-') break
    const size = value.length + Number(isNew)
    const given = /^[-+]?\d+$/.test(part) ? Number(part) : Number.NaN
    const index = given < 0 ? given + size : given
    if (!(index >= 0 && index < size)) throw unprocessable()
    parts[i] = `${index}`
    value = (value as Json[])[index]
  }
  return parts.join('/')
}

function unprocessable(): StatusError {
  return new StatusError(422, 'Invalid', rejected, { details: {} })
}

/**
 * The patch library skips `__proto__`, `constructor` and `prototype` in paths, finds keys such as `toString` in every object, and does not copy raw integers
 * correctly, so all of these are disguised for it.
 */
const keyPrefix = '\u0000key:'
const rawPrefix = '\u0000integer:'

function armour(value: Json): Json {
  return mapJson(value, disguised, leaf => (isRawNumber(leaf) ? rawPrefix + leaf.rawJSON : leaf))
}

function disguised(key: string): string {
  return key === 'prototype' || key in Object.prototype ? keyPrefix + key : key
}

function disarm(value: Json): Json {
  return mapJson(
    value,
    key => (key.startsWith(keyPrefix) ? key.slice(keyPrefix.length) : key),
    leaf => (typeof leaf === 'string' && leaf.startsWith(rawPrefix) ? parseJson(leaf.slice(rawPrefix.length)) : leaf),
  )
}
