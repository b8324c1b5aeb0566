import { defaultMaxLineBytes, LineTooLongError } from './bounds.ts'
import { ByteWindow } from './window.ts'

const newline = 10
const carriageReturn = 13

/**
 * Cuts lines out of a byte stream as it arrives, whatever its chunking (rule R24). Whole lines are decoded as UTF-8. `\r\n` ends a
 * line as `\n` does; empty lines are left out.
 *
 * Add a chunk by `push`, then call `next` until it returns `undefined`. A chunk that is pushed before that waits.
 */
export class LineCutter {
  /** The bytes that are not cut yet; `undefined` if there are none, because a window for each of thousands of idle streams would cost memory. */
  #window: ByteWindow | undefined
  readonly #maxBytes: number
  #searched = 0
  /** The rest of the last chunk, after the window. */
  #later: Uint8Array | undefined

  /** @param maxBytes Longest line, without its end. */
  constructor(maxBytes: number = defaultMaxLineBytes) {
    this.#maxBytes = maxBytes
  }

  /** Takes a chunk, which must not be changed until {@link keep} is called. */
  push(chunk: Uint8Array): void {
    this.#takeLater()
    // Only the rest of a line that has begun is copied to the window. The lines after it are cut out of the chunk itself.
    this.#window ??= new ByteWindow(0)
    const end = this.#window.length === 0 ? -1 : chunk.indexOf(newline)
    if (end < 0) this.#window.append(chunk)
    else {
      this.#window.append(chunk.subarray(0, end + 1))
      this.#later = chunk.subarray(end + 1)
    }
  }

  /** Copies the bytes that are not cut yet, because the memory of the chunks may be reused. */
  keep(): void {
    this.#takeLater()
    this.#window?.keep()
  }

  #takeLater(): boolean {
    const later = this.#later
    if (later === undefined) return false
    this.#later = undefined
    this.#window?.append(later)
    return true
  }

  /**
   * The next whole line, without its end; `undefined` when more bytes are needed.
   * @throws LineTooLongError once the bound is passed, whether or not the line's end has come.
   */
  next(): string | undefined {
    const window = this.#window
    if (window === undefined) return undefined
    for (;;) {
      const { bytes, start, end } = window
      const at = window.indexOf(newline, start + this.#searched)
      if (at < 0) {
        this.#searched = end - start
        if (this.#searched > this.#maxBytes + 1) throw new LineTooLongError(this.#maxBytes)
        if (this.#takeLater()) continue
        if (start === end) this.#window = undefined
        return undefined
      }
      this.#searched = 0
      const stop = bytes[at - 1] === carriageReturn && at > start ? at - 1 : at
      if (stop - start > this.#maxBytes) throw new LineTooLongError(this.#maxBytes)
      const line = stop === start ? '' : bytes.toString('utf8', start, stop)
      window.consumeTo(at + 1)
      if (line !== '') return line
    }
  }

  /** The bytes after the last newline: the last line after a clean end, or a part of a line after a break. `undefined` if there are none. */
  rest(): string | undefined {
    this.#takeLater()
    if (this.#window === undefined) return undefined
    const { bytes, start, end } = this.#window
    const stop = end > start && bytes[end - 1] === carriageReturn ? end - 1 : end
    const line = stop === start ? undefined : bytes.toString('utf8', start, stop)
    this.#window = undefined
    this.#searched = 0
    return line
  }
}
