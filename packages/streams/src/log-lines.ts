import { LineTooLongError } from '@wherry/client/internal'

const newline = 10

/** Cuts a log into lines, whatever its chunking. Lines are bytes, without their end. */
export class LogCutter {
  readonly #maxBytes: number
  #lines: Buffer[] = []
  #at = 0
  /** Pieces of a line that has begun. */
  #begun: Buffer[] = []
  #length = 0

  /** @param maxBytes the longest line */
  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes
  }

  push(chunk: Uint8Array): void {
    // The chunk is lent.
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

  /** Nothing is kept of a chunk that was pushed. */
  keep(): void {}

  /** After a clean end, what came last is a line, even if nothing ends it. */
  finish(): void {
    if (this.#length > 0) this.#finish()
  }

  #finish(): void {
    this.#lines.push(this.#begun.length === 1 ? (this.#begun[0] as Buffer) : Buffer.concat(this.#begun, this.#length))
    this.#begun = []
    this.#length = 0
  }
}
