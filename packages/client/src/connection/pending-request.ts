import { asError } from '../errors/as-error.ts'
import type { Lane, LaneRequest, RequestHandlers } from '../requester.ts'
import type { Exchange, RequestHead, ResponseHeaders } from '../transport.ts'

/** The owner of a {@link PendingRequest}. */
export interface RequestOwner {
  /** The request was ended by its caller, or by a handler that threw. */
  dropped(pending: PendingRequest): void
  /** Called when the answer begins, with its status; `<error>`: the request has ended without an answer. */
  answered(pending: PendingRequest, code: string): void
  /** The last handler, `end` or `error`, threw, so the request can't report the error itself. */
  handlerThrew(pending: PendingRequest, thrown: Error): void
}

/** A stream of a connection, which carries a request. */
export interface StreamSlot {
  pause(): void
  resume(): void
  /** Leaves the stream: it no longer calls the request. */
  leave(): void
}

const answeredStream: LaneRequest = { method: 'GET', path: '', headers: {}, lane: 'stream' }

/**
 * One request in the pool, on any number of connections. Its handlers
 * receive exactly one `end` or `error`, and nothing after `abort()`. If a handler throws, only this exchange ends.
 */
export class PendingRequest implements Exchange {
  readonly lane: Lane
  /** The request of the caller. After the answer of a stream, it is emptied to save memory. */
  request: LaneRequest
  /** The head that is sent, with credentials once they are known. */
  head: RequestHead
  /** The number of times that the request was sent. */
  attempts = 0
  /** Whether an answer has begun: then the request must not be repeated. */
  answered = false
  /** How often the pool had refreshed its credentials when this request took its headers from them. */
  epoch = 0
  /** The time of the call, on the monotonic clock. */
  readonly begunAt: number
  /** Whether the request was repeated with new credentials. */
  renewed = false
  readonly #on: RequestHandlers
  readonly #owner: RequestOwner
  #slot: StreamSlot | undefined
  #paused = false
  #over = false
  #drains = false
  #counted = false
  /** The calls of handlers that are held back. */
  #held: (() => void)[] | undefined

  constructor(request: LaneRequest, on: RequestHandlers, owner: RequestOwner, begunAt = 0) {
    this.begunAt = begunAt
    this.request = request
    this.lane = request.lane
    this.head = request
    this.#on = on
    this.#owner = owner
  }

  /** Whether the request has ended. */
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

  /** Leaves the stream, if there is one, because the request is sent again, or has ended. */
  vacate(): void {
    const slot = this.#slot
    this.#slot = undefined
    slot?.leave()
  }

  /** Holds back calls of handlers until {@link PendingRequest.letGo}, or until the request is sent again. */
  hold(): void {
    this.answered = true
    this.#held = []
    this.#slot?.pause()
  }

  /** Makes the calls that were held back, and continues. */
  letGo(): void {
    const held = this.#held ?? []
    this.#held = undefined
    for (const deliver of held) deliver()
    if (!this.#paused) this.#slot?.resume()
  }

  /** Forgets the calls that were held back, because the request is sent again. */
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
    // An answered request is not repeated, so a watch, which lasts long, keeps neither credentials nor path.
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

  /** Calls the last handler. Its error can only go to the environment's `onError`. */
  #deliverLast(cause: Error): void {
    try {
      this.#on.error(cause)
    } catch (thrown) {
      this.#owner.handlerThrew(this, asError(thrown))
    }
  }
}
