import { isObject, type Json, setOwn } from '@wherry/cel/internal'

/** Thrown if JSON can't be an object of its type. The message is the decoder's, without the words that callers add. */
export class DecodeError extends Error {}

/** Go's name of the kind of a JSON value. */
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

/** The decoder's error about a value of another type than its field. */
export function unmarshal(value: Json | undefined, field: string, goType: string): DecodeError {
  return new DecodeError(`json: cannot unmarshal ${goKind(value)} into Go struct field ${field} of type ${goType}`)
}

const base64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/

/** The decoder's message about a text that is no base64, line breaks aside; `undefined` if it is base64. */
export function base64Problem(given: string): string | undefined {
  const text = given.replaceAll(/[\r\n]/g, '')
  if (base64.test(text)) return undefined
  const at = text.search(/[^A-Za-z0-9+/]/)
  return `illegal base64 data at input byte ${at === -1 ? text.length - (text.length % 4) : at}`
}

/** Compares the entries of a map by their keys, for the order in which Go prints them. */
export function byKey([a]: readonly [string, unknown], [b]: readonly [string, unknown]): number {
  return a < b ? -1 : a > b ? 1 : 0
}

/** A map of texts as Go reads and prints it: `null` is an empty text, other values that are no texts are refused, and keys are in order. */
export function stringMap(value: Json | undefined, field: string, goType: string): { [key: string]: string } {
  if (!isObject(value)) throw unmarshal(value, field, goType)
  const keys = Object.keys(value)
  if (keys.length > 1) keys.sort()
  const map: { [key: string]: string } = {}
  for (const key of keys) {
    const item = value[key]
    if (item !== null && typeof item !== 'string') throw unmarshal(item, field, 'string')
    setOwn(map, key, item ?? '')
  }
  return map
}

/** The message of Go's parser about a text that is no JSON, as far as it can be derived from V8's message. */
export function syntaxProblem({ message }: Error): string {
  if (/end of JSON input|Unterminated/.test(message)) return 'unexpected end of JSON input'
  const character = /Unexpected token '(.)'/su.exec(message)?.[1] ?? '?'
  return `invalid character '${character}' looking for beginning of value`
}
