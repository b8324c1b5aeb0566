/**
 * Checks of values that somebody else has written. Each error names the path of the wrong value, and what it must be:
 * `spec.installModes[0].supported must be true or false, and is 7`.
 */

type Fields = Readonly<Record<string, Shape>>

/** Checks a value; `at` is its path. @throws Error */
export type Shape = (value: unknown, at: string) => void

export const text: Shape = (value, at) => {
  if (typeof value !== 'string' || value === '') throw wrong(at, 'text that is not empty', value)
}

export const anyText: Shape = (value, at) => {
  if (typeof value !== 'string') throw wrong(at, 'text', value)
}

export const bool: Shape = (value, at) => {
  if (typeof value !== 'boolean') throw wrong(at, 'true or false', value)
}

export const anyObject: Shape = (value, at) => {
  if (!isObject(value)) throw wrong(at, 'an object', value)
}

/** A value that may be left out. YAML has null for a key without a value: that is the same. */
export function optional(shape: Shape): Shape {
  return (value, at) => {
    if (value !== undefined && value !== null) shape(value, at)
  }
}

export function list(of: Shape): Shape {
  return (value, at) => {
    if (!Array.isArray(value)) throw wrong(at, 'a list', value)
    value.forEach((one, index) => {
      of(one, `${at}[${index}]`)
    })
  }
}

/** An object with values of one shape. */
export function map(of: Shape): Shape {
  return (value, at) => {
    anyObject(value, at)
    for (const [key, one] of Object.entries(value as object)) of(one, `${at}.${key}`)
  }
}

/** An object with these fields, and any others. */
export function object(fields: Fields): Shape {
  return (value, at) => {
    anyObject(value, at)
    for (const [key, shape] of Object.entries(fields)) {
      shape((value as Record<string, unknown>)[key], at === '' ? key : `${at}.${key}`)
    }
  }
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function wrong(at: string, what: string, value: unknown): Error {
  const is = value === undefined ? 'is not there' : `is ${JSON.stringify(value).slice(0, 40)}`
  return new Error(`${at === '' ? 'the document' : at} must be ${what}, and ${is}`)
}
