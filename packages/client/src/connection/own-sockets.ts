import type { OnReadOpts } from 'node:net'
import type { Duplex } from 'node:stream'
import { anySignal } from '../any-signal.ts'
import type { Environment } from '../environment.ts'
import { ConnectionError, clientClosed, connectFailed, connectTimedOut } from '../errors/connection-error.ts'
import type { OwnSocket, Requester } from '../requester.ts'
import type { RawSocket, Transport } from '../transport.ts'

/** The options of {@link OwnSockets}. */
export interface OwnSocketsOptions {
  readonly target: URL
  readonly transport: Transport
  readonly environment: Environment
  readonly connectTimeoutMs: number
}

/** A socket that is open for a single caller. */
export class HeldSocket {
  readonly stream: Duplex
  readonly readableBy: string | undefined
  #reason: Error | undefined

  constructor({ stream, readableBy }: RawSocket) {
    this.stream = stream
    this.readableBy = readableBy
  }

  /** The reason with which the client ended the socket; `undefined` if it did not. */
  get reason(): Error | undefined {
    return this.#reason
  }

  /** Destroys the socket. */
  end(reason: Error): void {
    if (this.stream.destroyed) return
    this.#reason = reason
    // Its user may have no listener any more.
    this.stream.on('error', () => {})
    this.stream.destroy(reason)
  }
}

/** The open sockets of single callers of one client. */
export class OwnSockets {
  readonly #options: OwnSocketsOptions
  readonly #open = new Set<HeldSocket>()
  readonly #attempts = new Set<AbortController>()
  #isClosed = false

  constructor(options: OwnSocketsOptions) {
    this.#options = options
  }

  /** Rejects with a `ConnectionError` if none can be opened, and with the reason of `signal`. */
  async open(signal: AbortSignal, reader?: OnReadOpts): Promise<HeldSocket> {
    signal.throwIfAborted()
    if (this.#isClosed) throw clientClosed()
    const { target, transport, environment, connectTimeoutMs } = this.#options
    if (transport.openSocket === undefined) throw noSockets()
    const attempt = new AbortController()
    const either = anySignal(signal, attempt.signal)
    this.#attempts.add(attempt)
    const timer = environment.clock.timer(connectTimeoutMs, () =>
      attempt.abort(connectTimedOut(target, connectTimeoutMs)),
    )
    try {
      const socket = new HeldSocket(await transport.openSocket(target, either, reader))
      if (either.aborted) socket.stream.destroy()
      either.throwIfAborted()
      this.#open.add(socket)
      socket.stream.once('close', () => this.#open.delete(socket))
      return socket
    } catch (cause) {
      throw either.aborted ? either.reason : connectFailed(target, cause)
    } finally {
      timer.cancel()
      this.#attempts.delete(attempt)
    }
  }

  /** Destroys all sockets. Resolves when they are closed. */
  async close(): Promise<void> {
    this.#isClosed = true
    for (const attempt of this.#attempts) attempt.abort(clientClosed())
    await Promise.all(
      [...this.#open].map(async socket => {
        const gone = new Promise(resolve => socket.stream.once('close', resolve))
        socket.end(clientClosed())
        await gone
      }),
    )
  }
}

/** Opens a socket of `requester`. Throws a `CONNECT_FAILED` if it does not support that. */
export function openSocketOf(
  requester: Requester,
  signal: AbortSignal,
  admit?: () => void,
  reader?: OnReadOpts,
): Promise<OwnSocket> {
  if (requester.openSocket === undefined) throw noSockets()
  return requester.openSocket(signal, admit, reader)
}

function noSockets(): ConnectionError {
  const message = "the client's transport opens no sockets, so it can't exec, attach and forward ports"
  return new ConnectionError('CONNECT_FAILED', message, { unprocessed: true })
}
