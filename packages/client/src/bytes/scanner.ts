const quote = 34
const backslash = 92
const openBrace = 123
const openBracket = 91
const closeBrace = 125
const closeBracket = 93

/**
 * Finds the end of a JSON value, byte by byte, by braces, brackets and strings only, and keeps its place between chunks. It accepts text that is
 * no JSON, which a parser refuses later.
 */
export class ValueScanner {
  #depth = 0
  #inString = false
  #escaped = false
  #scalar = false

  /** Begins a new value, at its first byte. */
  begin(): void {
    this.#depth = 0
    this.#inString = false
    this.#escaped = false
    this.#scalar = false
  }

  /** The position after the value in `bytes` from `from` to `to`; −1 if the value is not complete. A number is complete only with a byte after it. */
  scan(bytes: Uint8Array, from: number, to: number): number {
    let depth = this.#depth
    let inString = this.#inString
    let escaped = this.#escaped
    for (let i = from; i < to; i++) {
      const byte = bytes[i] as number
      if (inString) {
        if (escaped) escaped = false
        else if (byte === backslash) escaped = true
        else if (byte === quote) {
          inString = false
          if (depth === 0) return i + 1
        }
      } else if (byte === quote) {
        if (this.#scalar) return i
        inString = true
      } else if (byte === openBrace || byte === openBracket) {
        if (this.#scalar) return i
        depth++
      } else if (byte === closeBrace || byte === closeBracket) {
        if (this.#scalar || depth === 0) return i
        depth--
        if (depth === 0) return i + 1
      } else if (depth === 0) {
        if (byte === 44 || isSpace(byte)) return i
        this.#scalar = true
      }
    }
    this.#depth = depth
    this.#inString = inString
    this.#escaped = escaped
    return -1
  }
}

/** JSON's white space: space, tab, line feed, carriage return. */
export function isSpace(byte: number): boolean {
  return byte === 32 || byte === 10 || byte === 13 || byte === 9
}
