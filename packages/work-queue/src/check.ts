import { OptionRangeError, OptionTypeError } from './option.ts'

/** Throws unless `options` is an object that has no other fields than these. `path` names the object in the error. */
export function checkFields(path: string, options: object, fields: readonly string[]): void {
  if (options === null || typeof options !== 'object') {
    throw new OptionTypeError(path, 'an object of options', described(options))
  }
  for (const name in options) {
    if (!fields.includes(name)) {
      throw OptionTypeError.unknown(`${path}.${name}`, fields)
    }
  }
}

/** Returns a number option, or `fallback` if it is `undefined`. Throws unless it is a number within `bounds`. */
export function number(option: string, value: unknown, fallback: number, bounds: NumberBounds): number {
  if (value === undefined) return fallback
  const { min, whole = false, infinite = false } = bounds
  const isNumber = typeof value === 'number'
  const isIn =
    isNumber && value >= min && (infinite || Number.isFinite(value)) && (!whole || Number.isSafeInteger(value))
  if (isIn) return value
  const kind = whole ? 'whole ' : infinite ? '' : 'finite '
  const from = Number.isFinite(min) ? `, ${min} or more` : ''
  const takes = `a ${kind}number${from}${infinite ? ', or Infinity' : ''}`
  throw isNumber
    ? new OptionRangeError(option, takes, `${value}`)
    : new OptionTypeError(option, takes, described(value))
}

/** The bounds of a number option. */
export interface NumberBounds {
  readonly min: number
  readonly whole?: boolean | undefined
  /** Whether Infinity is allowed. */
  readonly infinite?: boolean | undefined
}

/** Throws unless `value` is an object that has these methods, or `undefined`. */
export function having(option: string, value: unknown, ...methods: readonly string[]): void {
  const has = (method: string): boolean => typeof (value as Record<string, unknown>)[method] === 'function'
  if (value === undefined || (value !== null && typeof value === 'object' && methods.every(has))) return
  const what = methods.length === 0 ? 'an object' : `an object with ${methods.join(', ')}`
  throw new OptionTypeError(option, what, described(value))
}

/** Throws unless `value` is an `AbortSignal`, an object with its interface, or `undefined`. */
export function abortSignal(option: string, value: unknown): void {
  having(option, value, 'addEventListener', 'removeEventListener', 'throwIfAborted')
}

/** Throws unless `value` is true, false or `undefined`. */
export function flag(option: string, value: unknown): void {
  if (value !== undefined && typeof value !== 'boolean')
    throw new OptionTypeError(option, 'true or false', described(value))
}

/** Throws unless `value` is a function or `undefined`. */
export function callback(option: string, value: unknown): void {
  if (value === undefined || typeof value === 'function') return
  throw new OptionTypeError(option, 'a function', described(value))
}

/** Describes a value by its type, without its content. */
function described(value: unknown): string {
  return value === null ? 'null' : typeof value === 'object' ? 'an object' : `a ${typeof value}`
}
