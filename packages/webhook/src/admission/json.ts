import { InvalidAnswerError } from '../errors.ts'

/** A JSON pointer (RFC 6901) with one more token. */
export function pointer(parent: string, key: string | number): string {
  return `${parent}/${`${key}`.replaceAll('~', '~0').replaceAll('/', '~1')}`
}

/** Whether a value has fields by name. */
export function isFields(value: unknown): value is Readonly<Record<string, unknown>> {
  return value !== null && typeof value === 'object' && !Array.isArray(value)
}

/** The names of the fields that are not undefined, as in JSON. `__proto__` is left out, because a copy of an object loses a field of that name. */
export function fieldsOf(value: Readonly<Record<string, unknown>>): string[] {
  return Object.keys(value).filter(key => value[key] !== undefined && key !== '__proto__')
}

/** Whether two values are the same JSON. */
export function isSameJson(one: unknown, other: unknown): boolean {
  if (one === other) return true
  if (Array.isArray(one))
    return Array.isArray(other) && one.length === other.length && one.every((item, at) => isSameJson(item, other[at]))
  if (!isFields(one) || !isFields(other)) return false
  const fields = fieldsOf(one)
  return fields.length === fieldsOf(other).length && fields.every(key => isSameJson(one[key], other[key]))
}

/** Checks that a value and all values in it can be written as JSON. @throws InvalidAnswerError with the path of a value that can't */
export function checkJson(value: unknown, path: string): void {
  if (value === null || typeof value === 'string' || typeof value === 'boolean') return
  if (typeof value === 'number' && Number.isFinite(value)) return
  if (Array.isArray(value)) {
    for (const [at, item] of value.entries()) checkJson(item, pointer(path, at))
    return
  }
  const prototype: unknown = typeof value === 'object' ? Object.getPrototypeOf(value) : undefined
  if (!isFields(value) || (prototype !== Object.prototype && prototype !== null)) throw notJson(value, path)
  for (const key of fieldsOf(value)) checkJson(value[key], pointer(path, key))
}

function notJson(value: unknown, path: string): InvalidAnswerError {
  const what =
    typeof value === 'object' ? 'an object of a class' : typeof value === 'number' ? `${value}` : typeof value
  return new InvalidAnswerError('NOT_JSON', path, `the handler set ${path} to a value that JSON does not have: ${what}`)
}
