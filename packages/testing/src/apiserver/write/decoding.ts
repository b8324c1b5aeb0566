import { isObject, type Json } from '../objects/json.ts'

/** Why JSON can't be an object of its type: what decoding says, without what the caller puts around it. */
export class DecodeError extends Error {}

/** What Go calls a JSON value. */
export function goKind(value: Json | undefined): string {
  if (Array.isArray(value)) return 'array'
  return typeof value === 'boolean'
    ? 'bool'
    : isObject(value)
      ? 'object'
      : typeof value === 'string'
        ? 'string'
        : 'number'
}

/** What decoding says of a value of another type than its field. */
export function unmarshal(value: Json | undefined, field: string, goType: string): DecodeError {
  return new DecodeError(`json: cannot unmarshal ${goKind(value)} into Go struct field ${field} of type ${goType}`)
}

/** A map of texts as Go reads it: `null` is an empty text, and all else than texts is refused. */
export function stringMap(value: Json | undefined, field: string, goType: string): { [key: string]: string } {
  if (!isObject(value)) throw unmarshal(value, field, goType)
  const map: [string, string][] = Object.entries(value).map(([key, item]) => {
    if (item !== null && typeof item !== 'string') throw unmarshal(item, field, 'string')
    return [key, item ?? '']
  })
  return Object.fromEntries(map)
}
