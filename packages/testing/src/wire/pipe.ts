import type { Socket } from 'node:net'
import type { Clock, Timer } from '@wherry/apiserver'

/** How fast one direction of a connection is. */
export interface WireShape {
  /** The time from the sending of a byte to its arrival, in milliseconds. @default 0 */
  readonly delayMs: number
  /** @default Infinity */
  readonly bytesPerSecond: number
}

export const UNSHAPED: WireShape = { delayMs: 0, bytesPerSecond: Number.POSITIVE_INFINITY }

/** Bytes on their way, or the signal that the sender has ended its side or broken the connection. */
interface Waiting {
  readonly due: number
  what: Buffer | 'end' | 'broken'
}

/** The number of waiting bytes at which a pipe stops reading from its sender. It is larger with a delay. */
const HELD_BYTES = 256 * 1024
const HELD_BYTES_DELAYED = 16 * 1024 * 1024
/** A throttled pipe passes bytes in bursts: the bytes of this time, in milliseconds, or up to twice as many after a late timer. */
const BURST_MS = 20

export interface PipeOptions {
  readonly source: Socket
  readonly sink: Socket
  readonly clock: Clock
  readonly onBytes: (count: number) => void
  /** Called when the sender has broken the connection, and all bytes before that have passed. */
  readonly onBroken: () => void
  /** Called when the budget of `cutAfter` is used up. */
  readonly onCut: () => void
}

/** One direction of a connection, from one socket to the other. */
export class Pipe {
  readonly #options: PipeOptions
  readonly #waiting: Waiting[] = []
  #shape: WireShape
  #frozen: boolean
  #held = 0
  #passed = 0
  #budget: number | undefined
  #draining = false
  #stopped = false
  #timer: Timer | undefined
  /** The bytes that were allowed to pass at `#allowedAt`, the time of the last refill. */
  #allowance = 0
  #allowedAt: number

  constructor(options: PipeOptions, shape: WireShape, frozen: boolean) {
    this.#options = options
    this.#shape = shape
    this.#frozen = frozen
    this.#allowedAt = options.clock.monotonic()
    const { source, sink } = options
    source.on('data', bytes => this.#arrive(bytes))
    source.on('end', () => this.#arrive('end'))
    source.on('close', hadError => hadError && this.#arrive('broken'))
    sink.on('drain', () => {
      this.#draining = false
      this.#pump()
    })
    this.#flow()
  }

  /** The number of bytes that were written to the sink. */
  get passed(): number {
    return this.#passed
  }

  get frozen(): boolean {
    return this.#frozen
  }

  freeze(on: boolean): void {
    this.#frozen = on
    if (on) this.#allowedAt = this.#options.clock.monotonic()
    this.#flow()
    this.#pump()
  }

  shape(shape: WireShape): void {
    this.#shape = shape
    this.#allowance = 0
    this.#allowedAt = this.#options.clock.monotonic()
    this.#flow()
    this.#pump()
  }

  cutAfter(bytes: number): void {
    this.#budget = bytes
    if (bytes === 0) this.#cut()
  }

  /** Nothing passes from now on. Further bytes and ends of the sender call no callback. */
  stop(): void {
    this.#stopped = true
    this.#timer?.cancel()
    this.#waiting.length = 0
    // Further bytes are read and dropped, so that the end of the connection is seen.
    this.#options.source.resume()
  }

  #arrive(what: Waiting['what']): void {
    if (this.#stopped) return
    if (typeof what !== 'string') this.#held += what.length
    this.#waiting.push({ due: this.#options.clock.monotonic() + this.#shape.delayMs, what })
    this.#flow()
    this.#pump()
  }

  #flow(): void {
    if (this.#stopped) return
    const { source } = this.#options
    const most = this.#shape.delayMs > 0 ? HELD_BYTES_DELAYED : HELD_BYTES
    if (this.#frozen || this.#held >= most) source.pause()
    else if (source.isPaused()) source.resume()
  }

  #pump(): void {
    this.#timer?.cancel()
    while (!this.#stopped && !this.#frozen && !this.#draining) {
      const head = this.#waiting[0]
      if (head === undefined) return
      const wait = head.due - this.#options.clock.monotonic()
      if (wait > 0) return this.#later(wait)
      if (typeof head.what === 'string') {
        this.#waiting.shift()
        if (head.what === 'end') this.#options.sink.end()
        else this.#options.onBroken()
        continue
      }
      const most = Math.min(head.what.length, this.#takeAllowed(head.what.length), this.#budget ?? head.what.length)
      if (most === 0) return
      if (most === head.what.length) this.#waiting.shift()
      this.#pass(head.what.subarray(0, most))
      head.what = head.what.subarray(most)
    }
  }

  #pass(bytes: Buffer): void {
    this.#held -= bytes.length
    this.#passed += bytes.length
    this.#draining = !this.#options.sink.write(bytes)
    this.#options.onBytes(bytes.length)
    if (this.#budget !== undefined) {
      this.#budget -= bytes.length
      if (this.#budget === 0) return this.#cut()
    }
    this.#flow()
  }

  /** Takes as many of the `wanted` bytes from the allowance as may pass now. If none may pass, sets a timer. */
  #takeAllowed(wanted: number): number {
    const { bytesPerSecond } = this.#shape
    if (bytesPerSecond === Number.POSITIVE_INFINITY) return wanted
    const now = this.#options.clock.monotonic()
    const perMs = bytesPerSecond / 1000
    const burst = Math.max(1, Math.floor(perMs * BURST_MS))
    // Twice the burst, so that a late timer does not lower the rate.
    this.#allowance = Math.min(2 * burst, this.#allowance + (now - this.#allowedAt) * perMs)
    this.#allowedAt = now
    const count = Math.min(wanted, Math.floor(this.#allowance))
    if (count === 0) this.#later((Math.min(wanted, burst) - this.#allowance) / perMs)
    this.#allowance -= count
    return count
  }

  #later(ms: number): void {
    this.#timer = this.#options.clock.timer(Math.max(1, Math.ceil(ms)), () => this.#pump())
  }

  #cut(): void {
    this.stop()
    this.#options.onCut()
  }
}
