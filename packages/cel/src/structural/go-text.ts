import { isObject, isRawNumber, type Json, sortKeys } from '../json/json.ts'

/** The short escapes of characters in Go and CEL. */
export const shortEscapes: Readonly<Record<string, string>> = {
  '\x07': '\\a',
  '\b': '\\b',
  '\f': '\\f',
  '\n': '\\n',
  '\r': '\\r',
  '\t': '\\t',
  '\v': '\\v',
  '"': '\\"',
  '\\': '\\\\',
}

/** A string in the form of Go's `%q`. */
export function goQuote(text: string): string {
  const inner = text.replace(/["\\]|(?! )[\p{C}\p{Z}]/gu, char => {
    const known = shortEscapes[char]
    if (known !== undefined) return known
    const code = char.codePointAt(0) as number
    if (code < 0x80) return `\\x${code.toString(16).padStart(2, '0')}`
    return code > 0xffff ? `\\U${code.toString(16).padStart(8, '0')}` : `\\u${code.toString(16).padStart(4, '0')}`
  })
  return `"${inner}"`
}

/** A value in the form of Go's encoding/json: with sorted keys, and with the special characters of HTML escaped. */
export function goJson(value: Json): string {
  return JSON.stringify(sortKeys(value)).replace(
    /[<>&\u2028\u2029]/g,
    char => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )
}

/** A number in the form of Go's `%v`: 1e+21, 1e-05. */
export function goNumber(value: number): string {
  if (value === 0) return '0'
  const [mantissa = '', exponent = ''] = value.toExponential().split('e')
  const size = Number(exponent)
  if (size >= -4 && size < 21) return String(value)
  return `${mantissa}e${size < 0 ? '-' : '+'}${String(Math.abs(size)).padStart(2, '0')}`
}

/** A value in the form of causes. */
export function goValue(value: Json): string {
  if (typeof value === 'string') return goQuote(value)
  if (typeof value === 'boolean') return String(value)
  if (typeof value === 'number') return Number.isSafeInteger(value) ? String(value) : goNumber(value)
  if (isRawNumber(value)) return isInt64(value.rawJSON) ? value.rawJSON : goNumber(Number(value.rawJSON))
  return isObject(value) || Array.isArray(value) ? goJson(value) : 'null'
}

/** Whether an integer, or the one with these digits, fits 64 bits. Otherwise Go reads a float. */
export function isInt64(digits: string | bigint): boolean {
  const value = BigInt(digits)
  return value >= -(2n ** 63n) && value < 2n ** 63n
}
