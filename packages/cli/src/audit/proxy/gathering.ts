import type { Sink } from './flow.ts'

/** The size of a write. Chunks of a server that speaks TLS have 16 KiB at most. */
const writeBytes = 64 * 1024

/** The bytes before and after a chunk of HTTP/1.1: six hexadecimal digits and two line ends. */
const chunkHead = 8
const chunkTail = 2
const lineEnd = '\r\n'

/** The end of a body in chunks. */
export const lastChunk = '0\r\n\r\n'

/** The destination of gathered bytes. */
export interface GatheredTarget {
  /**
   * Returns false if the caller has to wait for the drain. After the call of `done` the memory of the bytes is overwritten.
   *
   * @param size the number of gathered bytes, without those of the chunk
   */
  write(bytes: Buffer, size: number, done: () => void): boolean
  /** Calls `then` once, when there is room for the next write. */
  onDrain(then: () => void): void
}

/**
 * A sink that joins the chunks of a turn of the event loop to larger writes, because a small write takes almost as much time as a large one. It reuses its
 * Buffers.
 *
 * If it makes chunks of HTTP/1.1, each write is a chunk. `ServerResponse` would write a chunk in three parts, for which Node allocates the memory of all three
 * again and frees it late.
 */
export class Gathering implements Sink {
  readonly #target: GatheredTarget
  readonly #makesChunks: boolean
  readonly #free: Buffer[] = []
  #current: Buffer | undefined
  /** The end of the gathered bytes in the current Buffer. */
  #end = 0
  #immediate: NodeJS.Immediate | undefined
  /** The callbacks that wait until the target has room; `undefined` while it has room. */
  #waiting: (() => void)[] | undefined

  constructor(target: GatheredTarget, makesChunks: boolean) {
    this.#target = target
    this.#makesChunks = makesChunks
  }

  write(chunk: Buffer): boolean {
    const [start, most] = this.#makesChunks ? [chunkHead, writeBytes - chunkTail] : [0, writeBytes]
    for (let at = 0; at < chunk.length; ) {
      if (this.#current === undefined) {
        this.#current = this.#free.pop() ?? Buffer.allocUnsafeSlow(writeBytes)
        this.#end = start
      }
      const copied = chunk.copy(this.#current, this.#end, at, at + most - this.#end)
      at += copied
      this.#end += copied
      if (this.#end === most) this.flush()
    }
    if (this.#current !== undefined) this.#immediate ??= setImmediate(() => this.flush())
    return this.#waiting === undefined
  }

  onDrain(then: () => void): void {
    if (this.#waiting === undefined) then()
    else this.#waiting.push(then)
  }

  /** Writes what has been gathered. */
  flush(): void {
    clearImmediate(this.#immediate)
    this.#immediate = undefined
    const buffer = this.#current
    if (buffer === undefined) return
    this.#current = undefined
    const hasRoom = this.#write(buffer, this.#end)
    if (hasRoom || this.#waiting !== undefined) return
    this.#waiting = []
    this.#target.onDrain(() => {
      const waiting = this.#waiting ?? []
      this.#waiting = undefined
      for (const then of waiting) then()
    })
  }

  #write(buffer: Buffer, end: number): boolean {
    const done = (): void => void this.#free.push(buffer)
    if (!this.#makesChunks) return this.#target.write(buffer.subarray(0, end), end, done)
    const size = end - chunkHead
    buffer.write(`${size.toString(16).padStart(chunkHead - lineEnd.length, '0')}${lineEnd}`, 'latin1')
    buffer.write(lineEnd, end, 'latin1')
    return this.#target.write(buffer.subarray(0, end + chunkTail), size, done)
  }
}
