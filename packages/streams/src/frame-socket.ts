import type { OnReadOpts } from 'node:net'
import { Duplex } from 'node:stream'
import { asError } from '@wherry/client/internal'
import { FrameReader } from './frames.ts'

/** TLS gives 16 KiB at a time, TCP as much as there is. */
const readBytes = 64 * 1024
const headEnd = '\r\n\r\n'

/** Receives the bytes of a channel. They are overwritten after the call, or, if the call pauses the socket, once it is resumed. */
export type TakeBytes = (channel: number, bytes: Buffer) => void

/**
 * The socket that `ws` is given. `ws` makes the handshake over it, sends over it, and answers the control frames; the data of the server goes to the
 * user of this socket at once, and `ws` does not see it.
 *
 * The bytes are read into a few Buffers that are used again and again: Node would allocate a new one for each read, and V8 collects them at 64 MB.
 */
export class FrameSocket extends Duplex {
  readonly #free: Uint8Array[] = []
  /** Those that the user of a paused socket may still read. */
  readonly #kept: Uint8Array[] = []
  readonly #frames = new FrameReader({
    data: (channel, bytes) => {
      if (!this.destroyed) this.#take?.(channel, bytes)
    },
    control: frame => this.#passOn(frame),
  })
  #stream: Duplex | undefined
  #take: TakeBytes | undefined
  /** The beginning of the answer to the handshake; `undefined` once it is complete. */
  #head: string | undefined = ''
  #hasFrames = false
  /** Frames that came with the answer to the handshake. */
  #early: Buffer[] = []
  #hasEnded = false
  #isHeld = false
  #isFull = false

  /** For `openSocket`, before {@link use}. */
  get reader(): OnReadOpts {
    return {
      buffer: () => this.#free.pop() ?? Buffer.allocUnsafeSlow(readBytes),
      callback: (length, memory) => {
        this.#read(Buffer.from(memory.buffer, memory.byteOffset, length))
        if (this.isHeld) this.#kept.push(memory)
        else this.#free.push(memory)
        return !this.#isWaiting
      },
    }
  }

  get isHeld(): boolean {
    return this.#isHeld
  }

  get #isWaiting(): boolean {
    return this.#isHeld || this.#isFull
  }

  /** Reads from this stream and writes to it. Destroys it in the end. */
  use(stream: Duplex): this {
    this.#stream = stream
    // Of a stream that does not read into our memory, such as that of a proxy.
    stream.on('data', (bytes: Buffer) => this.#read(bytes))
    stream.once('end', () => {
      if (this.#hasFrames && this.#take === undefined) this.#hasEnded = true
      else this.push(null)
    })
    stream.on('error', error => this.destroy(error))
    stream.once('close', () => this.destroy())
    return this
  }

  /** Begins to deliver data. */
  deliver(take: TakeBytes): void {
    this.#take = take
    const early = this.#early
    this.#early = []
    for (const bytes of early) this.#readFrames(bytes)
    if (this.#hasEnded) this.push(null)
    this.#flow()
  }

  /** Reads no more, so that the server has to wait. The bytes that were delivered last stay as they are. */
  hold(): void {
    this.#isHeld = true
    this.#stream?.pause()
  }

  /** Reads on. The bytes that were delivered before may be overwritten. */
  release(): void {
    this.#isHeld = false
    this.#free.push(...this.#kept.splice(0))
    this.#flow()
  }

  /** Reads to the end, and delivers nothing any more. The bytes that were delivered last stay as they are. */
  finish(): void {
    this.#isHeld = false
    this.#kept.length = 0
    this.#take = () => {}
    this.#flow()
  }

  override _read(): void {
    this.#isFull = false
    this.#flow()
  }

  override _write(chunk: Buffer, _: BufferEncoding, done: (error?: Error | null) => void): void {
    this.#stream?.write(chunk, done)
  }

  override _final(done: (error?: Error | null) => void): void {
    this.#stream?.end(() => done())
  }

  override _destroy(error: Error | null, done: (error: Error | null) => void): void {
    this.#stream?.destroy()
    done(error)
  }

  #flow(): void {
    if (!this.#isWaiting && !this.destroyed) this.#stream?.resume()
  }

  #read(bytes: Buffer): void {
    if (this.#hasFrames) this.#readFrames(bytes)
    else if (this.#head === undefined) this.#passOn(Buffer.from(bytes))
    else this.#readHead(this.#head, bytes)
  }

  /** After a 101, frames follow; after all else, a body for `ws`. */
  #readHead(before: string, bytes: Buffer): void {
    const head = before + bytes.toString('latin1')
    const end = head.indexOf(headEnd)
    if (end === -1) {
      this.#head = head
      this.#passOn(Buffer.from(bytes))
      return
    }
    this.#head = undefined
    this.#hasFrames = /^HTTP\/1\.1 101 /.test(head)
    const cut = this.#hasFrames ? end + headEnd.length - before.length : bytes.length
    this.#passOn(Buffer.from(bytes.subarray(0, cut)))
    if (cut < bytes.length) this.#readFrames(bytes.subarray(cut))
  }

  #readFrames(bytes: Buffer): void {
    if (this.#take === undefined) {
      this.#early.push(Buffer.from(bytes))
      this.#stream?.pause()
      return
    }
    try {
      this.#frames.read(bytes)
    } catch (thrown) {
      this.destroy(asError(thrown))
    }
  }

  #passOn(bytes: Buffer): void {
    if (this.push(bytes)) return
    this.#isFull = true
    this.#stream?.pause()
  }
}
