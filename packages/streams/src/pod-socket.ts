import type { IncomingMessage } from 'node:http'
import { type Client, ConnectionError, TimeoutError } from '@wherry/client'
import {
  anySignal,
  asError,
  errorOfAnswer,
  maxStatusBytes,
  type OwnSocket,
  openSocketOf,
} from '@wherry/client/internal'
import { WebSocket } from 'ws'
import { FrameSocket } from './frame-socket.ts'
import type { PodRequest } from './pod.ts'

/** Receives the data and the end of a socket. */
export interface SocketHandlers {
  /** Receives bytes of a channel. Their memory is overwritten after this call, or after `resume` if the call pauses the socket. */
  data(channel: number, bytes: Buffer): void
  /** Called last, when the connection has ended: with a cause if it failed. */
  end(cause: Error | undefined): void
}

/** The length of the longest frame that is sent, in bytes. */
const sentFrameBytes = 32 * 1024
/** How long the server may take to open a connection, or to refuse it. It waits 30 seconds itself for the kubelet of the node. */
const openTimeoutMs = 60_000
/** How long the server may be silent before a PING is sent. If no PONG comes in time, the connection is destroyed. */
const pingAfterMs = 30_000
const pingTimeoutMs = 15_000
/** How long the server may take to answer a close frame. */
const closeTimeoutMs = 2_000

/**
 * Opens a WebSocket to a subresource of a pod, with the credentials, proxies and authorities of the client. Rejects with an `ApiError` if the server
 * refuses, with a `ConnectionError` if it can't be reached, and with a `TimeoutError` if it does not answer within a minute.
 *
 * @param protocols the WebSocket subprotocols to offer, the best first
 */
export async function openPodSocket(
  client: Client,
  request: PodRequest,
  protocols: readonly string[],
  signal: AbortSignal,
): Promise<PodSocket> {
  const { requester } = client.raw
  for (let attempt = 1; ; attempt++) {
    const frames = new FrameSocket()
    const own = await openSocketOf(requester, signal, undefined, frames.reader)
    const { stream, origin, basePath, headers } = own
    frames.use(stream)
    const { host } = new URL(origin)
    const socket = new WebSocket(`ws://${host}${basePath}${request.path}`, [...protocols], {
      createConnection: () => frames as never,
      headers: { ...(headers as Record<string, string | string[]>), host },
      perMessageDeflate: false,
      followRedirects: false,
    })
    const late = new AbortController()
    const end = anySignal(signal, late.signal)
    const timer = client.environment.clock.timer(openTimeoutMs, () =>
      late.abort(new TimeoutError(openTimeoutMs, request.about)),
    )
    let refusal: IncomingMessage | undefined
    let body: Uint8Array | undefined
    try {
      refusal = await opened(socket, own, end)
      if (refusal === undefined) return new PodSocket(client, socket, frames, own)
      body = await bodyOf(refusal, end)
    } finally {
      timer.cancel()
    }
    stream.destroy()
    end.throwIfAborted()
    const { statusCode = 0 } = refusal
    if (statusCode === 401 && attempt === 1 && (await own.renewed())) continue
    throw errorOfAnswer(statusCode, textHeaders(refusal), body, request.about, client.raw.redact)
  }
}

/** Resolves with the refusal of the server, or with `undefined` when the socket is open. */
function opened(socket: WebSocket, own: OwnSocket, signal: AbortSignal): Promise<IncomingMessage | undefined> {
  return new Promise((resolve, reject) => {
    const aborted = (): void => {
      reject(signal.reason)
      socket.terminate()
    }
    const settle = (then: () => void): void => {
      signal.removeEventListener('abort', aborted)
      then()
    }
    // The signal may have been aborted while the credentials were read.
    if (signal.aborted) aborted()
    signal.addEventListener('abort', aborted, { once: true })
    socket.once('open', () => settle(() => resolve(undefined)))
    socket.once('unexpected-response', (_, response) => settle(() => resolve(response)))
    // This listener stays: a later error ends the socket, which `close` reports.
    socket.on('error', cause => settle(() => reject(lost(cause, own))))
    socket.once('close', () => settle(() => reject(lost(undefined, own))))
  })
}

function lost(cause: Error | undefined, own: OwnSocket): Error {
  const reason = own.reason()
  if (reason !== undefined) return reason
  const why = cause === undefined ? '' : `: ${cause.message}`
  return new ConnectionError('CONNECTION_LOST', `the connection to the pod broke off${why}`, { cause })
}

/** Reads the body of a refusal, until the signal is aborted. `undefined` if the body is too long. */
async function bodyOf(response: IncomingMessage, signal: AbortSignal): Promise<Uint8Array | undefined> {
  const chunks: Buffer[] = []
  let length = 0
  const end = (): void => void response.destroy()
  signal.addEventListener('abort', end, { once: true })
  try {
    for await (const chunk of response as AsyncIterable<Buffer>) {
      length += chunk.length
      if (length > maxStatusBytes) return undefined
      chunks.push(chunk)
    }
  } catch {
    // The part that was received is the best explanation there is.
  } finally {
    signal.removeEventListener('abort', end)
  }
  return Buffer.concat(chunks)
}

function textHeaders({ headers }: IncomingMessage): Record<string, string | readonly string[]> {
  const given = Object.entries(headers).filter(([, value]) => value !== undefined)
  return Object.fromEntries(given) as Record<string, string | readonly string[]>
}

/** An open WebSocket. The first byte of each message is the number of a channel. */
export class PodSocket {
  /** The protocol that the server chose. */
  readonly protocol: string
  readonly #client: Client
  readonly #socket: WebSocket
  readonly #frames: FrameSocket
  readonly #own: OwnSocket
  #on: SocketHandlers | undefined
  #cause: Error | undefined
  #broken: Error | undefined
  #timer: { cancel(): void } | undefined
  #isOver = false

  constructor(client: Client, socket: WebSocket, frames: FrameSocket, own: OwnSocket) {
    this.#client = client
    this.#own = own
    this.#socket = socket
    this.#frames = frames
    this.protocol = socket.protocol
    socket.on('error', cause => {
      this.#cause ??= lost(cause, this.#own)
    })
    // `ws` does not report an error of its socket. After a clean end, none is reported.
    frames.on('error', cause => {
      this.#broken = cause
    })
    socket.on('pong', () => this.#awaitSilence())
    socket.once('close', code => this.#end(code))
  }

  /** Begins to deliver. */
  start(on: SocketHandlers): void {
    this.#on = on
    this.#awaitSilence()
    this.#frames.deliver((channel, bytes) => this.#data(channel, bytes))
  }

  /** Sends bytes, in frames as long as those of kube-apiserver. Resolves when they have left this process. Rejects if the connection ends before that. */
  async send(channel: number, data: Uint8Array): Promise<void> {
    for (let at = 0; at < data.length; at += sentFrameBytes) {
      await this.#sendFrame(channel, data.subarray(at, at + sentFrameBytes))
    }
  }

  #sendFrame(channel: number, data: Uint8Array): Promise<void> {
    const frame = Buffer.allocUnsafe(data.length + 1)
    frame[0] = channel
    frame.set(data, 1)
    return new Promise((resolve, reject) => {
      this.#socket.send(frame, { binary: true }, error =>
        error ? reject(this.#cause ?? lost(error, this.#own)) : resolve(),
      )
    })
  }

  /** Stops reading, so that the server has to wait. */
  pause(): void {
    this.#frames.hold()
  }

  /** Whether the server waits, after `pause`. */
  get isPaused(): boolean {
    return this.#frames.isHeld
  }

  resume(): void {
    if (!this.#isOver) this.#frames.release()
  }

  /** Ends the connection with a close frame, and destroys it if the server does not answer in time. */
  close(): void {
    if (this.#isOver) return
    this.#frames.finish()
    this.#socket.close(1000)
    this.#after(closeTimeoutMs, () => this.#socket.terminate())
  }

  /** Ends the connection at once. `end` is called with `cause`. */
  destroy(cause: Error): void {
    this.#cause ??= cause
    this.#socket.terminate()
  }

  #data(channel: number, bytes: Buffer): void {
    this.#awaitSilence()
    try {
      this.#on?.data(channel, bytes)
    } catch (thrown) {
      this.destroy(asError(thrown))
    }
  }

  #awaitSilence(): void {
    this.#after(pingAfterMs, () => {
      this.#socket.ping()
      this.#after(pingTimeoutMs, () => {
        // While the user has paused the socket, the server's PONG can't be read: its absence proves nothing.
        if (this.#frames.isHeld) this.#awaitSilence()
        else this.destroy(new ConnectionError('PING_TIMEOUT', `no answer to a PING within ${pingTimeoutMs} ms`))
      })
    })
  }

  #after(ms: number, then: () => void): void {
    this.#timer?.cancel()
    this.#timer = this.#isOver ? undefined : this.#client.environment.clock.timer(ms, then)
  }

  #end(code: number): void {
    this.#isOver = true
    this.#timer?.cancel()
    const isClean = code === 1000 || code === 1005
    this.#on?.end(this.#cause ?? (isClean ? undefined : lost(this.#broken, this.#own)))
  }
}
