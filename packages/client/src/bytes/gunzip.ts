import { InvalidBodyError } from './bounds.ts'
import type { BodyHandlers, Flow } from './flow.ts'

/**
 * Where compressed answers are decompressed. `threads`: by `node:zlib`, which the first of them loads, off the event
 * loop. `inline`: by fflate within the call that brings the bytes, so that nothing leaves the event loop and a run
 * on simulated time can be repeated; two to three times slower.
 */
export type GunzipMode = 'threads' | 'inline'

/** Takes compressed bytes, and is the source of decompressed ones. */
export interface Gunzip extends BodyHandlers, Flow {}

/**
 * Decompresses gzip in any number of members, each byte as soon as it can be known: an API server
 * begins a new member with every flush (rule R24). What it gives at a time is bounded, and it can be
 * paused, so that a small body that grows beyond measure meets the bounds of what reads it (rule X4).
 *
 * @param source is paused, resumed and aborted as need be.
 */
export function gunzip(mode: GunzipMode, source: Flow, on: BodyHandlers): Gunzip {
  return mode === 'threads' ? new ThreadGunzip(source, on) : new InlineGunzip(source, on)
}

function invalid(): InvalidBodyError {
  return new InvalidBodyError('what was received is no gzip, or less than all of it')
}

const outputBytes = 64 * 1024

class ThreadGunzip implements Gunzip {
  readonly #stream = process.getBuiltinModule('node:zlib').createGunzip({ chunkSize: outputBytes })
  readonly #source: Flow
  #cause: Error | undefined
  #full = false
  #paused = false
  #ended = false
  #over = false

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
      .on('error', () => finish(invalid()))
  }

  data(chunk: Uint8Array): void {
    // It is decompressed later, and lent for now only.
    if (this.#over || this.#stream.write(Buffer.from(chunk))) return
    this.#full = true
    this.#source.pause()
  }

  end(): void {
    this.#ended = true
    if (!this.#over) this.#stream.end()
  }

  /** What came before the break is decompressed first. */
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

/** Input at a time: what comes out of it is at most a thousand times as much. */
const inputBytes = 1024

class InlineGunzip implements Gunzip {
  readonly #inflate: { push(chunk: Uint8Array, final: boolean): void }
  readonly #source: Flow
  readonly #on: BodyHandlers
  readonly #queue: Uint8Array[] = []
  #ending: { readonly cause?: Error | undefined } | undefined
  #paused = false
  #working = false
  #over = false

  constructor(source: Flow, on: BodyHandlers) {
    const { Gunzip: Inflate } = fflate()
    this.#inflate = new Inflate(chunk => {
      if (!this.#over && chunk.length > 0) on.data(chunk)
    })
    this.#source = source
    this.#on = on
  }

  data(chunk: Uint8Array): void {
    const own = Buffer.from(chunk)
    for (let at = 0; at < own.length; at += inputBytes) this.#queue.push(own.subarray(at, at + inputBytes))
    this.#work()
  }

  end(): void {
    this.#ending ??= {}
    this.#work()
  }

  error(cause: Error): void {
    this.#ending ??= { cause }
    this.#work()
  }

  pause(): void {
    this.#paused = true
    this.#source.pause()
  }

  resume(): void {
    this.#paused = false
    this.#work()
    if (!this.#paused && !this.#over && this.#ending === undefined) this.#source.resume()
  }

  abort(): void {
    this.#over = true
    this.#queue.length = 0
    this.#source.abort()
  }

  #work(): void {
    if (this.#working) return
    this.#working = true
    while (!this.#paused && !this.#over) {
      const chunk = this.#queue.shift()
      if (chunk !== undefined) this.#push(chunk, false)
      else if (this.#ending === undefined) break
      else this.#finish(this.#ending.cause)
    }
    this.#working = false
  }

  #finish(cause: Error | undefined): void {
    if (cause === undefined) this.#push(new Uint8Array(0), true)
    if (this.#over) return
    this.#over = true
    if (cause === undefined) this.#on.end()
    else this.#on.error(cause)
  }

  #push(chunk: Uint8Array, final: boolean): void {
    try {
      this.#inflate.push(chunk, final)
    } catch {
      if (this.#over) return
      this.#over = true
      if (!final) this.#source.abort()
      this.#on.error(invalid())
    }
  }
}

/** Loaded when it is first needed, which in a cluster is never, and without leaving the event loop. */
function fflate(): typeof import('fflate') {
  const { createRequire } = process.getBuiltinModule('node:module')
  return createRequire(import.meta.url)('fflate') as typeof import('fflate')
}
