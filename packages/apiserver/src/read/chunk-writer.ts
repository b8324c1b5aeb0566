import type { Responder } from '../responder.ts'

const chunkBytes = 256 * 1024

/** The maximum length of texts that are joined with the text around them. Joining short texts is faster than three writes. */
const joinedLength = 4096

/** Gathers texts, with a character for each byte, into chunks of up to 256 KiB (or a single longer text). `ready` is false while the receiver wants no more. */
export class ChunkWriter {
  readonly #responder: Responder
  #buffer: Buffer | undefined
  #used = 0
  #objectBytes = 0
  #open = true
  #ended = false

  constructor(responder: Responder) {
    this.#responder = responder
  }

  /** Whether more text may be written. */
  get ready(): boolean {
    return this.#open && !this.#responder.over
  }

  /** Sets the listener that is called when `ready` is true again. */
  onReady(fn: () => void): void {
    this.#responder.onDrain(() => {
      this.#open = true
      if (!this.#ended) fn()
    })
  }

  /** Writes text that is no object: an envelope, a bookmark. */
  plain(text: string): void {
    this.#write(text, 0)
  }

  /** Writes an object's text with the text around it. */
  object(text: string, before: string, after: string): void {
    if (text.length <= joinedLength) return this.#write(before + text + after, text.length)
    if (before !== '') this.#write(before, 0)
    this.#write(text, text.length)
    if (after !== '') this.#write(after, 0)
  }

  /** Sends the gathered text. */
  flush(): void {
    if (this.#buffer === undefined || this.#used === 0) return
    const chunk = this.#buffer.subarray(0, this.#used)
    const objectBytes = this.#objectBytes
    this.#buffer = undefined
    this.#used = 0
    this.#objectBytes = 0
    if (!this.#responder.send(chunk, objectBytes)) this.#open = false
  }

  end(): void {
    this.flush()
    this.#ended = true
    this.#responder.end()
  }

  /** Writes a text that has `objectBytes` bytes of an object. They are counted with the chunk that contains them; the text before may be sent here. */
  #write(text: string, objectBytes: number): void {
    const { length } = text
    if (this.#buffer === undefined) {
      // Small answers get small buffers: thousands of watches must not hold 256 KiB each.
      this.#buffer = Buffer.allocUnsafe(Math.max(length, 2048))
    }
    if (this.#used + length > this.#buffer.length) {
      if (this.#buffer.length < chunkBytes && this.#used + length <= chunkBytes) {
        const larger = Buffer.allocUnsafeSlow(
          Math.min(chunkBytes, Math.max(this.#buffer.length * 4, this.#used + length)),
        )
        this.#buffer.copy(larger, 0, 0, this.#used)
        this.#buffer = larger
      } else {
        this.flush()
        this.#buffer = Buffer.allocUnsafeSlow(Math.max(length, chunkBytes))
      }
    }
    this.#buffer.write(text, this.#used, 'latin1')
    this.#used += length
    this.#objectBytes += objectBytes
  }
}
