import { withoutManagedFields } from '../views/without-managed-fields.ts'
import { tryDecodeJson } from './json.ts'

/** The mark in place of the removed list. It must be a number that no text has. */
const mark = 740_291_365
/** The key without its first quote: the search for a letter is faster, because a text has many quotes. */
const key = 'managedFields":['

const quote = 34
const comma = 44
const openBracket = 91
const backslash = 92
const closeBracket = 93
const openBrace = 123
const closeBrace = 125

/**
 * As `tryDecodeJson`, without the `metadata.managedFields` of the object that `objectOf` finds in the value. `objectOf` is not called with `null`.
 *
 * The managed fields are removed from the text before it is parsed: they are a large part of most objects, and the parser would make a
 * hidden class for each set of fields in them, which costs more memory than the text. The parse is the proof: a mark in their place has to come out as
 * `metadata.managedFields`. If it does not (another field has that name), the whole text is parsed. The removed text is not checked to be JSON.
 *
 * @param isWhole whether the text is known to be whole. Then the end of the list is found faster; of a text that was cut short, the part before
 *   the cut might be taken for an object.
 */
export function decodeLean<T>(
  text: string,
  objectOf: (value: T & {}) => object | null | undefined,
  isWhole = false,
): T | undefined {
  const cut = withoutList(text, isWhole)
  if (cut !== undefined) {
    const value = tryDecodeJson(cut, false) as T | undefined
    if (removed(value, objectOf) === mark) return value
  }
  const value = tryDecodeJson(text, false) as T | undefined
  removed(value, objectOf)
  return value
}

/** Removes `metadata.managedFields`, and returns it. */
function removed<T>(value: T | undefined, objectOf: (value: T & {}) => object | null | undefined): unknown {
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

/** The text with a mark in place of the list of its first key `managedFields`; `undefined` if there is none. */
function withoutList(text: string, isWhole: boolean): string | undefined {
  const at = text.indexOf(key)
  if (at < 2 || text.charCodeAt(at - 1) !== quote) return undefined
  // The quote must not be escaped: otherwise this is the end of a longer key, or inside a string.
  const before = text.charCodeAt(at - 2)
  if (before !== comma && before !== openBrace) return undefined
  const from = at + key.length - 1
  const to = (isWhole ? likelyEnd(text, from) : undefined) ?? endOf(text, from)
  return to < 0 ? undefined : `${text.slice(0, from)}${mark}${text.slice(to)}`
}

/**
 * The position after the first `]`, if it follows a `}`: a list of objects ends like this, and a native search finds it. That `]` may also be in a
 * string or end an inner list. Then the rest of a whole text can't be parsed: its last string does not end, or a bracket closes nothing.
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
