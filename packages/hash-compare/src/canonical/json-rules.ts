/** Which integers are taken: plain numbers, or `bigint` beside them, as an exact view reads them. */
export type Integers = 'number' | 'bigint'

/** So many levels of objects and lists may be nested: more than any server takes of a schema, less than overflows a stack. */
export const maxDepth = 1000

/** Whether JSON says exactly this number. From 1e21 on it prints an exponent: that is a float, no integer of 64 bits. */
export function isExactNumber(value: number): boolean {
  if (Number.isSafeInteger(value)) return true
  return Number.isFinite(value) && (!Number.isInteger(value) || Math.abs(value) >= 1e21)
}

/**
 * Whether `value` is an object as `JSON.parse` makes it, or has no prototype. A Date, a Map or an object of a class may
 * mean more than its own members, which are all that would be hashed.
 */
export function isPlainObject(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value)
  return prototype === Object.prototype || prototype === null || isForeignObjectPrototype(prototype as object)
}

/** The `Object.prototype` of another realm, such as a test runner's or a `vm` context's. */
function isForeignObjectPrototype(prototype: object): boolean {
  return Object.getPrototypeOf(prototype) === null && Object.hasOwn(prototype, 'isPrototypeOf')
}
