import { carriesSecret, refuseUnencrypted } from '../credentials/unencrypted.ts'
import type { Clock, Timer } from '../environment.ts'
import { asError } from '../errors/as-error.ts'
import { ConnectionError } from '../errors/connection-error.ts'
import type { Lane } from '../requester.ts'
import type { CloseReason, Connection, Exchange, ResponseHandlers, ResponseHeaders } from '../transport.ts'
import type { PendingRequest, StreamSlot } from './pending-request.ts'
import { ResetPacer } from './reset-pacer.ts'

/** The bounds of one connection; see the pool's options. */
export interface PooledConnectionLimits {
  readonly idleMs: number
  readonly pingAfterMs: number
  readonly pingTimeoutMs: number
}

/** The listener of a {@link PooledConnection}: its group. */
export interface PooledConnectionOwner {
  /** A request's answer begins. */
  head(pending: PendingRequest, status: number, headers: ResponseHeaders): void
  /** Called when a request has failed on this connection; it may be sent on another one. */
  failed(pending: PendingRequest, cause: Error, pooled: PooledConnection): void
  /** A request of `lane` is under way here, or no longer. */
  counted(lane: Lane, by: 1 | -1): void
  /** Called when there is room for a further request. */
  freed(pooled: PooledConnection): void
  /** The connection is gone. */
  gone(pooled: PooledConnection, cause: Error | undefined): void
  /** Counts a PING without an answer, or a stream that was reset from this side. */
  count(metric: 'wherry_client_ping_timeouts_total' | 'wherry_client_resets_total'): void
}

/**
 * One connection of a pool: counts its streams, paces its resets, PINGs it when it is quiet, closes it when it is idle.
 *
 * `open` → `draining` (GOAWAY, or new credentials: no new request, those under way go on) → `gone`.
 */
export class PooledConnection {
  /** The digest of the TLS material with which the connection was opened. */
  readonly digest: string
  /** 0 until the first answer. A connection without an answer counts as a failure. */
  answers = 0
  /** The number of requests that were sent. */
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
    // A quarter of the streams may be reset at once, then 1,000 a second. The handler of a reset stream takes milliseconds to return for a watch.
    // Go ends a connection if requests for four times its streams wait for such handlers.
    this.#pacer = new ResetPacer(clock, Math.max(1, Math.floor(Math.min(connection.maxStreams, 400) / 4)), 1)
    this.#activeAt = clock.monotonic()
    this.#busyAt = this.#activeAt
  }

  /** Begins to listen to the connection. */
  listen(): void {
    this.#connection.onClose((why, cause) => this.#onClose(why, cause))
  }

  /** Begins the idle checks of the connection. */
  tend(): void {
    if (this.#state === 'gone' || this.#tending !== undefined) return
    if (this.#slots.size === 0) this.#connection.keepAlive?.(false)
    this.#tend()
  }

  get maxStreams(): number {
    return this.#connection.maxStreams
  }

  /** The number of requests under way, including those that wait for their reset. */
  get size(): number {
    return this.#slots.size
  }

  get state(): 'open' | 'draining' | 'gone' {
    return this.#state
  }

  /** Whether the connection carries a request of `lane`. */
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
        // A request that can't be sent at all says nothing about this connection.
        if (cause instanceof TypeError) {
          this.carried -= 1
          this.#refuse(slot, cause)
        } else if (this.#slots.has(slot)) this.breaks(slot, cause)
      })
    }
  }

  /** Takes no more requests, and ends when the requests under way have ended. */
  retire(): void {
    if (this.#state !== 'open') return
    this.#state = 'draining'
    // A request without an answer may still be refused, and repeated elsewhere: such a request learns of the GOAWAY with its answer.
    for (const slot of [...this.#slots]) if (slot.pending?.answered) this.#notifyDraining(slot)
    this.#endIfDrained()
  }

  /** Ends the connection with all its streams: their requests fail with `cause`. Resolves when it is closed. */
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
    // A connection with one stream has broken together with that stream.
    if (this.maxStreams === 1) void this.close(cause)
    if (pending !== undefined) this.#owner.failed(pending, cause, this)
    this.#owner.freed(this)
  }

  /** Fails a slot's request, which must not be sent, here or elsewhere. */
  #refuse(slot: Slot, cause: Error): void {
    this.#free(slot)?.fail(cause)
    this.#owner.freed(this)
  }

  /** Resets the stream of a request that has left, when the pacer permits it. Only the reset makes room again. */
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

  /** Reports the draining on HTTP/2 only: an HTTP/1.1 server that closes after each answer isn't going away. */
  #notifyDraining(slot: Slot): void {
    if (this.maxStreams > 1) slot.pending?.notifyDraining()
  }

  #noteAnswer(slot: Slot): void {
    this.#activeAt = this.#clock.monotonic()
    if (slot.pending !== undefined) this.answers += 1
  }

  /** Frees a slot, and returns its request. */
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

  /** Checks the connection for idleness and silence, and sets the timer of the next check. */
  #tend(): void {
    const { idleMs, pingAfterMs } = this.#limits
    const now = this.#clock.monotonic()
    const idleAt = this.#slots.size === 0 ? this.#busyAt + idleMs : Number.POSITIVE_INFINITY
    // With `idleMs: 0` the connection is closed a moment later, so that the next of several requests in a row finds it open.
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

  /** A timer that does not keep the process alive: only requests under way do. */
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
      () => {}, // The connection has closed, or the timer ends it.
    )
  }
}

/** The number of streams that may share a connection: a tenth of its room is left for calls. */
export function roomForStreams(maxStreams: number): number {
  return maxStreams <= 1 ? maxStreams : maxStreams - Math.ceil(maxStreams / 10)
}

/** One stream of a connection, with its request. It implements the handlers itself, because separate functions would cost more memory. */
class Slot implements StreamSlot, ResponseHandlers {
  pending: PendingRequest | undefined
  readonly lane: Lane
  /** Resets the stream when its turn comes. */
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

  /** Empties a slot that has ended, because a Set may keep it in memory until a full collection. */
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
