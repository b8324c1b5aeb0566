import type { SeededRandom } from './random.ts'
import { seededRandom } from './random.ts'

/** One line is this many random characters and a newline, as in most files that config maps hold. */
const LINE = 60
const POOL_CHARS = 4 * 1024 * 1024
const SYMBOLS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/'

/** How much longer lines become when written as JSON: each newline is an escape of two characters. */
export const escapedPerChar: number = (LINE + 2) / (LINE + 1)
/** The same when the JSON text is itself a string within JSON: `\\n` for a newline. */
export const twiceEscapedPerChar: number = (LINE + 3) / (LINE + 1)

/**
 * Slices of one big random text: six bits of entropy a character, so that gzip saves about a
 * quarter and no more, and cheap, since a slice copies nothing.
 */
export interface RandomText {
  /** `chars` characters in lines. Two slices within gzip's window of 32 KB hardly ever overlap. */
  lines(chars: number): string
  /** `chars` characters of the base64 alphabet, without a newline. */
  base64(chars: number): string
}

const pools = new Map<boolean, string>()

/** The pool of all generators is the same text: what differs by seed is where it is cut. */
function pool(inLines: boolean): string {
  const known = pools.get(inLines)
  if (known !== undefined) return known
  const random = seededRandom(0x77657272)
  const bytes = Buffer.allocUnsafe(POOL_CHARS)
  for (let i = 0; i < POOL_CHARS; ) {
    let bits = random.below(0x4000_0000)
    for (let k = 0; k < 5 && i < POOL_CHARS; k++, i++) {
      bytes[i] = inLines && i % (LINE + 1) === LINE ? 10 : SYMBOLS.charCodeAt(bits & 63)
      bits >>>= 6
    }
  }
  const text = bytes.toString('latin1')
  pools.set(inLines, text)
  return text
}

/** Random text. `random` decides where it is cut. */
export function randomText(random: SeededRandom): RandomText {
  const cut = (text: string, chars: number): string => {
    if (chars <= 0) return ''
    if (chars < POOL_CHARS / 2) {
      const at = random.below(POOL_CHARS - chars)
      return text.slice(at, at + chars)
    }
    let all = ''
    while (all.length < chars) all += text
    return all.slice(0, chars)
  }
  return {
    lines: chars => cut(pool(true), Math.floor(chars)),
    base64: chars => cut(pool(false), Math.floor(chars)),
  }
}
