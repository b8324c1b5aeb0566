import { carriesSecret, refuseUnencrypted } from '../credentials/unencrypted.ts'
import type { Clock, Timer } from '../environment.ts'
import { asError } from '../errors/as-error.ts'
import { ConnectionError } from '../errors/connection-error.ts'
import type { Lane } from '../requester.ts'
import type { CloseReason, Connection, Exchange, ResponseHandlers, ResponseHeaders } from '../transport.ts'
import type { PendingRequest, StreamSlot } from './pending-request.ts'
import { ResetPacer } from './reset-pacer.ts'

/** Bounds of one connection; see the pool's options. */
export interface PooledConnectionLimits {
  readonly idleMs: number
  readonly pingAfterMs: number
  readonly pingTimeoutMs: number
}

/** What a {@link PooledConnection} reports to its group. */
export interface PooledConnectionOwner {
  /** A request's answer begins. */
  head(pending: PendingRequest, status: number, headers: ResponseHeaders): void
  /** A request failed here; it may be tried elsewhere. */
  failed(pending: PendingRequest, cause: Error, pooled: PooledConnection): void
  /** A request of `lane` is under way here, or no longer. */
  counted(lane: Lane, by: 1 | -1): void
  /** There is room for one more. */
  freed(pooled: PooledConnection): void
  /** The connection is gone. */
  gone(pooled: PooledConnection, cause: Error | undefined): void
  /** The server did not answer a PING, or a stream was reset from this side. */
  count(metric: 'wherry_client_ping_timeouts_total' | 'wherry_client_resets_total'): void
}

/**
 * One connection of a pool: counts its streams, paces its resets, PINGs it when it is quiet, closes it when it is idle.
 *
 * `open` → `draining` (GOAWAY, or new credentials: no new request, those under way go on) → `gone`.
 */
export class PooledConnection {
  /** Which TLS material it was opened with. */
  readonly digest: string
  /** How many answers it has brought; a connection that brings none counts as a failure. */
  answers = 0
  /** How many requests were sent on it. */
  carried = 0
  readonly #connection: Connection
  readonly #owner: PooledConnectionOwner
  readonly #clock: Clock
  readonly #limits: PooledConnectionLimits
  readonly #pacer: ResetPacer
  readonly #slots = new Set<Slot>()
  #state: 'open' | 'draining' | 'gone' = 'open'
  #activeAt: number
  #busyAt: number
  #tending: Timer | undefined
  #tendAt = Number.POSITIVE_INFINITY
  #pinging = false
  #closing: Promise<void> | undefined

  constructor(
    connection: Connection,
    digest: string,
    clock: Clock,
    limits: PooledConnectionLimits,
    owner: PooledConnectionOwner,
  ) {
    this.#connection = connection
    this.digest = digest
    this.#owner = owner
    this.#clock = clock
    this.#limits = limits
    // A quarter of the streams at once, then 1,000 a second. Go ends a connection when four times its streams wait for
    // handlers of streams that were reset to return, which a watch's do in milliseconds.
    this.#pacer = new ResetPacer(clock, Math.max(1, Math.floor(Math.min(connection.maxStreams, 400) / 4)), 1)
    this.#activeAt = clock.monotonic()
    this.#busyAt = this.#activeAt
  }

  /** Begins to listen to the connection. */
  listen(): void {
    this.#connection.onClose((why, cause) => this.#onClose(why, cause))
  }

  /** Begins to look after it: from now on it may be idle. */
  tend(): void {
    if (this.#state === 'gone' || this.#tending !== undefined) return
    if (this.#slots.size === 0) this.#connection.keepAlive?.(false)
    this.#tend()
  }

  get maxStreams(): number {
    return this.#connection.maxStreams
  }

  /** Requests under way, those that wait for their reset among them. */
  get size(): number {
    return this.#slots.size
  }

  get state(): 'open' | 'draining' | 'gone' {
    return this.#state
  }

  /** Whether it carries a request of `lane`. */
  carries(lane: Lane): boolean {
    for (const slot of this.#slots) if (slot.pending?.lane === lane) return true
    return false
  }

  /** Whether a request of `lane` may begin here: streams leave some room for calls. */
  hasRoom(lane: Lane): boolean {
    if (this.#state !== 'open') return false
    return this.#slots.size < (lane === 'stream' ? roomForStreams(this.maxStreams) : this.maxStreams)
  }

  open(pending: PendingRequest): void {
    const slot = new Slot(this, pending)
    this.#slots.add(slot)
    if (this.#slots.size === 1) this.#connection.keepAlive?.(true)
    this.#owner.counted(slot.lane, 1)
    pending.attempts += 1
    pending.occupy(slot)
    try {
      const { readableBy } = this.#connection
      if (readableBy !== undefined && carriesSecret(pending.head.headers)) refuseUnencrypted(readableBy)
      pending.request.admit?.()
    } catch (thrown) {
      const cause = asError(thrown)
      queueMicrotask(() => this.#refuse(slot, cause))
      return
    }
    this.carried += 1
    try {
      slot.begin(this.#connection.request(pending.head, slot))
    } catch (thrown) {
      const cause = asError(thrown)
      queueMicrotask(() => {
        // A request that no connection takes says nothing about this one: nothing of it was sent.
        if (cause instanceof TypeError) {
          this.carried -= 1
          this.#refuse(slot, cause)
        } else if (this.#slots.has(slot)) this.breaks(slot, cause)
      })
    }
  }

  /** Takes no more requests; ends when those under way have. */
  retire(): void {
    if (this.#state !== 'open') return
    this.#state = 'draining'
    // A request without an answer may still be refused, and repeated elsewhere: the GOAWAY is reported with its answer.
    for (const slot of [...this.#slots]) if (slot.pending?.answered) this.#notifyDraining(slot)
    this.#endIfDrained()
  }

  /** Ends the connection with all its streams: their requests fail with `cause`. Resolves when it is gone. */
  close(cause: Error | undefined): Promise<void> {
    this.#leave(cause)
    this.#closing ??= this.#connection.close().catch(() => {})
    return this.#closing
  }

  /** The answer to a slot's request begins. */
  receiveHead(slot: Slot, status: number, headers: ResponseHeaders): void {
    this.#noteAnswer(slot)
    if (slot.pending === undefined) return
    this.#owner.head(slot.pending, status, headers)
    if (this.#state === 'draining') this.#notifyDraining(slot)
  }

  /** Bytes have come. */
  receives(): void {
    this.#activeAt = this.#clock.monotonic()
  }

  /** The answer to a slot's request is complete. */
  ends(slot: Slot): void {
    this.#noteAnswer(slot)
    this.#free(slot)?.deliverEnd()
    this.#owner.freed(this)
  }

  /** A slot's request failed. */
  breaks(slot: Slot, cause: Error): void {
    const pending = this.#free(slot)
    // Where there is one stream only, the connection has broken with it.
    if (this.maxStreams === 1) void this.close(cause)
    if (pending !== undefined) this.#owner.failed(pending, cause, this)
    this.#owner.freed(this)
  }

  /** A slot's request is not to be sent, here or elsewhere. */
  #refuse(slot: Slot, cause: Error): void {
    this.#free(slot)?.fail(cause)
    this.#owner.freed(this)
  }

  /** A request has left its place: its stream is reset, when its turn comes. Only then is there room again. */
  release(slot: Slot, exchange: Exchange): void {
    if (!this.#slots.has(slot)) return
    if (this.maxStreams === 1) {
      // An HTTP/1.1 answer can't be broken off without its connection.
      this.#remove(slot)
      exchange.abort()
      void this.close(lost())
      return
    }
    exchange.pause()
    slot.reset = () => {
      slot.reset = undefined
      if (!this.#remove(slot)) return
      exchange.abort()
      this.#owner.count('wherry_client_resets_total')
      this.#rest()
      this.#owner.freed(this)
    }
    this.#pacer.pass(slot.reset)
  }

  /** An HTTP/1.1 server that closes after each answer isn't going away. */
  #notifyDraining(slot: Slot): void {
    if (this.maxStreams > 1) slot.pending?.notifyDraining()
  }

  #noteAnswer(slot: Slot): void {
    this.#activeAt = this.#clock.monotonic()
    if (slot.pending !== undefined) this.answers += 1
  }

  /** The slot is over; gives the request that it carried. */
  #free(slot: Slot): PendingRequest | undefined {
    const { pending } = slot
    slot.clear()
    if (slot.reset !== undefined) this.#pacer.takeBack(slot.reset)
    slot.reset = undefined
    if (this.#remove(slot)) this.#rest()
    return pending
  }

  #remove(slot: Slot): boolean {
    if (!this.#slots.delete(slot)) return false
    if (this.#slots.size === 0) this.#connection.keepAlive?.(false)
    this.#owner.counted(slot.lane, -1)
    return true
  }

  #rest(): void {
    this.#busyAt = this.#clock.monotonic()
    this.#endIfDrained()
    if (this.#slots.size > 0 || this.#pinging || this.#busyAt + this.#limits.idleMs >= this.#tendAt) return
    this.#tending?.cancel()
    this.#tend()
  }

  #endIfDrained(): void {
    if (this.#state !== 'draining' || this.#slots.size > 0) return
    void this.close(new ConnectionError('CONNECTION_LOST', 'the connection was drained'))
  }

  #onClose(why: CloseReason, cause: Error | undefined): void {
    if (why === 'goaway') this.retire()
    else void this.close(cause)
  }

  #leave(cause: Error | undefined): void {
    if (this.#state === 'gone') return
    this.#state = 'gone'
    this.#tending?.cancel()
    this.#pacer.stop()
    const waiting = [...this.#slots].flatMap(slot => slot.pending ?? [])
    for (const slot of this.#slots) {
      slot.pending = undefined
      this.#remove(slot)
    }
    this.#owner.gone(this, cause)
    for (const pending of waiting) this.#owner.failed(pending, cause ?? lost(), this)
  }

  /** Looks after the connection when there may be something to do, and sets the timer for the next time. */
  #tend(): void {
    const { idleMs, pingAfterMs } = this.#limits
    const now = this.#clock.monotonic()
    const idleAt = this.#slots.size === 0 ? this.#busyAt + idleMs : Number.POSITIVE_INFINITY
    // At 0 it is looked at a moment later, so that the next of several requests in a row finds it open.
    if (now >= idleAt && now > this.#busyAt) {
      void this.close(lost())
      return
    }
    if (now >= this.#activeAt + pingAfterMs) {
      this.#ping()
      return
    }
    this.#tendAt = Math.min(idleAt, this.#activeAt + pingAfterMs)
    this.#tending = this.#timer(Math.max(1, this.#tendAt - now), () => this.#tend())
  }

  /** It is the requests under way that keep the process alive. */
  #timer(ms: number, fn: () => void): Timer {
    const timer = this.#clock.timer(ms, fn)
    timer.unref?.()
    return timer
  }

  #ping(): void {
    const activeAt = this.#activeAt
    this.#pinging = true
    this.#tending = this.#timer(this.#limits.pingTimeoutMs, () => {
      this.#pinging = false
      // Bytes that came meanwhile are an answer too.
      if (this.#activeAt > activeAt) this.#tend()
      else {
        this.#owner.count('wherry_client_ping_timeouts_total')
        const seconds = (this.#limits.pingAfterMs + this.#limits.pingTimeoutMs) / 1000
        void this.close(
          new ConnectionError('PING_TIMEOUT', `the server was silent for ${seconds} s and did not answer a PING`),
        )
      }
    })
    this.#connection.ping().then(
      () => {
        if (this.#state === 'gone') return
        this.#pinging = false
        this.#activeAt = this.#clock.monotonic()
        this.#tending?.cancel()
        this.#tend()
      },
      () => {}, // It closed: `onClose` says so.
    )
  }
}

/** How many streams may share a connection with so much room: a tenth is left for calls. */
export function roomForStreams(maxStreams: number): number {
  return maxStreams <= 1 ? maxStreams : maxStreams - Math.ceil(maxStreams / 10)
}

/** One stream of a connection, and its request, until that leaves. It handles the answer itself: functions for each would cost more. */
class Slot implements StreamSlot, ResponseHandlers {
  pending: PendingRequest | undefined
  readonly lane: Lane
  /** What resets the stream when its turn comes. */
  reset: (() => void) | undefined
  readonly #pooled: PooledConnection
  #exchange: Exchange | undefined
  #paused = false

  constructor(pooled: PooledConnection, pending: PendingRequest) {
    this.#pooled = pooled
    this.pending = pending
    this.lane = pending.lane
  }

  begin(exchange: Exchange): void {
    this.#exchange = exchange
    if (this.pending === undefined) this.#pooled.release(this, exchange)
    else if (this.#paused) exchange.pause()
  }

  pause(): void {
    this.#paused = true
    this.#exchange?.pause()
  }

  resume(): void {
    this.#paused = false
    this.#exchange?.resume()
  }

  head(status: number, headers: ResponseHeaders): void {
    this.#pooled.receiveHead(this, status, headers)
  }

  data(chunk: Uint8Array): void {
    this.#pooled.receives()
    this.pending?.deliverData(chunk)
  }

  end(): void {
    this.#pooled.ends(this)
  }

  error(cause: Error): void {
    this.#pooled.breaks(this, cause)
  }

  /** It is over. Sets keep what was in them until a full collection: with nothing of what it was. */
  clear(): void {
    this.pending = undefined
    this.#exchange = undefined
  }

  leave(): void {
    if (this.pending === undefined) return
    this.pending = undefined
    if (this.#exchange !== undefined) this.#pooled.release(this, this.#exchange)
  }
}

function lost(): ConnectionError {
  return new ConnectionError('CONNECTION_LOST', 'the connection was closed')
}
