/** The accepted integers: plain numbers, or also `bigint`, which an exact view returns. */
export type Integers = 'number' | 'bigint'

/** The maximum number of nested levels of objects and lists: more than a server accepts in a schema, and fewer than overflow the stack. */
export const maxDepth = 1000

/** Whether a number is exact. An integer beyond 2^53 − 1 may have been rounded when it was read. */
export function isExactNumber(value: number): boolean {
  return Number.isSafeInteger(value) || (Number.isFinite(value) && !Number.isInteger(value))
}

/**
 * Whether `value` is an object such as `JSON.parse` returns, or has no prototype. Only own members are hashed, but a Date, a Map or an
 * object of a class may have other data.
 */
export function isPlainObject(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value)
  return prototype === Object.prototype || prototype === null || isForeignObjectPrototype(prototype as object)
}

/** Whether an object is the `Object.prototype` of another realm, such as that of a test runner or a `vm` context. */
function isForeignObjectPrototype(prototype: object): boolean {
  return Object.getPrototypeOf(prototype) === null && Object.hasOwn(prototype, 'isPrototypeOf')
}
