import { isObject, type Json, type JsonObject, own, sameJson, setOwn } from '@wherry/cel/internal'
import { atomic, type FieldType, fieldOf } from '../fields/field-type.ts'
import { indexOf, keyOf, type MergeKey, ordered } from './list-order.ts'
import { goPlain, StrategicError } from './strategic-error.ts'

const directive = '$patch'
const retainKeys = '$retainKeys'
const deleteFromList = '$deleteFromPrimitiveList'
const setElementOrder = '$setElementOrder'

/**
 * A strategic merge patch: maps are merged, lists are merged or replaced as `type` says, and the directives in the patch are carried out. Throws a {@link
 * StrategicError}.
 *
 * https://github.com/kubernetes/community/blob/master/contributors/devel/sig-api-machinery/strategic-merge-patch.md
 */
export function strategicMerge(original: JsonObject, patch: JsonObject, type: FieldType): JsonObject {
  const said = own(patch, directive)
  if (said === 'replace') return asDecoded(patch) as JsonObject
  if (said === 'delete') return {}
  if (said !== undefined) throw StrategicError.unknownDirective(said, patch)
  const merged = retained(original, patch)
  const rest = reordered(merged, patch, type)
  for (const key of Object.keys(rest)) {
    if (key === retainKeys) continue
    const deletes = key.startsWith(deleteFromList)
    mergeField(merged, deletes ? listNamed(key, deleteFromList) : key, rest[key] as Json, deletes, type)
  }
  return merged
}

/** Merges a field of a patch into `merged`. */
function mergeField(merged: JsonObject, name: string, value: Json, deletes: boolean, type: FieldType): void {
  if (value === null) {
    delete merged[name]
    return
  }
  const old = own(merged, name)
  const of = fieldOf(type, name) ?? atomic
  if (old === undefined || !sameForm(old, value)) {
    if (!deletes) put(merged, name, value)
  } else if (isObject(value)) setOwn(merged, name, strategicMerge(old as JsonObject, value, of))
  else if (Array.isArray(value)) setOwn(merged, name, mergeLists(old as Json[], value as Json[], of, deletes))
  else put(merged, name, value)
}

/** Sets a value of a patch, without nulls and directives. A map with only a directive is left out. */
function put(merged: JsonObject, name: string, value: Json): void {
  const plain = withoutDirectives(value)
  if (plain === undefined) delete merged[name]
  else setOwn(merged, name, plain)
}

function withoutDirectives(value: Json): Json | undefined {
  if (Array.isArray(value)) {
    return value.map(item => withoutDirectives(item as Json)).filter(item => item !== undefined)
  }
  if (!isObject(value)) return value
  if (own(value, directive) !== undefined) return undefined
  const plain: JsonObject = {}
  for (const key of Object.keys(value)) {
    const item = value[key]
    if (item === null || item === undefined || key.startsWith('$')) continue
    const kept = withoutDirectives(item)
    if (kept !== undefined) setOwn(plain, key, kept)
  }
  return plain
}

/** Decodes a value that replaces another as a whole. The types of built-ins drop nulls, and treat directives as unknown fields. */
function asDecoded(value: Json): Json {
  if (Array.isArray(value)) return value.map(item => asDecoded(item as Json))
  if (!isObject(value)) return value
  const decoded: JsonObject = {}
  for (const key of Object.keys(value)) {
    const item = value[key]
    if (item !== null && item !== undefined && !key.startsWith('$')) setOwn(decoded, key, asDecoded(item))
  }
  return decoded
}

/** A copy of `original`, with only the fields that the patch retains. */
function retained(original: JsonObject, patch: JsonObject): JsonObject {
  const keys = own(patch, retainKeys)
  if (keys === undefined) return { ...original }
  if (!Array.isArray(keys)) throw StrategicError.badList('retainKeys')
  const names = new Set(keys as Json[])
  for (const [key, value] of Object.entries(patch)) {
    const isOrder = key.startsWith(deleteFromList) || key.startsWith(setElementOrder)
    if (key === retainKeys || value === null || isOrder || names.has(key)) continue
    throw StrategicError.badList('retainKeys')
  }
  const kept: JsonObject = {}
  for (const [key, value] of Object.entries(original)) if (names.has(key)) setOwn(kept, key, value as Json)
  return kept
}

/** Merges the lists that the patch orders into `merged`. Returns the rest of the patch. */
function reordered(merged: JsonObject, patch: JsonObject, type: FieldType): JsonObject {
  const rest = { ...patch }
  for (const key of Object.keys(patch)) {
    if (!key.startsWith(setElementOrder)) continue
    const order = patch[key] as Json
    if (!Array.isArray(order))
      throw new StrategicError(500, `expected a []interface {}, but received a ${goType(order)}`)
    const name = listNamed(key, setElementOrder)
    delete rest[key]
    const of = fieldOf(type, name) ?? atomic
    const mergeKey = of.patch.key
    const old = listOrNone(own(merged, name))
    const given = listOrNone(own(patch, name))
    if (given !== undefined) checkOrder(given, order as Json[], mergeKey)
    if (old === undefined && given === undefined) continue
    const both =
      given === undefined
        ? (old as Json[])
        : old === undefined
          ? (withoutDirectives(given as Json) as Json[])
          : mergeLists(old, given, of, false)
    setOwn(merged, name, ordered(both, order as Json[], old ?? [], mergeKey))
    delete rest[name]
  }
  return rest
}

function listOrNone(value: Json | undefined): readonly Json[] | undefined {
  if (value === undefined || Array.isArray(value)) return value as readonly Json[] | undefined
  throw new StrategicError(500, `expected a []interface {}, but received a ${goType(value)}`)
}

/** Refuses a patch if its items are not in the order that its directive lists. */
function checkOrder(given: readonly Json[], order: readonly Json[], key: MergeKey): void {
  const items = given.filter(item => !isObject(item) || own(item, directive) === undefined)
  let at = 0
  for (const place of order) {
    if (at === items.length) return
    if (sameJson(keyOf(items[at] as Json, key), keyOf(place, key))) at++
  }
  if (at === items.length || order.length === 0) return
  throw new StrategicError(
    500,
    `The order in patch list:\n${goPlain(given as Json)}\n doesn't match ${setElementOrder} list:\n${goPlain(order as Json)}\n`,
  )
}

function mergeLists(original: readonly Json[], patch: readonly Json[], type: FieldType, deletes: boolean): Json[] {
  if (!deletes && !type.patch.merges) return asDecoded(patch as Json) as Json[]
  if (original.length === 0 && patch.length === 0) return [...original]
  checkForms([...original, ...patch], original, patch)
  if (!isObject((original[0] ?? patch[0]) as Json)) {
    if (deletes) return original.filter(item => indexOf(patch, item, '') === -1)
    const all = [...original, ...patch].filter((item, i, both) => indexOf(both, item, '') === i)
    return ordered(all, patch, original, '')
  }
  const { key } = type.patch
  if (key === '') throw new StrategicError(500, 'cannot merge lists without merge key for struct')
  const { left, items } = withDirectives(original, patch, key)
  const merged = [...left]
  for (const item of items) {
    const at = indexOf(merged, keyOf(item, key), key)
    if (at === -1) merged.push(asDecoded(item))
    else merged[at] = strategicMerge(merged[at] as JsonObject, item as JsonObject, type.items ?? atomic)
  }
  return ordered(merged, items, left, key)
}

/** Carries out the directives among the items of a patch. */
function withDirectives(
  original: readonly Json[],
  patch: readonly Json[],
  key: MergeKey,
): { left: readonly Json[]; items: readonly Json[] } {
  const items: Json[] = []
  let left = original
  let replaces = false
  for (const item of patch) {
    const said = own(item as JsonObject, directive)
    if (said === undefined) items.push(item)
    else if (said === 'replace') replaces = true
    else if (said === 'delete') {
      const gone = keyOf(item, key)
      left = left.filter(one => !sameJson(own(one as JsonObject, key), gone))
    } else if (said === 'merge') throw new StrategicError(500, 'merging lists cannot yet be specified in the patch')
    else throw StrategicError.unknownDirective(said, item)
  }
  return replaces ? { left: items.map(asDecoded), items: [] } : { left, items }
}

function checkForms(all: readonly Json[], original: readonly Json[], patch: readonly Json[]): void {
  const [first] = all
  if (Array.isArray(first)) throw new StrategicError(422, 'lists of lists are not supported')
  if (all.every(item => goType(item) === goType(first as Json))) return
  throw new StrategicError(500, `list element types are not identical: ${goPlain([original, patch] as Json)}`)
}

function listNamed(key: string, prefix: string): string {
  const slash = key.indexOf('/')
  if (slash !== -1 && key.slice(0, slash) === prefix) return key.slice(slash + 1)
  throw StrategicError.badList(prefix === deleteFromList ? 'primitive list' : 'setElementOrder list')
}

function sameForm(a: Json, b: Json): boolean {
  return isObject(a) === isObject(b) && Array.isArray(a) === Array.isArray(b)
}

function goType(value: Json): string {
  if (Array.isArray(value)) return '[]interface {}'
  if (isObject(value)) return 'map[string]interface {}'
  if (typeof value === 'string') return 'string'
  return typeof value === 'boolean' ? 'bool' : Number.isInteger(value) ? 'int64' : 'float64'
}
