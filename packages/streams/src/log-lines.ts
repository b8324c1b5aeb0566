import { LineTooLongError } from '@wherry/client/internal'
import { longestTime, timedLine } from './log-place.ts'

const newline = 10

/** How a line is decoded: `latin1` keeps each byte, for a reader that wants bytes. */
export type LineEncoding = 'utf8' | 'latin1'

/** Lines of a log, in order. A line has no line feed. */
export interface LogBatch {
  readonly lines: readonly string[]
  /** The number of bytes of the log that the lines came from. */
  readonly bytes: number
}

/** Options of a {@link LogCutter}. */
export interface LogCutterOptions {
  readonly encoding: LineEncoding
  /** The length of the longest line that is allowed, in bytes, without its time. */
  readonly maxBytes: number
  /** Whether each line begins with a time. */
  readonly isTimed: boolean
}

/**
 * Cuts the chunks of a log into lines, one batch for each chunk. Lines are strings of their own, so a line that the program keeps does not keep the
 * chunk. After a line that is too long, `next` gives the lines before it, then throws a {@link LineTooLongError}.
 */
export class LogCutter {
  readonly #options: LogCutterOptions
  /** The length of the longest line with its time. */
  readonly #longest: number
  #lines: string[] = []
  #bytes = 0
  /** The pieces of the line that has begun. */
  #begun: Buffer[] = []
  #length = 0
  #isTooLong = false

  constructor(options: LogCutterOptions) {
    this.#options = options
    this.#longest = options.maxBytes + (options.isTimed ? longestTime : 0)
  }

  push(chunk: Uint8Array): void {
    if (this.#isTooLong) return
    const bytes = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.length)
    this.#bytes += bytes.length
    let start = 0
    for (;;) {
      const end = bytes.indexOf(newline, start)
      if (end === -1) break
      if (this.#length > 0) {
        this.#begin(bytes.subarray(start, end))
        this.#end()
      } else this.#add(bytes, start, end)
      if (this.#isTooLong) return
      start = end + 1
    }
    // The chunk's memory may be reused after this call.
    if (start < bytes.length) this.#begin(Buffer.from(bytes.subarray(start)))
  }

  next(): LogBatch | undefined {
    if (this.#lines.length > 0) {
      const batch = { lines: this.#lines, bytes: this.#bytes }
      this.#lines = []
      this.#bytes = 0
      return batch
    }
    if (this.#isTooLong) throw new LineTooLongError(this.#options.maxBytes)
    return undefined
  }

  /** Does nothing, since `push` copies what it keeps. */
  keep(): void {}

  /** Completes the last line, if the log ends without a line feed. For a clean end only. */
  finish(): void {
    if (this.#length > 0) this.#end()
  }

  #begin(piece: Buffer): void {
    this.#begun.push(piece)
    this.#length += piece.length
    if (this.#length > this.#longest) this.#isTooLong = true
  }

  #end(): void {
    const line = Buffer.concat(this.#begun, this.#length)
    this.#begun = []
    this.#length = 0
    this.#add(line, 0, line.length)
  }

  #add(bytes: Buffer, start: number, end: number): void {
    const { encoding, maxBytes, isTimed } = this.#options
    if (end - start > maxBytes) {
      const time = isTimed
        ? timedLine(bytes.toString('latin1', start, Math.min(end, start + longestTime))).timeLength
        : 0
      this.#isTooLong = end - start - time > maxBytes
      if (this.#isTooLong) return
    }
    this.#lines.push(bytes.toString(encoding, start, end))
  }
}
