const nothing: Buffer = Buffer.alloc(0)
const smallest = 4096

/**
 * The received bytes that are not consumed yet, in one piece: `bytes` from `start` to `end`. Of a chunk, only the bytes that are not consumed when the next
 * chunk comes are copied, into a buffer that grows by doubling, so any chunking costs linear time.
 */
export class ByteWindow {
  bytes: Buffer = nothing
  start = 0
  end = 0
  #own: Buffer = nothing
  readonly #keepBytes: number

  /** @param keepBytes the size of the buffer that an empty window keeps for reuse: 0 for one of thousands of idle streams */
  constructor(keepBytes: number) {
    this.#keepBytes = keepBytes
  }

  get length(): number {
    return this.end - this.start
  }

  /** Takes a chunk, which must not be changed until {@link keep} is called. */
  append(chunk: Uint8Array): void {
    if (this.start === this.end) {
      this.bytes = asBuffer(chunk)
      this.start = 0
      this.end = chunk.length
      return
    }
    const needed = this.length + chunk.length
    if (this.bytes !== this.#own || this.end + chunk.length > this.bytes.length) this.#move(needed)
    this.bytes.set(chunk, this.end)
    this.end += chunk.length
  }

  /** Copies the rest of the last chunk, since its memory is about to be used for something else. */
  keep(): void {
    if (this.start < this.end && this.bytes !== this.#own) this.#move(this.length)
  }

  /** The first position of `what` at or after `from`, or −1. */
  indexOf(what: number | Buffer, from: number): number {
    if (from >= this.end) return -1
    // The window's own buffer is longer than its content.
    const bytes = this.end === this.bytes.length ? this.bytes : this.bytes.subarray(0, this.end)
    return bytes.indexOf(what, from)
  }

  /** Forgets the bytes before `position`. */
  consumeTo(position: number): void {
    this.start = position
    if (position < this.end) return
    this.bytes = nothing
    this.start = 0
    this.end = 0
    if (this.#own.length > this.#keepBytes) this.#own = nothing
  }

  /** Forgets everything. */
  clear(): void {
    this.consumeTo(this.end)
    this.#own = nothing
  }

  /** Makes room for `needed` bytes in all, at the start of a buffer of its own. */
  #move(needed: number): void {
    let into = this.#own
    // Moving many bytes within a buffer makes little room, and would be repeated with every chunk.
    if (into.length < needed || (this.bytes === into && this.length > into.length / 2)) {
      let size = Math.max(smallest, into.length)
      while (size < needed * 1.5) size *= 2
      into = Buffer.allocUnsafeSlow(size)
    }
    this.bytes.copy(into, 0, this.start, this.end)
    this.end -= this.start
    this.start = 0
    this.bytes = into
    this.#own = into
  }
}

function asBuffer(chunk: Uint8Array): Buffer {
  return Buffer.isBuffer(chunk) ? chunk : Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength)
}
