import { OptionRangeError, OptionTypeError } from './option.ts'

/** Checks the value of an option. Called with `undefined` only for a required option. Throws an {@link OptionTypeError} or an {@link OptionRangeError}. */
export type Check = (option: string, value: unknown) => void

/**
 * Checks an options object, each option by its check. `undefined` counts as absent. An unknown
 * option is an error too, so that no option is silently ignored. A `needed` option that is
 * absent gives the error of its check for `undefined`.
 */
export function checkOptions<K extends string>(
  of: string,
  options: unknown,
  checks: Readonly<Record<K, Check>>,
  needed: readonly NoInfer<K>[] = none,
): void {
  if (options === undefined && needed.length === 0) return
  if (options === null || typeof options !== 'object' || Array.isArray(options)) {
    throw new OptionTypeError(of, 'an object of options', described(options))
  }
  // No array of entries, because this runs for each call of every method.
  for (const name in options) {
    if (!Object.hasOwn(options, name)) continue
    const value = (options as Readonly<Record<string, unknown>>)[name]
    const check = Object.hasOwn(checks, name) ? checks[name as K] : undefined
    if (check === undefined) throw OptionTypeError.unknown(`${of}.${name}`, Object.keys(checks))
    if (value !== undefined) check(`${of}.${name}`, value)
  }
  for (const name of needed) {
    if ((options as { readonly [N in K]?: unknown })[name] === undefined) checks[name](`${of}.${name}`, undefined)
  }
}

const none: readonly never[] = []

/** Milliseconds, `min` or more, and finite unless `infinite` is true. */
export function milliseconds(bounds: { readonly min?: number; readonly infinite?: boolean } = {}): Check {
  const { min = 0, infinite = false } = bounds
  const takes = `milliseconds, ${min} or more${infinite ? ' (Infinity: no bound)' : ''}`
  return (option, value) => {
    if (typeof value !== 'number') throw new OptionTypeError(option, takes, described(value))
    if (value === Number.POSITIVE_INFINITY && infinite) return
    if (!Number.isFinite(value) || value < min) throw new OptionRangeError(option, takes, `${value}`)
  }
}

/** A whole number from `min` to `max`. */
export function integer(min = 0, max: number = Number.MAX_SAFE_INTEGER): Check {
  const takes = `a whole number from ${min} to ${max}`
  return (option, value) => {
    if (typeof value !== 'number') throw new OptionTypeError(option, takes, described(value))
    if (!Number.isSafeInteger(value) || value < min || value > max)
      throw new OptionRangeError(option, takes, `${value}`)
  }
}

/** Checks that a value is in a list of literals. */
export function oneOf(...literals: readonly (string | boolean)[]): Check {
  const takes = `one of ${literals.map(literal => JSON.stringify(literal)).join(', ')}`
  return (option, value) => {
    if (!literals.some(literal => typeof literal === typeof value))
      throw new OptionTypeError(option, takes, described(value))
    if (!literals.includes(value as string)) throw new OptionRangeError(option, takes, JSON.stringify(value))
  }
}

/** True or false. */
export const flag: Check = (option, value) => {
  if (typeof value !== 'boolean') throw new OptionTypeError(option, 'true or false', described(value))
}

/** Text that is not empty, without control characters. */
export const text: Check = (option, value) => {
  if (typeof value !== 'string') throw new OptionTypeError(option, 'a string', described(value))
  // biome-ignore lint/suspicious/noControlCharactersInRegex: this looks for control characters
  if (value === '' || /[\u0000-\u001f\u007f]/.test(value)) {
    throw new OptionRangeError(
      option,
      'text that is not empty and has no control characters',
      value === '' ? 'nothing' : 'a control character',
    )
  }
}

/** Checks that a text can be sent in a header unchanged. The error does not repeat it. */
export const headerText: Check = (option, value) => {
  text(option, value)
  if (/[^\x20-\x7e\x80-\xff]/.test(value as string)) {
    throw new OptionRangeError(option, 'text of Latin characters', 'another character')
  }
}

/** A field manager as the API server takes it: printable text of at most 128 bytes. */
export const fieldManager: Check = (option, value) => {
  text(option, value)
  if (Buffer.byteLength(value as string) > 128) {
    throw new OptionRangeError(option, 'at most 128 bytes', `${Buffer.byteLength(value as string)} bytes`)
  }
  const odd = /[^\P{C}]|[^\P{Z} ]/u.exec(value as string)
  if (odd !== null) throw new OptionRangeError(option, 'printable text', JSON.stringify(odd[0]))
}

/** A list of field managers. */
export const fieldManagers: Check = (option, value) => {
  texts(option, value)
  for (const [index, one] of (value as readonly string[]).entries()) fieldManager(`${option}[${index}]`, one)
}

/** A list of texts. */
export const texts: Check = (option, value) => {
  if (!Array.isArray(value)) throw new OptionTypeError(option, 'a list of strings', described(value))
  value.forEach((one, index) => {
    text(`${option}[${index}]`, one)
  })
}

/** A function. */
export const callback: Check = (option, value) => {
  if (typeof value !== 'function') throw new OptionTypeError(option, 'a function', described(value))
}

/** An object that has these methods. */
export function having(what: string, ...methods: readonly string[]): Check {
  return (option, value) => {
    if (value === null || typeof value !== 'object') throw new OptionTypeError(option, what, described(value))
    const missing = methods.find(method => typeof (value as Record<string, unknown>)[method] !== 'function')
    if (missing !== undefined)
      throw new OptionTypeError(option, what, `${described(value)} without the method ${missing}`)
  }
}

/** A resource, or a view of one. */
export const viewCheck: Check = (option, value) => {
  const { resource, key, within } = Object(value)
  if (typeof resource?.plural === 'string' && typeof key === 'string' && typeof within === 'function') return
  throw noView(option, value)
}

/** Checks a view for reads and writes; it may be made from parts of another view, and then has no key. */
export const readableCheck: Check = (option, value) => {
  if (typeof Object(value).resource?.plural !== 'string') throw noView(option, value)
}

function noView(option: string, value: unknown): OptionTypeError {
  const isDescription = typeof Object(value).plural === 'string'
  const got = isDescription ? 'a description of a resource: pass it to defineResource' : described(value)
  return new OptionTypeError(option, 'a resource or a view of one', got)
}

/** The key of an object. */
export const keyCheck: Check = having('{ name, namespace }')

/** Checks an `AbortSignal`, or an object with its interface. */
export const abortSignal: Check = having('an AbortSignal', 'addEventListener', 'removeEventListener', 'throwIfAborted')

/** Accepts any value, because its reader checks it. */
export const anything: Check = () => {}

/** Describes a wrong value of an option, without the value itself. */
export function described(value: unknown): string {
  if (value === null || value === undefined) return `${value}`
  if (Array.isArray(value)) return 'an array'
  return typeof value === 'object' ? 'an object' : `a ${typeof value}`
}
