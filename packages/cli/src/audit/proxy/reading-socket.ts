import type { OnReadOpts, Socket } from 'node:net'
import { Duplex } from 'node:stream'

/** The size of a read. TLS reads 16 KiB at most; TCP fills the whole Buffer. */
const readBytes = 64 * 1024

interface Kept {
  readonly memory: Uint8Array
  /** The number of bytes that were read up to the end of this Buffer. */
  readonly end: number
}

/**
 * A socket for Node's client of HTTP/1.1 that reads into a few Buffers and reuses them. Otherwise Node would allocate a Buffer for each read, and V8 frees them
 * late. A Buffer can be reused when the client has received it, because the client has then copied what it needs. This is not so after an upgrade of the
 * connection to another protocol.
 */
export class ReadingSocket extends Duplex {
  readonly #free: Uint8Array[] = []
  /** The Buffers with bytes that the client may not have received yet. */
  readonly #kept: Kept[] = []
  /** How many bytes were read. */
  #pushed = 0
  #stream: Socket | undefined

  /** The `reader` for `openSocket`. */
  get reader(): OnReadOpts {
    return {
      buffer: () => {
        const received = this.#pushed - this.readableLength
        while (this.#kept[0] !== undefined && this.#kept[0].end <= received)
          this.#free.push((this.#kept.shift() as Kept).memory)
        return this.#free.pop() ?? Buffer.allocUnsafeSlow(readBytes)
      },
      callback: (length, memory) => {
        this.#pushed += length
        this.#kept.push({ memory, end: this.#pushed })
        return this.push(Buffer.from(memory.buffer, memory.byteOffset, length))
      },
    }
  }

  /** Sets the socket that is read from and written to. It is destroyed with this one. */
  use(stream: Socket): this {
    this.#stream = stream
    // For a stream that does not support `reader`, such as that through a proxy.
    stream.on('data', (bytes: Buffer) => {
      if (!this.push(bytes)) stream.pause()
    })
    stream.once('end', () => this.push(null))
    stream.on('error', error => this.destroy(error))
    stream.once('close', () => this.destroy())
    return this
  }

  override _read(): void {
    this.#stream?.resume()
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

  /** The agent calls these methods of a socket that it keeps or reuses. */
  setKeepAlive(isKept: boolean, delayMs: number): this {
    this.#stream?.setKeepAlive(isKept, delayMs)
    return this
  }

  setNoDelay(): this {
    return this
  }

  setTimeout(timeoutMs: number): this {
    this.#stream?.setTimeout(timeoutMs)
    return this
  }

  ref(): this {
    this.#stream?.ref()
    return this
  }

  unref(): this {
    this.#stream?.unref()
    return this
  }
}
