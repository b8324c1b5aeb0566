import { LineTooLongError } from '@wherry/client/internal'

const newline = 10

/** Cuts the chunks of a log into lines. A line is its bytes without the line feed. */
export class LogCutter {
  readonly #maxBytes: number
  #lines: Buffer[] = []
  #at = 0
  /** The pieces of the line that has begun. */
  #begun: Buffer[] = []
  #length = 0

  /** @param maxBytes the length of the longest line that is allowed */
  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes
  }

  push(chunk: Uint8Array): void {
    // The chunk's memory is used again after this call.
    const bytes = Buffer.from(chunk)
    for (let start = 0; start < bytes.length; ) {
      const end = bytes.indexOf(newline, start)
      const piece = bytes.subarray(start, end === -1 ? undefined : end)
      this.#length += piece.length
      if (this.#length > this.#maxBytes) throw new LineTooLongError(this.#maxBytes)
      this.#begun.push(piece)
      if (end === -1) return
      this.#finish()
      start = end + 1
    }
  }

  next(): Buffer | undefined {
    const line = this.#lines[this.#at]
    this.#at += 1
    if (line === undefined) {
      this.#lines = []
      this.#at = 0
    }
    return line
  }

  /** Does nothing, since `push` copies each chunk. */
  keep(): void {}

  /** Completes the last line, if the log ends without a line feed. For a clean end only. */
  finish(): void {
    if (this.#length > 0) this.#finish()
  }

  #finish(): void {
    this.#lines.push(this.#begun.length === 1 ? (this.#begun[0] as Buffer) : Buffer.concat(this.#begun, this.#length))
    this.#begun = []
    this.#length = 0
  }
}
