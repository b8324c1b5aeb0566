import type { OnReadOpts } from 'node:net'
import { Duplex } from 'node:stream'
import { asError } from '@wherry/client/internal'
import { FrameReader } from './frames.ts'

/** The size of a read. TLS reads 16 KiB at most; TCP fills the whole Buffer. */
const readBytes = 64 * 1024
const headEnd = '\r\n\r\n'

/** Receives bytes of a channel. Their memory is overwritten after the call; if the call pauses the socket, after `resume`. */
export type TakeBytes = (channel: number, bytes: Buffer) => void

/**
 * The socket on which `ws` works. `ws` makes the handshake, sends, and answers control frames. The server's data does not pass through `ws`: this socket
 * delivers it to its user at once.
 *
 * It reads into a few Buffers that it reuses. Otherwise Node would allocate a Buffer for each read, and V8 frees these only when they have 64 MB in all.
 */
export class FrameSocket extends Duplex {
  readonly #free: Uint8Array[] = []
  /** The Buffers that the user of a paused socket may still read. */
  readonly #kept: Uint8Array[] = []
  readonly #frames = new FrameReader({
    data: (channel, bytes) => {
      if (!this.destroyed) this.#take?.(channel, bytes)
    },
    control: frame => this.#passOn(frame),
  })
  #stream: Duplex | undefined
  #take: TakeBytes | undefined
  /** The head of the handshake's response so far; `undefined` when it is complete. */
  #head: string | undefined = ''
  #hasFrames = false
  /** Frames that came with the handshake's response. */
  #early: Buffer[] = []
  #hasEnded = false
  #isHeld = false
  #isFull = false

  /** The `reader` for `openSocket`. Call it before {@link use}. */
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

  /** Sets the stream that this socket reads from and writes to. It is destroyed with this socket. */
  use(stream: Duplex): this {
    this.#stream = stream
    // For a stream that does not support `reader`, such as that of a proxy.
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

  /** Stops reading, so that the server has to wait. The bytes of the last delivery keep their content. */
  hold(): void {
    this.#isHeld = true
    this.#stream?.pause()
  }

  /** Reads again. The bytes of earlier deliveries may be overwritten. */
  release(): void {
    this.#isHeld = false
    this.#free.push(...this.#kept.splice(0))
    this.#flow()
  }

  /** Reads to the end without delivering. The bytes of the last delivery keep their content. */
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

  /** Reads the head of the handshake's response. Frames follow a 101; a body for `ws` follows another status. */
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
