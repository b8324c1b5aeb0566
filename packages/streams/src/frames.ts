/** Receives the content of frames from a {@link FrameReader}. */
export interface FrameHandlers {
  /** Receives bytes of a message, in order and never empty. `channel` is the first byte of the message. `bytes` is a part of the Buffer that was read. */
  data(channel: number, bytes: Buffer): void
  /** Receives a copy of a whole control frame, with its header. */
  control(frame: Buffer): void
}

const opcodes = { continuation: 0, binary: 2, ping: 8, pong: 10 } as const
const masked = 0x80
const reserved = 0x70
const final = 0x80
const longestControl = 125

/**
 * Parses the WebSocket frames of a server (RFC 6455, section 5) from chunks of any size, and copies no data. Without it, `ws` would wait for the end of each
 * message and join the pieces in a new Buffer, and Node frees such Buffers late.
 */
export class FrameReader {
  readonly #on: FrameHandlers
  /** The bytes of the header so far. */
  readonly #head = Buffer.alloc(10)
  #headLength = 0
  /** How many bytes of the present frame are missing. */
  #left = 0
  #control: { readonly frame: Buffer; at: number } | undefined
  #isInMessage = false
  #channel: number | undefined

  constructor(on: FrameHandlers) {
    this.#on = on
  }

  /** Parses the next bytes. Throws if the protocol does not allow them. */
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

  /** Begins a frame if the header is complete. */
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
