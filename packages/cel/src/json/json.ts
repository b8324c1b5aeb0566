import { randomUUID } from 'node:crypto'

/** A value of JSON. An integer beyond 2^53 − 1 keeps all its digits as a {@link RawNumber}. */
export type Json = null | boolean | number | string | readonly Json[] | JsonObject | RawNumber
/** A JSON object. Any key is data, `__proto__` included. */
export interface JsonObject {
  [key: string]: Json | undefined
}
/** The result of `JSON.rawJSON`: `JSON.stringify` prints it as it was read. */
export interface RawNumber {
  readonly rawJSON: string
}

const native = JSON as typeof JSON & {
  rawJSON(text: string): RawNumber
  isRawJSON(value: unknown): value is RawNumber
}

/**
 * A number that begins with sixteen digits, and so may not fit a double. A match within a string only costs time. The character before the digits rules out
 * fractions and most strings, such as hashes.
 */
const longDigits = /(?:^|[:,[\s])-?\d{16}/

/** Parses JSON without altering any integer. Throws a `SyntaxError` as `JSON.parse` does. */
export function parseJson(text: string): Json {
  if (!longDigits.test(text)) return JSON.parse(text) as Json
  try {
    return JSON.parse(text, function keep(this: unknown, _key: string, value: unknown, context?: { source?: string }) {
      const source = typeof value === 'number' ? context?.source : undefined
      return source !== undefined && isLong(source) ? native.rawJSON(source) : value
    } as (key: string, value: unknown) => unknown) as Json
  } catch (error) {
    // `JSON.parse` with a function recurses into each level of the text.
    if (error instanceof RangeError) return parseDeep(text)
    throw error
  }
}

function isLong(source: string): boolean {
  return /^-?[1-9]\d*$/.test(source) && !Number.isSafeInteger(Number(source))
}

/** The strings and the numbers of a JSON text. */
const tokens = /"[^"\\]*(?:\\.[^"\\]*)*"|-?\d[\d.eE+-]*/g

/** As {@link parseJson}, for a text of any depth: long integers are parsed as marked strings, which are then replaced one by one. */
function parseDeep(text: string): Json {
  const mark = randomUUID()
  const root = { '': JSON.parse(text.replace(tokens, token => (isLong(token) ? `"${mark}${token}"` : token))) as Json }
  const holders: JsonObject[] = [root]
  for (let holder = holders.pop(); holder !== undefined; holder = holders.pop()) {
    for (const [key, held] of Object.entries(holder)) {
      if (typeof held === 'object' && held !== null) holders.push(held as JsonObject)
      else if (typeof held === 'string' && held.startsWith(mark)) {
        setOwn(holder, key, native.rawJSON(held.slice(mark.length)))
      }
    }
  }
  return root['']
}

/** Whether `value` is an integer that keeps all its digits. */
export function isRawNumber(value: unknown): value is RawNumber {
  return native.isRawJSON(value)
}

/** Whether `value` is a JSON object: not an array, not null, not a {@link RawNumber}. */
export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !isRawNumber(value)
}

/** The object at `key` of `parent`, or `undefined` if there is none. */
export function objectAt(parent: JsonObject | undefined, key: string): JsonObject | undefined {
  const value = parent === undefined ? undefined : own(parent, key)
  return isObject(value) ? value : undefined
}

/** The objects in the list at `key` of `parent`; empty if there is no list. */
export function objectsAt(parent: JsonObject | undefined, key: string): JsonObject[] {
  const list = parent === undefined ? undefined : own(parent, key)
  return Array.isArray(list) ? (list as Json[]).filter(isObject) : []
}

/** The strings in the list at `key` of `parent`; empty if there is no list. */
export function stringsAt(parent: JsonObject | undefined, key: string): string[] {
  const list = parent === undefined ? undefined : own(parent, key)
  return Array.isArray(list) ? (list as Json[]).filter(one => typeof one === 'string') : []
}

/** The string at `key` of `parent`, or `undefined` if there is none. */
export function stringAt(parent: JsonObject | undefined, key: string): string | undefined {
  const value = parent === undefined ? undefined : own(parent, key)
  return typeof value === 'string' ? value : undefined
}

/** An object's own property, never a property of `Object.prototype`. A table must be read by it if users choose the key. */
export function own<T = Json>(object: Readonly<Record<string, T>>, key: string): T | undefined {
  return Object.hasOwn(object, key) ? object[key] : undefined
}

/** Sets an own property with any name: `__proto__` is an ordinary key. */
export function setOwn(object: JsonObject, key: string, value: Json): void {
  if (key === '__proto__') {
    Object.defineProperty(object, key, { value, enumerable: true, configurable: true, writable: true })
  } else {
    object[key] = value
  }
}

/** A deep copy in which every key is replaced by the result of `key`, and every leaf (null, boolean, number, string, {@link RawNumber}) by the result of `leaf`. */
export function mapJson(value: Json | undefined, key: (name: string) => string, leaf: (value: Json) => Json): Json {
  if (Array.isArray(value)) return value.map(item => mapJson(item as Json, key, leaf))
  if (!isObject(value)) return leaf(value as Json)
  const copy: JsonObject = {}
  for (const name of Object.keys(value)) {
    const item = value[name]
    if (item !== undefined) setOwn(copy, key(name), mapJson(item, key, leaf))
  }
  return copy
}

/** A deep copy. */
export function copyJson<T extends Json>(value: T): T {
  return mapJson(value, same, same) as T
}

const same = <T>(value: T): T => value

/** The same value with the keys of every object in order, as Go prints maps. */
export function sortKeys(value: Json): Json {
  if (Array.isArray(value)) {
    // No callback: a server accepts 10,000 levels, and each function call needs room on the stack.
    const items: Json[] = []
    for (const item of value) items.push(sortKeys(item as Json))
    return items
  }
  if (!isObject(value)) return value
  const sorted: JsonObject = {}
  for (const name of Object.keys(value).sort()) {
    const item = value[name]
    if (item !== undefined) setOwn(sorted, name, sortKeys(item))
  }
  return sorted
}

/** Whether two values are the same JSON. The order of keys does not count. */
export function sameJson(a: Json | undefined, b: Json | undefined): boolean {
  if (a === b) return true
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return false
  if (isRawNumber(a) || isRawNumber(b)) return isRawNumber(a) && isRawNumber(b) && a.rawJSON === b.rawJSON
  if (Array.isArray(a) || Array.isArray(b)) {
    if (!Array.isArray(a) || !Array.isArray(b) || a.length !== b.length) return false
    return a.every((item, i) => sameJson(item as Json, b[i] as Json))
  }
  let count = 0
  for (const key of Object.keys(b)) if ((b as JsonObject)[key] !== undefined) count++
  for (const key of Object.keys(a)) {
    const value = (a as JsonObject)[key]
    if (value === undefined) continue
    if (!Object.hasOwn(b, key) || !sameJson(value, (b as JsonObject)[key])) return false
    count--
  }
  return count === 0
}
