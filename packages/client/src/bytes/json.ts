import { InvalidBodyError } from './bounds.ts'

/** How JSON is decoded. */
export interface DecodeOptions {
  /**
   * Gives integers beyond 2^53 − 1 as `bigint`, digit for digit; `encodeJson` writes them back so.
   * Costs nothing where there are none.
   * @default false: they are rounded to the nearest number
   */
  readonly exact?: boolean | undefined
}

/** Sixteen digits in a row: no integer beyond 2^53 − 1 has fewer. Also finds digits in strings, which costs time only. */
const longDigits = /\d{16}/
const integer = /^-?\d+$/

/**
 * The value of a JSON text. Keys such as `__proto__` are data (rule X5).
 * @throws InvalidBodyError where it is no JSON. The message does not quote it.
 */
export function decodeJson(text: string, options: DecodeOptions = {}): unknown {
  const value = tryDecodeJson(text, options.exact)
  if (value === undefined) throw new InvalidBodyError(`what was received is no JSON (${text.length} characters)`)
  return value
}

/** As `decodeJson`, but gives `undefined`, which is no JSON value, instead of throwing. */
export function tryDecodeJson(text: string, exact: boolean | undefined): unknown {
  try {
    if (exact === true && longDigits.test(text)) return parseWithSource(text, exactInteger)
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/**
 * JSON text of `value`, a `bigint` as the integer that it is.
 * @throws TypeError for what JSON can't say: a cycle, `undefined` as a whole.
 */
export function encodeJson(value: unknown): string {
  const text = stringify(value)
  if (text === undefined) throw new TypeError(`a value of type ${typeof value} is no JSON`)
  return text
}

function stringify(value: unknown): string | undefined {
  try {
    return JSON.stringify(value)
  } catch {
    return JSON.stringify(value, rawBigint) // a bigint most likely; what else it was throws again
  }
}

type SourceReviver = (key: string, value: unknown, context: { readonly source?: string | undefined }) => unknown

/** ES2026's source text access, in Node since 22; TypeScript's library does not know it yet. */
const parseWithSource = JSON.parse as (text: string, reviver: SourceReviver) => unknown
const rawJson = (JSON as unknown as { rawJSON(text: string): unknown }).rawJSON

function exactInteger(_key: string, value: unknown, context: { readonly source?: string | undefined }): unknown {
  if (typeof value !== 'number' || Number.isSafeInteger(value)) return value
  const { source } = context
  return source !== undefined && integer.test(source) ? BigInt(source) : value
}

function rawBigint(_key: string, value: unknown): unknown {
  return typeof value === 'bigint' ? rawJson(value.toString()) : value
}
