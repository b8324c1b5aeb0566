import { applyPatch, type Operation } from 'rfc6902'
import { isObject, isRawNumber, type Json, type JsonObject, mapJson, own, parseJson, setOwn } from '../objects/json.ts'
import { StatusError } from '../status.ts'

/** A merge patch (RFC 7396). Ours and not a library's: those we know lose keys named `__proto__`, or throw on them. */
export function mergePatch(target: Json | undefined, patch: Json): Json {
  if (!isObject(patch)) return patch
  const merged: JsonObject = isObject(target) ? { ...target } : {}
  for (const key of Object.keys(patch)) {
    const value = patch[key]
    if (value === undefined) continue
    if (value === null) delete merged[key]
    else setOwn(merged, key, mergePatch(own(merged, key), value))
  }
  return merged
}

const rejected = 'the server rejected our request due to an error in our request'

/** A JSON patch (RFC 6902). Throws the server's 422 for one that does not apply, 400 for one that is none. */
export function jsonPatch(target: JsonObject, patch: Json): JsonObject {
  if (!Array.isArray(patch)) {
    throw StatusError.badRequest('error decoding patch: json: cannot unmarshal into Go value of type jsonpatch.Patch')
  }
  const document = armour(target) as JsonObject
  const operations = armour(patch) as unknown as Operation[]
  for (const operation of operations) {
    const { op, path, from } = operation as { op?: unknown; path?: unknown; from?: unknown }
    const moves = op === 'move' || op === 'copy'
    if (typeof path !== 'string' || (moves && typeof from !== 'string')) throw unprocessable()
    if (path !== '' && !path.startsWith('/')) throw unprocessable()
  }
  const results = applyPatch(
    document,
    operations.map(operation => {
      const copy = { ...(operation as object) } as { path: string; from?: string }
      copy.path = armourPath(copy.path)
      if (copy.from !== undefined) copy.from = armourPath(copy.from)
      return copy as unknown as Operation
    }),
  )
  if (results.some(result => result !== null)) throw unprocessable()
  const patched = disarm(document)
  if (!isObject(patched)) throw unprocessable()
  return patched
}

function unprocessable(): StatusError {
  return new StatusError(422, 'Invalid', rejected, { details: {} })
}

/**
 * The patch library takes `__proto__` for the prototype and copies kept integers apart, so both go
 * through it in disguise.
 */
const protoKey = '\u0000__proto__'
const rawPrefix = '\u0000integer:'

function armour(value: Json): Json {
  return mapJson(
    value,
    key => (key === '__proto__' ? protoKey : key),
    leaf => (isRawNumber(leaf) ? rawPrefix + leaf.rawJSON : leaf),
  )
}

function armourPath(path: string): string {
  return path.replace(/(^|\/)__proto__(?=\/|$)/g, `$1${protoKey}`)
}

function disarm(value: Json): Json {
  return mapJson(
    value,
    key => (key === protoKey ? '__proto__' : key),
    leaf => (typeof leaf === 'string' && leaf.startsWith(rawPrefix) ? parseJson(leaf.slice(rawPrefix.length)) : leaf),
  )
}
