/** What a {@link FrameReader} gives to its user. */
export interface FrameHandlers {
  /** Bytes of a message, in order. `channel` is the first byte of the message. They are never empty, and belong to what was read. */
  data(channel: number, bytes: Buffer): void
  /** A whole control frame, as it was sent. Its bytes are a copy. */
  control(frame: Buffer): void
}

const opcodes = { continuation: 0, binary: 2, ping: 8, pong: 10 } as const
const masked = 0x80
const reserved = 0x70
const final = 0x80
const longestControl = 125

/**
 * Takes the WebSocket frames of a server apart as their bytes come, however these are cut, and copies none of the data: RFC 6455, section 5. `ws`
 * waits for the end of each message and joins its pieces in a new Buffer, which Node collects late.
 */
export class FrameReader {
  readonly #on: FrameHandlers
  /** The bytes of a header that is not complete. */
  readonly #head = Buffer.alloc(10)
  #headLength = 0
  /** The bytes of the frame that are still to come. */
  #left = 0
  #control: { readonly frame: Buffer; at: number } | undefined
  #isInMessage = false
  #channel: number | undefined

  constructor(on: FrameHandlers) {
    this.#on = on
  }

  /** Throws if no server may send these bytes. */
  read(bytes: Buffer): void {
    let at = 0
    while (at < bytes.length) {
      if (this.#left === 0) {
        this.#head[this.#headLength++] = bytes[at++] as number
        this.#begin()
        continue
      }
      const part = bytes.subarray(at, at + this.#left)
      at += part.length
      this.#left -= part.length
      this.#take(part)
    }
  }

  /** Begins a frame, if its header is complete. */
  #begin(): void {
    const head = this.#head
    if (this.#headLength < 2) return
    const [first = 0, second = 0] = head
    const short = second & 0x7f
    const headLength = short < 126 ? 2 : short === 126 ? 4 : 10
    if (this.#headLength < headLength) return
    this.#headLength = 0
    this.#left = short < 126 ? short : short === 126 ? head.readUInt16BE(2) : Number(head.readBigUInt64BE(2))
    const opcode = first & 0x0f
    const isFinal = (first & final) !== 0
    if ((first & reserved) !== 0 || (second & masked) !== 0 || !Number.isSafeInteger(this.#left)) throw invalid()
    if (opcode >= opcodes.ping && opcode <= opcodes.pong) {
      if (!isFinal || this.#left > longestControl) throw invalid()
      this.#control = { frame: Buffer.concat([head.subarray(0, 2)], 2 + this.#left), at: 2 }
      if (this.#left === 0) this.#endControl()
    } else {
      if (opcode > opcodes.binary || (opcode === opcodes.continuation) !== this.#isInMessage) throw invalid()
      if (opcode !== opcodes.continuation) this.#channel = undefined
      this.#isInMessage = !isFinal
    }
  }

  #take(part: Buffer): void {
    if (this.#control !== undefined) {
      this.#control.at += part.copy(this.#control.frame, this.#control.at)
      if (this.#left === 0) this.#endControl()
      return
    }
    const bytes = this.#channel === undefined ? part.subarray(1) : part
    this.#channel ??= part[0] as number
    if (bytes.length > 0) this.#on.data(this.#channel, bytes)
  }

  #endControl(): void {
    const frame = this.#control?.frame as Buffer
    this.#control = undefined
    this.#on.control(frame)
  }
}

function invalid(): Error {
  return new Error('the server sent bytes that are no WebSocket frame')
}
