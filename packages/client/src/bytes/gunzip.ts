import { InvalidBodyError } from './bounds.ts'
import type { BodyHandlers, Flow } from './flow.ts'

const outputBytes = 64 * 1024

/**
 * Decompresses gzip of any number of members, each byte as early as possible: an API server begins a member with every flush
 * (rule R24). It can be paused, and emits bounded pieces, so that a body that expands is subject to its reader's bounds (rule X4).
 */
export class Gunzip implements BodyHandlers, Flow {
  readonly #stream = process.getBuiltinModule('node:zlib').createGunzip({ chunkSize: outputBytes })
  readonly #source: Flow
  #cause: Error | undefined
  #full = false
  #paused = false
  #ended = false
  #over = false

  /** @param source is paused, resumed and aborted as need be. @param on receives the decompressed bytes */
  constructor(source: Flow, on: BodyHandlers) {
    this.#source = source
    const finish = (error?: Error): void => {
      if (this.#over) return
      this.#over = true
      this.#stream.destroy()
      const cause = this.#cause ?? error
      if (!this.#ended) source.abort()
      if (cause === undefined) on.end()
      else on.error(cause)
    }
    this.#stream
      .on('data', (chunk: Buffer) => {
        if (!this.#over) on.data(chunk)
      })
      .on('drain', () => {
        this.#full = false
        this.#steer()
      })
      .on('end', () => finish())
      .on('error', () => finish(new InvalidBodyError('what was received is no gzip, or less than all of it')))
  }

  data(chunk: Uint8Array): void {
    // The chunk is decompressed later, and its memory may be reused, so it is copied.
    if (this.#over || this.#stream.write(Buffer.from(chunk))) return
    this.#full = true
    this.#source.pause()
  }

  end(): void {
    this.#ended = true
    if (!this.#over) this.#stream.end()
  }

  /** Reports a break, after the bytes before it are decompressed. */
  error(cause: Error): void {
    this.#cause = cause
    this.end()
  }

  pause(): void {
    this.#paused = true
    this.#stream.pause()
    this.#source.pause()
  }

  resume(): void {
    this.#paused = false
    if (this.#over) return
    this.#stream.resume()
    this.#steer()
  }

  abort(): void {
    this.#over = true
    this.#stream.destroy()
    this.#source.abort()
  }

  #steer(): void {
    if (!this.#full && !this.#paused && !this.#over && !this.#ended) this.#source.resume()
  }
}
