import type { Clock } from '../clock.ts'
import { asError } from '../errors/as-error.ts'
import type { BodyHandlers, Flow } from './flow.ts'

/** Cuts pieces out of a byte stream: after `push`, `next` returns them, and then `undefined`. */
export interface Cutter<T> {
  push(chunk: Uint8Array): void
  next(): T | undefined
  /** Copies the bytes that are still needed, because the memory of pushed chunks may be reused. */
  keep(): void
  /** No chunk will come any more, and the body is whole: `next` may give more pieces. */
  finish?(): void
}

/** Receives pieces, then exactly one of `end` and `error`. If a handler throws, the reading ends, and `error` receives the error. */
export interface PieceHandlers<T> {
  piece(piece: T): void
  end(): void
  error(cause: Error): void
}

/**
 * How long a pump works before it yields to the event loop, in milliseconds; the work of one piece may take longer. One turn of the loop may have
 * two such slices (after a yield, and when bytes arrive) and the publishing of a whole list (rule R7: at most 20 ms).
 */
const sliceMs = 5

/**
 * Brings chunks to a cutter and its pieces to a handler, in slices: after some milliseconds of work the source is paused and the
 * event loop given back (rule R7). `hold` and `release` are the consumer's own flow control. Pieces and the end stay in order.
 */
export class Pump<T> implements BodyHandlers {
  readonly #cutter: Cutter<T>
  readonly #source: Flow
  readonly #clock: Clock
  readonly #on: PieceHandlers<T>
  readonly #queue: Uint8Array[] = []
  #ending: { readonly error?: Error | undefined } | undefined
  #finished = false
  #working = false
  #yielding = false
  #held = false
  #over = false
  #spentMs = 0

  constructor(cutter: Cutter<T>, source: Flow, clock: Clock, on: PieceHandlers<T>) {
    this.#cutter = cutter
    this.#source = source
    this.#clock = clock
    this.#on = on
  }

  data(chunk: Uint8Array): void {
    if (this.#over) return
    this.#queue.push(chunk)
    this.#work()
    const last = this.#queue.length - 1
    if (this.#queue[last] === chunk) this.#queue[last] = Buffer.from(chunk)
    else if (!this.#over) this.#cutter.keep()
  }

  end(): void {
    this.#ending ??= {}
    this.#work()
  }

  error(cause: Error): void {
    this.#ending ??= { error: cause }
    this.#work()
  }

  /** Stops handing on pieces, and pauses the source. */
  hold(): void {
    if (this.#over || this.#held) return
    this.#held = true
    this.#source.pause()
  }

  /** Goes on after `hold`. */
  release(): void {
    if (!this.#held) return
    this.#held = false
    this.#goOn()
  }

  /** Ends the pump and the source. No handler is called after this. */
  abort(): void {
    if (this.#over) return
    this.#close()
    this.#source.abort()
  }

  #close(): void {
    this.#over = true
    this.#queue.length = 0
  }

  get #mayWork(): boolean {
    return !(this.#working || this.#yielding || this.#held || this.#over)
  }

  #goOn(): void {
    this.#work()
    if (this.#mayWork && this.#ending === undefined) this.#source.resume()
  }

  #work(): void {
    if (!this.#mayWork) return
    this.#working = true
    const begun = this.#clock.monotonic()
    try {
      this.#run(begun)
    } catch (error) {
      if (this.#over) return // The handler that threw has aborted the reading, or was the last one: no handler is called any more.
      this.abort()
      this.#on.error(asError(error, 'a handler threw a value that is not an Error'))
    } finally {
      this.#working = false
      this.#spentMs += this.#clock.monotonic() - begun
    }
  }

  #run(begun: number): void {
    while (!this.#over && !this.#held) {
      const piece = this.#cutter.next()
      if (piece !== undefined) {
        this.#on.piece(piece)
        if (this.#spentMs + this.#clock.monotonic() - begun >= sliceMs) {
          this.#yield()
          return
        }
        continue
      }
      const chunk = this.#queue.shift()
      if (chunk !== undefined) this.#cutter.push(chunk)
      else if (this.#ending === undefined) return
      else if (this.#ending.error === undefined && !this.#finished) {
        this.#finished = true
        this.#cutter.finish?.()
      } else {
        this.#close()
        if (this.#ending.error === undefined) this.#on.end()
        else this.#on.error(this.#ending.error)
      }
    }
  }

  #yield(): void {
    if (this.#over) return
    this.#yielding = true
    this.#source.pause()
    void this.#clock.turn().then(() => {
      this.#yielding = false
      this.#spentMs = 0
      this.#goOn()
    })
  }
}
