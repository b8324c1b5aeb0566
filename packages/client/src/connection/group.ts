import { Backoff } from '../backoff.ts'
import type { Environment, Timer } from '../environment.ts'
import {
  ConnectionError,
  clientClosed,
  connectFailed,
  connectTimedOut,
  isUnprocessed,
  said,
} from '../errors/connection-error.ts'
import type { Connection, Transport } from '../transport.ts'
import type { PendingRequest } from './pending-request.ts'
import {
  PooledConnection,
  type PooledConnectionLimits,
  type PooledConnectionOwner,
  roomForStreams,
} from './pooled-connection.ts'

/** The options of a {@link ConnectionGroup}. */
export interface GroupOptions {
  readonly target: URL
  readonly transport: Transport
  readonly environment: Environment
  readonly limits: PooledConnectionLimits
  readonly connectTimeoutMs: number
  /** How many HTTP/1.1 sockets may carry calls at once. */
  readonly maxHttp1Calls: number
  /** The digest of the present TLS material: connections with other material take no new requests. */
  readonly digest: () => string
  /** An answer begins. */
  readonly head: PooledConnectionOwner['head']
  /** A request of `lane` is under way, or no longer. */
  readonly counted: PooledConnectionOwner['counted']
  /** A connection was opened, or is gone. */
  readonly changed: () => void
}

/** The maximum number of times that a request is sent if no server processes it. */
const maxAttempts = 5
/** The maximum number of connections that are opened at the same time. */
const maxConnecting = 16
/** The expected number of streams of a connection, before the server has sent its limit. */
const guessedStreams = 100

/**
 * The connections for one kind of requests. A request waits only until a connection is open, or while as many HTTP/1.1 calls as permitted are
 * under way. Calls are sent before streams, both in the order of their arrival.
 */
export class ConnectionGroup {
  readonly #options: GroupOptions
  readonly #connections = new Set<PooledConnection>()
  readonly #calls = new Set<PendingRequest>()
  readonly #streams = new Set<PendingRequest>()
  readonly #retries = new Map<PendingRequest, Timer>()
  readonly #attempts = new Set<AbortController>()
  readonly #endings = new Set<Promise<void>>()
  readonly #backoff: Backoff
  readonly #streamBackoff: Backoff
  readonly #owner: PooledConnectionOwner
  #expectedStreams = guessedStreams
  /** The number of connections in a row that carried requests and brought no answer. */
  #unansweredConnections = 0
  #hold: Timer | undefined
  /** While this timer runs, no connection is opened only for streams and patient calls. */
  #streamHold: Timer | undefined
  #closed: Promise<void> | undefined
  #stopped = false
  #pumping: 'no' | 'yes' | 'again' = 'no'

  constructor(options: GroupOptions) {
    this.#options = options
    // Callers have backoffs of their own (R22) and want to fail fast. This backoff only keeps many callers
    // from overloading a server that is down.
    this.#backoff = new Backoff(options.environment, { initialMs: 50, maxMs: 1000 })
    // Each informer has a backoff of its own, so among many informers one retries at any moment. All watches and patient calls therefore share this backoff.
    this.#streamBackoff = new Backoff(options.environment)
    this.#owner = {
      head: options.head,
      failed: (pending, cause, pooled) => this.#failed(pending, cause, pooled),
      counted: options.counted,
      freed: () => this.#pump(),
      gone: (pooled, cause) => this.#gone(pooled, cause),
      count: metric => options.environment.metrics.count(metric),
    }
  }

  /** The number of open connections, including draining ones. */
  get size(): number {
    return this.#connections.size
  }

  /** Sends a request as soon as there is a connection for it. */
  submit(pending: PendingRequest): void {
    if (pending.over) return
    if (this.#stopped) pending.deliverError(clientClosed())
    else if (!this.#beginNow(pending)) {
      this.#queue(pending).add(pending)
      this.#pump()
    }
  }

  /** Forgets a request that its caller has ended: no connection is opened for it. */
  forget(pending: PendingRequest): void {
    this.#queue(pending).delete(pending)
    this.#retries.get(pending)?.cancel()
    this.#retries.delete(pending)
  }

  /** Connections that were opened with other TLS material take no new requests from now on. */
  retireOutdated(): void {
    const digest = this.#options.digest()
    for (const pooled of [...this.#connections]) if (pooled.digest !== digest) pooled.retire()
  }

  /** Ends every connection and fails every request. Resolves when all connections are gone. */
  close(): Promise<void> {
    this.#closed ??= this.#close()
    return this.#closed
  }

  async #close(): Promise<void> {
    this.#stopped = true
    this.#endStreamHold()
    this.#hold?.cancel()
    for (const attempt of this.#attempts) attempt.abort(clientClosed())
    const waiting = [...this.#calls, ...this.#streams, ...this.#retries.keys()]
    this.#calls.clear()
    this.#streams.clear()
    for (const timer of this.#retries.values()) timer.cancel()
    this.#retries.clear()
    for (const pooled of [...this.#connections]) this.#track(pooled.close(clientClosed()))
    for (const pending of waiting) pending.deliverError(clientClosed())
    while (this.#endings.size > 0) await Promise.all(this.#endings)
  }

  #queue(pending: PendingRequest): Set<PendingRequest> {
    return pending.lane === 'stream' ? this.#streams : this.#calls
  }

  /** Begins a request that need not wait, without queueing it. Returns whether it did. */
  #beginNow(pending: PendingRequest): boolean {
    const isNext = this.#calls.size === 0 && (pending.lane !== 'stream' || this.#streams.size === 0)
    const pooled = isNext && this.#pumping === 'no' ? this.#roomFor(pending) : undefined
    if (pooled === undefined) return false
    this.#pumping = 'yes'
    pooled.open(pending)
    const isChanged = (this.#pumping as string) === 'again'
    this.#pumping = 'no'
    if (isChanged) this.#pump()
    return true
  }

  /** Begins the requests for which there is room, and opens connections for the others. */
  #pump(): void {
    if (this.#stopped) return
    if (this.#pumping !== 'no') {
      // The start of a request has ended another request: the loop below takes another turn.
      this.#pumping = 'again'
      return
    }
    do {
      this.#pumping = 'yes'
      this.#serve(this.#calls)
      this.#serve(this.#streams)
    } while ((this.#pumping as string) === 'again')
    this.#pumping = 'no'
    this.#grow()
  }

  #serve(queue: Set<PendingRequest>): void {
    for (const pending of queue) {
      const pooled = this.#roomFor(pending)
      if (pooled === undefined) return
      queue.delete(pending)
      pooled.open(pending)
    }
  }

  /** The first connection with room, so that the first connections fill up and the last ones can be closed. */
  #roomFor(pending: PendingRequest): PooledConnection | undefined {
    const { lane } = pending
    const digest = this.#options.digest()
    for (const pooled of this.#connections) {
      if (pooled.digest === digest && pooled.hasRoom(lane)) {
        if (lane !== 'stream' && pooled.maxStreams === 1 && this.#http1Calls() >= this.#options.maxHttp1Calls) return
        return pooled
      }
    }
    return undefined
  }

  #http1Calls(): number {
    let busy = 0
    for (const pooled of this.#connections) {
      if (pooled.maxStreams === 1 && (pooled.carries('call') || pooled.carries('write'))) busy += 1
    }
    return busy
  }

  #grow(): void {
    if (this.#hold !== undefined || this.#stopped) return
    if (this.#streamHold !== undefined && !this.#isAnyInHaste()) return
    const streams = this.#streamHold === undefined ? this.#streams.size : 0
    if (this.#calls.size + streams === 0) return
    let calls = this.#calls.size
    if (this.#expectedStreams === 1) calls = Math.min(calls, this.#options.maxHttp1Calls - this.#http1Calls())
    const needed = calls + streams
    const each = roomForStreams(this.#expectedStreams)
    while (this.#attempts.size < maxConnecting && this.#attempts.size * each < needed) this.#connect()
  }

  /** Whether a call waits that is not patient, such as a GET of a program. */
  #isAnyInHaste(): boolean {
    for (const { request } of this.#calls) if (request.isPatient !== true) return true
    return false
  }

  #connect(): void {
    const { transport, target, environment, connectTimeoutMs } = this.#options
    const attempt = new AbortController()
    const digest = this.#options.digest()
    this.#attempts.add(attempt)
    const timer = environment.clock.timer(connectTimeoutMs, () =>
      attempt.abort(connectTimedOut(target, connectTimeoutMs)),
    )
    const { signal } = attempt
    const opening = transport.connect(target, signal).then(
      connection => {
        timer.cancel()
        this.#attempts.delete(attempt)
        if (signal.aborted || connection.maxStreams < 1) {
          this.#refused(signal.aborted ? signal.reason : takesNothing(target))
          return connection.close().catch(() => {})
        }
        return this.#joined(connection, digest)
      },
      (cause: unknown) => {
        timer.cancel()
        this.#attempts.delete(attempt)
        this.#refused(signal.aborted ? signal.reason : cause)
      },
    )
    this.#track(opening)
  }

  #joined(connection: Connection, digest: string): void {
    const { environment, limits } = this.#options
    environment.metrics.count('wherry_client_connects_total', { result: 'success' })
    this.#expectedStreams = Math.max(1, connection.maxStreams)
    const pooled = new PooledConnection(connection, digest, environment.clock, limits, this.#owner)
    this.#connections.add(pooled)
    this.#options.changed()
    this.#endStreamHold()
    pooled.listen()
    this.#pump()
    pooled.tend()
  }

  #refused(cause: unknown): void {
    if (this.#stopped) return
    const { environment, target } = this.#options
    environment.metrics.count('wherry_client_connects_total', { result: 'failure' })
    this.#wait()
    // Another attempt may still serve the waiting requests.
    if (this.#attempts.size > 0) return
    const error = connectFailed(target, cause)
    const waiting = [...this.#calls, ...this.#streams]
    this.#calls.clear()
    this.#streams.clear()
    for (const pending of waiting) pending.deliverError(error)
  }

  /** Delays the next connection, for all requests that wait then, and longer if only streams and patient calls wait. */
  #wait(): void {
    this.#streamHold ??= this.#options.environment.clock.timer(this.#streamBackoff.next(), () => {
      this.#streamHold = undefined
      this.#pump()
    })
    if (this.#hold !== undefined) return
    this.#hold = this.#options.environment.clock.timer(this.#backoff.next(), () => {
      this.#hold = undefined
      this.#pump()
    })
  }

  #endStreamHold(): void {
    this.#streamHold?.cancel()
    this.#streamHold = undefined
  }

  #gone(pooled: PooledConnection, cause: Error | undefined): void {
    if (!this.#connections.delete(pooled)) return
    this.#options.changed()
    this.#track(pooled.close(cause ?? clientClosed()))
    if (this.#stopped) return
    if (pooled.answers > 0) {
      this.#unansweredConnections = 0
      this.#backoff.reset()
      this.#streamBackoff.reset()
    } else if (pooled.carried > 0) {
      // One connection without an answer may be chance; a second one in a row counts as refused.
      this.#unansweredConnections += 1
      if (this.#unansweredConnections > 1) this.#wait()
    }
    // The closed connection may have made room below a bound.
    this.#pump()
  }

  #failed(pending: PendingRequest, cause: Error, pooled: PooledConnection): void {
    if (pending.over) return
    if (!this.#stopped && this.#mayRepeat(pending, cause, pooled)) {
      this.#options.environment.metrics.count('wherry_client_retries_total')
      // The first repetition is sent at once if it takes another connection. If the connection is still open, the repetition waits a moment.
      if (pending.attempts === 1 && pooled.state !== 'open') this.submit(pending)
      else this.#later(pending)
      return
    }
    if (cause instanceof ConnectionError) pending.deliverError(cause)
    else
      pending.deliverError(new ConnectionError('CONNECTION_LOST', `the request broke off: ${said(cause)}`, { cause }))
  }

  #mayRepeat(pending: PendingRequest, cause: Error, pooled: PooledConnection): boolean {
    if (pending.answered || pending.attempts >= maxAttempts) return false
    if (isUnprocessed(cause)) return true
    // HTTP/1.1 has no GOAWAY: a server may close an idle connection while a request is on its way. A GET is repeated up to
    // twice, because the next connection may have been idle as long.
    return pooled.maxStreams === 1 && pooled.answers > 0 && pending.attempts <= 2 && pending.head.method === 'GET'
  }

  #later(pending: PendingRequest): void {
    const { environment } = this.#options
    const timer = environment.clock.timer(50 * 2 ** (pending.attempts - 1) * (1 + environment.random()), () => {
      this.#retries.delete(pending)
      this.submit(pending)
    })
    this.#retries.set(pending, timer)
  }

  #track(ending: Promise<void>): void {
    this.#endings.add(ending)
    void ending.then(() => this.#endings.delete(ending))
  }
}

/** The error for a server that allows no stream at all, which counts as a refused connection. */
function takesNothing({ host }: URL): ConnectionError {
  const message = `${host} allows no requests on a new connection`
  return new ConnectionError('CONNECT_FAILED', message, { unprocessed: true })
}
