import type { Duplex } from 'node:stream'
import type { Environment } from '../environment.ts'
import { ConnectionError, clientClosed, said } from '../errors/connection-error.ts'
import type { OwnSocket, Requester } from '../requester.ts'
import type { RawSocket, Transport } from '../transport.ts'

/** What {@link OwnSockets} are opened with. */
export interface OwnSocketsOptions {
  readonly target: URL
  readonly transport: Transport
  readonly environment: Environment
  readonly connectTimeoutMs: number
}

/** Why this process ended a socket. */
const reasons = new WeakMap<Duplex, Error>()

/** Destroys a socket, whose user can learn the reason by {@link endReason}. */
export function endSocket(stream: Duplex, reason: Error): void {
  if (stream.destroyed) return
  reasons.set(stream, reason)
  // Its user may have no listener any more.
  stream.on('error', () => {})
  stream.destroy(reason)
}

/** Why the client ended a socket; `undefined` if it did not. */
export function endReason(stream: Duplex): Error | undefined {
  return reasons.get(stream)
}

/** The sockets that callers of one client have to themselves, until each is closed. */
export class OwnSockets {
  readonly #options: OwnSocketsOptions
  readonly #open = new Set<Duplex>()
  readonly #attempts = new Set<AbortController>()
  #isClosed = false

  constructor(options: OwnSocketsOptions) {
    this.#options = options
  }

  /** Rejects with a `ConnectionError` if none can be opened, and with the reason of `signal`. */
  async open(signal: AbortSignal): Promise<RawSocket> {
    signal.throwIfAborted()
    if (this.#isClosed) throw clientClosed()
    const { target, transport, environment, connectTimeoutMs } = this.#options
    if (transport.openSocket === undefined) throw noSockets()
    const attempt = new AbortController()
    const passOn = (): void => attempt.abort(signal.reason)
    signal.addEventListener('abort', passOn, { once: true })
    this.#attempts.add(attempt)
    const timer = environment.clock.timer(connectTimeoutMs, () =>
      attempt.abort(
        new ConnectionError('CONNECT_TIMEOUT', `no connection to ${target.host} within ${connectTimeoutMs} ms`, {
          unprocessed: true,
        }),
      ),
    )
    try {
      const socket = await transport.openSocket(target, attempt.signal)
      if (attempt.signal.aborted) socket.stream.destroy()
      attempt.signal.throwIfAborted()
      this.#open.add(socket.stream)
      socket.stream.once('close', () => this.#open.delete(socket.stream))
      return socket
    } catch (cause) {
      if (attempt.signal.aborted) throw attempt.signal.reason
      if (cause instanceof ConnectionError) throw cause
      const message = `no connection to ${target.host}: ${said(cause)}`
      throw new ConnectionError('CONNECT_FAILED', message, { cause, unprocessed: true })
    } finally {
      timer.cancel()
      this.#attempts.delete(attempt)
      signal.removeEventListener('abort', passOn)
    }
  }

  /** Destroys all of them. Resolves when they are gone. */
  async close(): Promise<void> {
    this.#isClosed = true
    for (const attempt of this.#attempts) attempt.abort(clientClosed())
    await Promise.all(
      [...this.#open].map(async stream => {
        const gone = new Promise(resolve => stream.once('close', resolve))
        endSocket(stream, clientClosed())
        await gone
      }),
    )
  }
}

/** A socket of `requester`. Throws a `CONNECT_FAILED` if it has none. */
export function openSocketOf(requester: Requester, signal: AbortSignal, admit?: () => void): Promise<OwnSocket> {
  if (requester.openSocket === undefined) throw noSockets()
  return requester.openSocket(signal, admit)
}

function noSockets(): ConnectionError {
  const message = "the client's transport opens no sockets, so it can't exec, attach and forward ports"
  return new ConnectionError('CONNECT_FAILED', message, { unprocessed: true })
}
