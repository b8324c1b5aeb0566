/** The number of last lines that a trace keeps if it does not keep all lines. */
const tailLines = 24

/**
 * The events of a simulation, in order, as a running hash. Two runs are equal if the `hash` and `length` of their traces
 * are equal. With `full` it keeps every line, so that the first difference can be shown.
 */
export class Trace {
  readonly full: boolean
  readonly #lines: string[] = []
  readonly #word = new Uint32Array(2)
  readonly #number = new Float64Array(this.#word.buffer)
  #low = 0x811c_9dc5
  #high = 0x6c62_272e
  #length = 0

  constructor(full = false) {
    this.full = full
  }

  /** How many entries were added. */
  get length(): number {
    return this.#length
  }

  /** A hash of 64 bits over all entries so far, in hex: two FNV-1a lanes of 32 bits. It does not depend on `full`. */
  get hash(): string {
    return hex(this.#high) + hex(this.#low)
  }

  /** All lines if `full`, otherwise the last lines of text. */
  get lines(): readonly string[] {
    return this.full ? this.#lines : this.#lines.slice(-tailLines)
  }

  /** Adds a line of text. */
  add(line: string): void {
    for (let i = 0; i < line.length; i++) this.#mix(line.charCodeAt(i))
    this.#mix(0x1_0000)
    this.#keep(line)
  }

  /** Adds a line of text. Only the two numbers, which identify the line, are hashed. */
  addAs(line: string, first: number, second: number): void {
    this.#mixNumber(first)
    this.#mixNumber(second)
    this.#keep(line)
  }

  /** Adds two numbers under a name. Formats them as text only if `full`. */
  addNumbers(name: string, first: number, second: number): void {
    this.#mix(name.length)
    this.#mixNumber(first)
    this.#mixNumber(second)
    if (this.full) this.#keep(`${name} ${first} ${second}`)
    else this.#length++
  }

  #keep(line: string): void {
    this.#length++
    this.#lines.push(line)
    if (!this.full && this.#lines.length > 4 * tailLines) this.#lines.splice(0, 3 * tailLines)
  }

  #mixNumber(value: number): void {
    this.#number[0] = value
    this.#mix(this.#word[0] as number)
    this.#mix(this.#word[1] as number)
  }

  #mix(value: number): void {
    this.#low = Math.imul(this.#low ^ value, 0x0100_0193)
    this.#high = Math.imul((this.#high ^ value) + (this.#low >>> 15), 0x85eb_ca6b)
  }
}

/**
 * The text of the first difference of two traces, with the lines before it; `undefined` if the traces are equal. For traces
 * without all lines, the text only states that they differ.
 */
export function firstDifference(a: Trace, b: Trace): string | undefined {
  if (a.hash === b.hash && a.length === b.length) return undefined
  if (!a.full || !b.full) return `the traces differ: ${a.length} entries, ${a.hash}; ${b.length} entries, ${b.hash}`
  let index = 0
  while (index < a.length && index < b.length && a.lines[index] === b.lines[index]) index++
  const common = a.lines.slice(Math.max(0, index - 5), index).map(line => `    ${line}`)
  const show = (trace: Trace): string => trace.lines[index] ?? '(ends here)'
  return [`the traces part at entry ${index}:`, ...common, `  A ${show(a)}`, `  B ${show(b)}`].join('\n')
}

function hex(word: number): string {
  return (word >>> 0).toString(16).padStart(8, '0')
}
