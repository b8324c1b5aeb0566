import type { Sink } from './flow.ts'

/** The size of a write. Chunks of a server that speaks TLS have 16 KiB at most. */
const writeBytes = 64 * 1024

/** The destination of gathered bytes. */
export interface GatheredTarget {
  /** Returns false if the caller has to wait for the drain. After the call of `done` the memory of the bytes is overwritten. */
  write(bytes: Buffer, done: () => void): boolean
  /** Calls `then` once, when there is room for the next write. */
  onDrain(then: () => void): void
}

/**
 * A sink that joins the chunks of a turn of the event loop to larger writes, because a small write takes almost as much time as a large one. It reuses its
 * Buffers.
 */
export class Gathering implements Sink {
  readonly #target: GatheredTarget
  readonly #free: Buffer[] = []
  #current: Buffer | undefined
  #length = 0
  #immediate: NodeJS.Immediate | undefined
  /** The callbacks that wait until the target has room; `undefined` while it has room. */
  #waiting: (() => void)[] | undefined

  constructor(target: GatheredTarget) {
    this.#target = target
  }

  write(chunk: Buffer): boolean {
    for (let at = 0; at < chunk.length; ) {
      this.#current ??= this.#free.pop() ?? Buffer.allocUnsafeSlow(writeBytes)
      const copied = chunk.copy(this.#current, this.#length, at)
      at += copied
      this.#length += copied
      if (this.#length === writeBytes) this.flush()
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
    const bytes = buffer.subarray(0, this.#length)
    this.#current = undefined
    this.#length = 0
    const hasRoom = this.#target.write(bytes, () => this.#free.push(buffer))
    if (hasRoom || this.#waiting !== undefined) return
    this.#waiting = []
    this.#target.onDrain(() => {
      const waiting = this.#waiting ?? []
      this.#waiting = undefined
      for (const then of waiting) then()
    })
  }
}
