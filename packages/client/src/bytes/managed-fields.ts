import { withoutManagedFields } from '../views/without-managed-fields.ts'
import { tryDecodeJson } from './json.ts'

/** The mark in place of the removed list. An API server sends a list or nothing as managed fields, so this number there is the mark. */
const mark = 740_291_365
/** The key and the beginning of its list, without the first quote: `indexOf` looks for the first character, and a text has many quotes. */
const key = 'managedFields":['

const quote = 34
const comma = 44
const openBracket = 91
const backslash = 92
const closeBracket = 93
const openBrace = 123
const closeBrace = 125

/**
 * As `tryDecodeJson` without exact integers, and without the `metadata.managedFields` of the object that `objectOf` finds in the value. `objectOf` is not called
 * with `null`.
 *
 * The managed fields are removed from the text before it is parsed: they are a large part of most objects, and the parser would make a
 * hidden class for each set of fields in them, which costs more memory than the text. The search may find another list, so a mark takes its place, and the
 * result is used only if `metadata.managedFields` is the mark. Otherwise the whole text is parsed, and the list is removed from the value. The text that was
 * removed is not checked to be JSON.
 *
 * @param isWhole whether the text is known to be whole. Then the first `}]` is taken for the end of the list, which is faster. In a truncated text that may be
 *   the end of an inner list, and the rest may be JSON by chance.
 */
export function decodeLean<T>(
  text: string,
  objectOf: (value: T & {}) => object | null | undefined,
  isWhole = false,
): T | undefined {
  const marked = withMark(text, isWhole)
  if (marked !== undefined) {
    const value = tryDecodeJson(marked, false) as T | undefined
    if (takeManagedFields(value, objectOf) === mark) return value
  }
  const value = tryDecodeJson(text, false) as T | undefined
  takeManagedFields(value, objectOf)
  return value
}

/** Removes `metadata.managedFields`, and returns it. */
function takeManagedFields<T>(value: T | undefined, objectOf: (value: T & {}) => object | null | undefined): unknown {
  if (value === undefined || value === null) return undefined
  const object = objectOf(value) as Holder | null | undefined
  const metadata = object?.metadata
  if (metadata?.managedFields === undefined) return undefined
  ;(object as Holder).metadata = withoutManagedFields(metadata)
  return metadata.managedFields
}

interface Holder {
  metadata?: { readonly managedFields?: unknown } | null | undefined
}

/** A compact text with a mark in place of the first list with the key; `undefined` if the first match is no such key, or the list does not end. */
function withMark(text: string, isWhole: boolean): string | undefined {
  const at = text.indexOf(key)
  if (at < 2 || text.charCodeAt(at - 1) !== quote) return undefined
  // A backslash here would mean that the quote is in a string or a longer key, and white space that the text is not compact.
  const before = text.charCodeAt(at - 2)
  if (before !== comma && before !== openBrace) return undefined
  const from = at + key.length - 1
  const to = (isWhole ? likelyEnd(text, from) : undefined) ?? endOf(text, from)
  return to < 0 ? undefined : `${text.slice(0, from)}${mark}${text.slice(to)}`
}

/**
 * The position after the first `]`, if it follows a `}`: a list of objects ends like this, and a native search finds it. That `]` may also be in a
 * string or end an inner list. Then the text with the mark is no JSON, because a string does not end or a bracket closes nothing, and the whole text is parsed.
 */
function likelyEnd(text: string, from: number): number | undefined {
  const first = text.indexOf(']', from)
  return text.charCodeAt(first - 1) === closeBrace ? first + 1 : undefined
}

/** The position after the list that begins at `from`; −1 if it does not end. */
function endOf(text: string, from: number): number {
  let depth = 0
  for (let at = from; at < text.length; at++) {
    const code = text.charCodeAt(at)
    if (code === quote) {
      at = endOfString(text, at)
      if (at < 0) return -1
    } else if (code === openBracket || code === openBrace) depth++
    else if ((code === closeBracket || code === closeBrace) && --depth === 0) return code === closeBracket ? at + 1 : -1
  }
  return -1
}

/** The position of the quote that ends the string that begins at `from`; −1 if there is none. */
function endOfString(text: string, from: number): number {
  for (let at = from + 1; at < text.length; at++) {
    const code = text.charCodeAt(at)
    if (code === backslash) at++
    else if (code === quote) return at
  }
  return -1
}
