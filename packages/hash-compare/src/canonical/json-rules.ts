/** Which integers are taken: plain numbers, or `bigint` too, as an exact view reads them. */
export type Integers = 'number' | 'bigint'

/** So many levels of objects and lists may be nested: more than any server takes of a schema, less than overflows a stack. */
export const maxDepth = 1000

/** Whether it is known which number this is: an integer beyond 2^53 − 1 may be the neighbour of what was read. */
export function isExactNumber(value: number): boolean {
  return Number.isSafeInteger(value) || (Number.isFinite(value) && !Number.isInteger(value))
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
