const token = /[ \t\n\r]*([{}[\]:,]|"(?:[^"\\]|\\.)*"|[^\s{}[\]:,"]+|$)/y

/**
 * Reads JSON as `JSON.parse` should. In Node 24 and 26, `JSON.parse` may confuse a key that begins with an escape with a key of an
 * earlier text (after `{"a":1,"\\":1}`, the second key of `{"a":1,"\t":1}` is read as that of the first text; nodejs/node issue 63785). So a
 * property test that compares with `JSON.parse` fails now and then. Here `JSON.parse` reads only single strings and numbers.
 *
 * @throws SyntaxError for a text that is no JSON
 */
export function readJson(text: string): unknown {
  const read = new Reader(text)
  const value = read.value()
  if (read.next !== '') throw new SyntaxError(`more after the value: ${read.next}`)
  return value
}

class Reader {
  next = ''
  readonly #text: string
  #at = 0

  constructor(text: string) {
    this.#text = text
    this.#take()
  }

  value(): unknown {
    const now = this.#take()
    if (now === '[') return this.#members(']', () => this.value())
    if (now !== '{') return JSON.parse(now)
    const object = {}
    this.#members('}', () => {
      const key = JSON.parse(this.#take()) as unknown
      if (typeof key !== 'string') throw new SyntaxError(`a key that is no string: ${key}`)
      this.#expect(':')
      // A key such as `__proto__` is data.
      Object.defineProperty(object, key, { value: this.value(), configurable: true, enumerable: true, writable: true })
    })
    return object
  }

  #members<T>(end: string, member: () => T): T[] {
    const all: T[] = []
    if (this.next !== end) {
      all.push(member())
      while (this.next !== end) {
        this.#expect(',')
        all.push(member())
      }
    }
    this.#take()
    return all
  }

  #expect(wanted: string): void {
    const now = this.#take()
    if (now !== wanted) throw new SyntaxError(`${wanted} expected, and found ${now}`)
  }

  /** Returns the current token and goes to the next token. The last token is empty. */
  #take(): string {
    const now = this.next
    token.lastIndex = this.#at
    const found = token.exec(this.#text)
    if (!found) throw new SyntaxError(`no JSON at ${this.#at}`)
    this.#at = token.lastIndex
    this.next = found[1] as string
    return now
  }
}
