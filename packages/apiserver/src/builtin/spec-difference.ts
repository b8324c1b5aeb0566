import { isObject, type Json, type JsonObject, own, sameJson } from '@wherry/cel/internal'
import type { StatusCause } from '../status.ts'

/** The cause of a change that is not allowed. */
export function forbidden(field: string, why: string): StatusCause {
  return { reason: 'FieldValueForbidden', message: `Forbidden: ${why}`, field }
}

/** A refusal that lists the old and the new value of each field that differs, each on its own line. A real server prints a diff of its own types instead. */
export function withDifference(why: string, before: JsonObject, now: JsonObject): string {
  return [why, ...differences(before, now, '')].join('\n')
}

function differences(before: Json | undefined, now: Json | undefined, path: string): string[] {
  if (sameJson(before, now)) return []
  if (isObject(before) && isObject(now)) {
    const names = [...new Set([...Object.keys(before), ...Object.keys(now)])]
    return names.flatMap(name => differences(own(before, name), own(now, name), path === '' ? name : `${path}.${name}`))
  }
  if (Array.isArray(before) && Array.isArray(now) && before.length === now.length) {
    return before.flatMap((item, i) => differences(item as Json, now[i] as Json, `${path}[${i}]`))
  }
  const line = (sign: string, value: Json | undefined): string[] =>
    value === undefined ? [] : [`${sign} ${path}: ${JSON.stringify(value)}`]
  return [...line('-', before), ...line('+', now)]
}
