import { randomUUID } from 'node:crypto'
import { checkExact, InexactNumberError } from '../errors/inexact-number.ts'
import { InvalidBodyError } from './bounds.ts'
import { isSpace } from './scanner.ts'

/** How JSON is decoded. */
export interface DecodeOptions {
  /**
   * Decodes integers beyond 2^53 − 1 as `bigint`, also with an exponent (`1e21`); `encodeJson` writes
   * them back digit for digit. Costs nothing if there are none.
   * @default false: they are rounded to the nearest number
   */
  readonly exact?: boolean | undefined
}

/** A number of sixteen digits or more, or with an exponent: every integer beyond 2^53 − 1 matches. A match in a string only costs time. */
const maybeLarge = /(?:^|[:,[\s])-?(?:\d{16}[\d.eE+-]*|\d[\d.]*[eE]\+?\d+)(?=[,\]}\s]|$)/
const numeral = /^(-?)(0|[1-9]\d*)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/
const digitsOnly = /^-?(?:0|[1-9]\d*)$/
/** The maximum number of zeros of an exponent: more than any number of JavaScript, or of a server in Go, has. */
const mostZeros = 1000

/**
 * Decodes a JSON text. Keys such as `__proto__` are data (rule X5).
 * @throws InvalidBodyError if the text is no JSON. The message does not quote it
 * @throws InexactNumberError if `exact` is set, and a number is too large for it (`1e9999`)
 */
export function decodeJson(text: string, options: DecodeOptions = {}): unknown {
  try {
    return parsed(text, options.exact)
  } catch (error) {
    if (error instanceof InexactNumberError) throw error
    throw new InvalidBodyError(`the answer is not JSON (${text.length} characters)`)
  }
}

/** As `decodeJson`, but gives `undefined`, which is no JSON value, instead of throwing. */
export function tryDecodeJson(text: string, exact: boolean | undefined): unknown {
  try {
    return parsed(text, exact)
  } catch {
    return undefined
  }
}

/** Strings, with the colon that marks a string as a key. */
const strings = /"[^"\\]*(?:\\.[^"\\]*)*"(\s*:)?/g

/** Parses a text. `JSON.parse` of Node 24 and 26 may confuse a key that begins with an escape with a key of an earlier text (nodejs/node issue 63785). */
function parsed(text: string, exact: boolean | undefined): unknown {
  if (!hasLeadingEscape(text)) return parsedAsIs(text, exact)
  // Each key gets a beginning of its own, which is taken off afterwards.
  const mark = randomUUID()
  let count = 0
  const marked = text.replace(strings, (token, colon) => {
    return colon === undefined ? token : `"${mark}${count++}:${token.slice(1)}`
  })
  const value = parsedAsIs(marked, exact)
  const left = [value]
  for (let one = left.pop(); one !== undefined; one = left.pop()) {
    if (typeof one !== 'object' || one === null) continue
    if (!Array.isArray(one)) rename(one as Record<string, unknown>, mark.length)
    for (const held of Object.values(one)) if (typeof held === 'object') left.push(held)
  }
  return value
}

const quote = 34
const comma = 44
const openBrace = 123

/** Whether a key, or an item of a list, begins with an escape. Searches for backslashes, because a text has far fewer backslashes than quotes. */
function hasLeadingEscape(text: string): boolean {
  for (let at = text.indexOf('\\'); at >= 0; at = text.indexOf('\\', at + 2)) {
    if (text.charCodeAt(at - 1) !== quote) continue
    let before = at - 2
    while (isSpace(text.charCodeAt(before))) before--
    const code = text.charCodeAt(before)
    if (code === comma || code === openBrace) return true
  }
  return false
}

/** Restores the keys of an object, in their order. The last of two equal keys counts. */
function rename(object: Record<string, unknown>, markLength: number): void {
  for (const [marked, value] of Object.entries(object)) {
    delete object[marked]
    const key = marked.slice(marked.indexOf(':', markLength) + 1)
    Object.defineProperty(object, key, { value, configurable: true, enumerable: true, writable: true })
  }
}

function parsedAsIs(text: string, exact: boolean | undefined): unknown {
  return exact === true && maybeLarge.test(text) ? parsedExact(text) : JSON.parse(text)
}

/** Strings and numbers of a JSON text. A number before a colon is no JSON, and is left unchanged. */
const tokens = /"[^"\\]*(?:\\.[^"\\]*)*"|-?\d[\d.eE+-]*(?:\s*:)?/g

/** Parses a text with large integers: they are parsed as marked strings, and replaced one by one, without recursion. */
function parsedExact(text: string): unknown {
  let isHeld = true
  const mark = `${randomUUID()}:`
  const marked = text.replace(tokens, token => {
    if (token.startsWith('"')) return token
    const number = exactNumber(Number(token), token)
    if (typeof number === 'bigint') return `"${mark}${number}"`
    if (!Number.isFinite(number)) isHeld = false
    return token
  })
  const root = { value: JSON.parse(marked) as unknown }
  const holders: object[] = [root]
  for (let holder = holders.pop(); holder !== undefined; holder = holders.pop()) {
    // Keys, also of a list, because an array of its entries would cost more than the parse.
    for (const key of Object.keys(holder)) {
      const held = (holder as Record<string, unknown>)[key]
      if (typeof held === 'object' && held !== null) holders.push(held)
      else if (typeof held === 'string' && held.startsWith(mark)) {
        ;(holder as Record<string, unknown>)[key] = BigInt(held.slice(mark.length))
      }
    }
  }
  if (!isHeld) checkExact(root.value)
  return root.value
}

/**
 * Encodes `value` as JSON, with a `bigint` as an integer.
 * @throws TypeError for a value that JSON does not have: a cycle, or `undefined` as a whole
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
    return JSON.stringify(value, rawBigint) // Most likely the cause was a bigint. Any other cause throws again.
  }
}

/** ES2026's source text access, in Node since 22; TypeScript's library does not know it yet. */
const rawJson = (JSON as unknown as { rawJSON(text: string): unknown }).rawJSON

/** The exact value of a number with the text `source`: a `bigint` for an integer that a number does not hold. */
function exactNumber(value: number, source: string): number | bigint {
  // A fraction may be rounded, which is allowed, and a safe integer is exact.
  if (Number.isSafeInteger(value) || (Number.isFinite(value) && !Number.isInteger(value))) return value
  if (digitsOnly.test(source)) return BigInt(source)
  const found = numeral.exec(source)
  if (found === null) return value
  const [, sign = '', whole = '', fraction = '', exponent = '0'] = found
  const zeros = Number(exponent) - fraction.length
  if (zeros > mostZeros) return value
  const digits = whole + fraction
  if (zeros >= 0) return BigInt(sign + digits + '0'.repeat(zeros))
  return /^0*$/.test(digits.slice(zeros)) ? BigInt(sign + digits.slice(0, zeros)) : value
}

function rawBigint(_key: string, value: unknown): unknown {
  return typeof value === 'bigint' ? rawJson(value.toString()) : value
}
