import type { Declaration } from '../declarations.ts'
import { CelError, List } from '../values.ts'
import { itemsOf } from './containers.ts'
import { format } from './format.ts'
import { quote } from './quote.ts'

function outOfRange(index: bigint): CelError {
  return new CelError(`index out of range: ${index}`)
}

/** The characters of `text` from one index to another. */
function cut(text: string, from: bigint, to?: bigint): string {
  const chars = [...text]
  if (to !== undefined && from > to) throw new CelError(`invalid substring range. start: ${from}, end: ${to}`)
  for (const place of to === undefined ? [from] : [from, to])
    if (place < 0 || place > chars.length) throw outOfRange(place)
  return chars.slice(Number(from), to === undefined ? undefined : Number(to)).join('')
}

function charAt(text: string, index: bigint): string {
  const chars = [...text]
  if (index < 0 || index > chars.length) throw outOfRange(index)
  return chars[Number(index)] ?? ''
}

function startsAt(chars: readonly string[], part: readonly string[], at: number): boolean {
  return part.every((char, i) => chars[at + i] === char)
}

function indexOf(text: string, part: string, offset = 0n): bigint {
  if (offset < 0) throw outOfRange(offset)
  const chars = [...text]
  const sought = [...part]
  if (sought.length === 0) return offset > chars.length ? BigInt(chars.length) : offset
  for (let i = Number(offset); i <= chars.length - sought.length; i++) if (startsAt(chars, sought, i)) return BigInt(i)
  return -1n
}

function lastIndexOf(text: string, part: string, offset?: bigint): bigint {
  if (offset !== undefined && offset < 0) throw outOfRange(offset)
  const chars = [...text]
  const sought = [...part]
  const length = BigInt(chars.length)
  if (sought.length === 0) return offset === undefined || offset > length ? length : offset
  if (offset !== undefined && offset >= length) return -1n
  const last = chars.length - sought.length
  for (let i = Math.min(Number(offset ?? length), last); i >= 0; i--) if (startsAt(chars, sought, i)) return BigInt(i)
  return -1n
}

function replace(text: string, old: string, by: string, count = -1n): string {
  if (count === 0n || old === by) return text
  const parts = old === '' ? ['', ...text] : text.split(old)
  const most = count < 0 ? parts.length : Number(count)
  // An empty text occurs before each character, and at the end.
  const ends = old === '' ? [...parts, ''] : parts
  return ends.map((part, i) => (i === 0 ? part : (i <= most ? by : old) + part)).join('')
}

function split(text: string, by: string, count = -1n): List {
  if (count === 0n) return new List([])
  const parts = by === '' ? [...text] : text.split(by)
  if (count < 0 || parts.length <= count) return new List(parts)
  const kept = Number(count) - 1
  return new List([...parts.slice(0, kept), parts.slice(kept).join(by)])
}

const goSpace = /[\t\n\v\f\r \u0085\u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]/

/** `text` without the blanks at both ends. A regular expression for the end would take quadratic time if there are many blanks within the text. */
function trim(text: string): string {
  let begin = 0
  let end = text.length
  while (begin < end && goSpace.test(text[begin] as string)) begin += 1
  while (begin < end && goSpace.test(text[end - 1] as string)) end -= 1
  return text.slice(begin, end)
}

function join(list: List, separator = ''): string {
  return itemsOf(list)
    .map(item => {
      if (typeof item !== 'string') throw new CelError(`join: invalid input: ${String(item)}`)
      return item
    })
    .join(separator)
}

/** The functions of texts: the standard ones, and those that a kube-apiserver adds. */
export const strings: readonly Declaration[] = [
  ['string->contains(string): bool', (text: string, part: string) => text.includes(part)],
  ['string->endsWith(string): bool', (text: string, part: string) => text.endsWith(part)],
  ['string->startsWith(string): bool', (text: string, part: string) => text.startsWith(part)],
  ['string->charAt(int): string', charAt],
  ['string->indexOf(string): int', indexOf],
  ['string->indexOf(string, int): int', indexOf],
  ['string->lastIndexOf(string): int', lastIndexOf],
  ['string->lastIndexOf(string, int): int', lastIndexOf],
  ['string->lowerAscii(): string', (text: string) => text.replace(/[A-Z]/g, char => char.toLowerCase())],
  ['string->upperAscii(): string', (text: string) => text.replace(/[a-z]/g, char => char.toUpperCase())],
  ['string->replace(string, string): string', replace],
  ['string->replace(string, string, int): string', replace],
  ['string->split(string): list<string>', split],
  ['string->split(string, int): list<string>', split],
  ['string->substring(int): string', cut],
  ['string->substring(int, int): string', cut],
  ['string->trim(): string', trim],
  ['string->format(list<dyn>): string', format],
  ['strings.quote(string): string', quote],
  ['list<string>->join(): string', join],
  ['list<string>->join(string): string', join],
]
