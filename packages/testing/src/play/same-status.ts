import { isObject, type Json, type JsonObject, sameJson } from '@wherry/cel/internal'

/** Whether two statuses are equal, apart from zero values, which a server leaves out. */
export function sameStatus(one: Json | undefined, other: Json | undefined): boolean {
  return sameJson(withoutZeros(one), withoutZeros(other))
}

function withoutZeros(value: Json | undefined): Json | undefined {
  if (Array.isArray(value)) return value.length === 0 ? undefined : value.map(one => withoutZeros(one) ?? {})
  if (!isObject(value)) return value === 0 || value === '' || value === false || value === null ? undefined : value
  const left: JsonObject = {}
  for (const [key, one] of Object.entries(value)) {
    const kept = withoutZeros(one)
    if (kept !== undefined) left[key] = kept
  }
  return Object.keys(left).length === 0 ? undefined : left
}
