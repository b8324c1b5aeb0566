import { asError } from '../errors/as-error.ts'
import type { Lane, LaneRequest, RequestHandlers } from '../requester.ts'
import type { Exchange, RequestHead, ResponseHeaders } from '../transport.ts'

/** What a {@link PendingRequest} needs of whoever carries it. */
export interface RequestOwner {
  /** The request was ended by its caller, or by a handler that threw. */
  dropped(pending: PendingRequest): void
  /** The request's answer begins, with this status; `<error>`: it has ended without one. */
  answered(pending: PendingRequest, code: string): void
  /** The request's `end` or `error` handler threw, which are its last calls. */
  handlerThrew(pending: PendingRequest, thrown: Error): void
}

/** A stream of a connection, which carries a request. */
export interface StreamSlot {
  pause(): void
  resume(): void
  /** Gives the stream up: it calls the request no more. */
  leave(): void
}

const answeredStream: LaneRequest = { method: 'GET', path: '', headers: {}, lane: 'stream' }

/**
 * One request on its way through the pool, whichever connections it is tried on. It keeps the promise of all of them: its handlers
 * get exactly one `end` or `error`, nothing after `abort()`, and what they throw ends this exchange alone.
 */
export class PendingRequest implements Exchange {
  readonly lane: Lane
  /** The request as its caller gave it; of a stream that was answered, nothing that says what it asked for. */
  request: LaneRequest
  /** The head as it is sent: with credentials and the like, once they are known. */
  head: RequestHead
  /** How often it was sent. */
  attempts = 0
  /** Whether any of an answer was delivered: it must not be repeated then. */
  answered = false
  /** How often credentials had been refreshed when this request took its own; see the pool. */
  epoch = 0
  /** When it was asked for, on the monotonic clock. */
  readonly begunAt: number
  /** Whether it was repeated with new credentials. */
  renewed = false
  readonly #on: RequestHandlers
  readonly #owner: RequestOwner
  #slot: StreamSlot | undefined
  #paused = false
  #over = false
  #drains = false
  #counted = false
  /** What came while the request was held. */
  #held: (() => void)[] | undefined

  constructor(request: LaneRequest, on: RequestHandlers, owner: RequestOwner, begunAt = 0) {
    this.begunAt = begunAt
    this.request = request
    this.lane = request.lane
    this.head = request
    this.#on = on
    this.#owner = owner
  }

  /** Whether it ended, in whichever way. */
  get over(): boolean {
    return this.#over
  }

  pause(): void {
    this.#paused = true
    this.#slot?.pause()
  }

  resume(): void {
    this.#paused = false
    if (this.#held === undefined) this.#slot?.resume()
  }

  abort(): void {
    if (this.#over) return
    this.#over = true
    this.vacate()
    this.#owner.dropped(this)
    this.#count('<error>')
  }

  /** From now on `slot` carries the request. */
  occupy(slot: StreamSlot): void {
    this.#slot = slot
    if (this.#paused) slot.pause()
  }

  /** Leaves its stream, if it has one: to be sent again, or because it is over. */
  vacate(): void {
    const slot = this.#slot
    this.#slot = undefined
    slot?.leave()
  }

  /** Keeps what comes from now on to itself, until it is let go or sent again. */
  hold(): void {
    this.answered = true
    this.#held = []
    this.#slot?.pause()
  }

  /** Delivers what came meanwhile, and goes on. */
  letGo(): void {
    const held = this.#held ?? []
    this.#held = undefined
    for (const deliver of held) deliver()
    if (!this.#paused) this.#slot?.resume()
  }

  /** Forgets what came so far: the request is to be sent again. */
  startOver(): void {
    this.#held = undefined
    this.answered = false
    this.vacate()
  }

  /** Ends the request with `cause`, held or not. */
  fail(cause: Error): void {
    this.#held = undefined
    this.deliverError(cause)
  }

  deliverHead(status: number, headers: ResponseHeaders): void {
    if (this.#over) return
    this.answered = true
    // It is not repeated any more: a watch, which lives long, keeps no credentials and no path.
    if (this.lane === 'stream') this.request = answeredStream
    this.head = this.request
    this.#count(`${status}`)
    try {
      this.#on.head(status, headers)
    } catch (thrown) {
      this.#threw(thrown)
    }
  }

  deliverData(chunk: Uint8Array): void {
    if (this.#over) return
    if (this.#held !== undefined) {
      const own = Buffer.from(chunk)
      this.#held.push(() => this.deliverData(own))
      return
    }
    try {
      this.#on.data(chunk)
    } catch (thrown) {
      this.#threw(thrown)
    }
  }

  deliverEnd(): void {
    if (this.#over) return
    if (this.#held !== undefined) {
      this.#held.push(() => this.deliverEnd())
      return
    }
    this.#finish()
    try {
      this.#on.end()
    } catch (thrown) {
      this.#owner.handlerThrew(this, asError(thrown))
    }
  }

  deliverError(cause: Error): void {
    if (this.#over) return
    if (this.#held !== undefined) {
      this.#held.push(() => this.deliverError(cause))
      return
    }
    this.#finish()
    this.#count('<error>')
    this.#deliverLast(cause)
  }

  notifyDraining(): void {
    if (this.#over || this.#drains || this.#held !== undefined) return
    this.#drains = true
    try {
      this.#on.draining?.()
    } catch (thrown) {
      this.#threw(thrown)
    }
  }

  #count(code: string): void {
    if (this.#counted) return
    this.#counted = true
    this.#owner.answered(this, code)
  }

  #finish(): void {
    this.#over = true
    this.#slot = undefined
  }

  /** A handler that throws ends this exchange, and no other. */
  #threw(thrown: unknown): void {
    if (this.#over) return
    this.abort()
    this.#deliverLast(asError(thrown))
  }

  /** What the last handler throws can only go to the program's own `onError`. */
  #deliverLast(cause: Error): void {
    try {
      this.#on.error(cause)
    } catch (thrown) {
      this.#owner.handlerThrew(this, asError(thrown))
    }
  }
}
