import { createServer, type Server } from 'node:net'
import { Duplex } from 'node:stream'
import type { Client } from '@wherry/client'
import { abortSignal, asError, callback, checkOptions, integer, text } from '@wherry/client/internal'
import { StreamError } from './errors.ts'
import { type PodKey, podRequest } from './pod.ts'
import { openPodSocket, type PodSocket } from './pod-socket.ts'

/** The channels of the forwarded port. The first two bytes of each channel are the number of the port. */
const channels = { data: 0, error: 1 } as const
const headBytes = 2
/** The protocols that are offered. Servers of all versions choose the first one. */
const protocols: readonly string[] = ['v4.channel.k8s.io', 'portforward.k8s.io']
/** The protocol has no message for the end of one direction. So after the local end, the connection stays open until the pod has sent nothing for this time. */
const lingerMs = 10_000

/** The options of {@link connectPort}. */
export interface ConnectPortOptions {
  /** Destroys the connection. */
  readonly signal?: AbortSignal | undefined
}

/** The options of {@link portForward}. */
export interface PortForwardOptions extends ConnectPortOptions {
  /** The port on this machine. @default 0, which chooses a free one */
  readonly localPort?: number | undefined
  /** The address on this machine. @default '127.0.0.1' */
  readonly host?: string | undefined
  /**
   * Called if a connection fails, because the server refused it, nothing listens in the pod, or this machine could not accept it. Only that connection is closed.
   * If it throws, the error goes to `onError` of the client's environment. @default does nothing
   */
  readonly onError?: ((error: Error) => void) | undefined
}

/** A port of this machine that is forwarded to a port of a pod. */
export interface PortForward extends AsyncDisposable {
  readonly host: string
  readonly port: number
  /** Closes the port and its connections. Resolves when they are closed. Idempotent. */
  close(): Promise<void>
}

/**
 * Opens one connection to a port of a pod, as a stream of bytes. Destroy the stream when you no longer need it. The call needs the rights `get` and `create`
 * of `pods/portforward`.
 *
 * Rejects with an `ApiError` if the server refuses. If nothing listens in the pod, the stream fails with a `StreamError`.
 *
 * The protocol has no half-closed connections: after `end()`, the stream still delivers bytes of the pod, and ends when 10 s have passed without any. While
 * you do not read the stream, the time does not count.
 *
 * @example
 * ```ts
 * import { Client } from '@wherry/client'
 * import { connectPort } from '@wherry/streams'
 *
 * const client = await Client.connect()
 * const stream = await connectPort(client, { name: 'web-0', namespace: 'arcade' }, 8080)
 * stream.end('GET /healthz HTTP/1.0\r\n\r\n')
 * for await (const chunk of stream) console.log(`${chunk}`)
 * ```
 */
export async function connectPort(
  client: Client,
  pod: PodKey,
  port: number,
  options: ConnectPortOptions = {},
): Promise<Duplex> {
  checkOptions('connectPort', options, { signal: abortSignal })
  integer(1, 65_535)('port', port)
  const { signal = new AbortController().signal } = options
  return new PortStream(client, await openPort(client, pod, port, signal), signal)
}

function openPort(client: Client, pod: PodKey, port: number, signal: AbortSignal): Promise<PodSocket> {
  return openPodSocket(client, podRequest(client, pod, 'portforward', { ports: port }), protocols, signal)
}

/**
 * Listens on a port of this machine, and connects each connection to a port of a pod, as {@link connectPort} does.
 *
 * @example
 * ```ts
 * import { Client } from '@wherry/client'
 * import { portForward } from '@wherry/streams'
 *
 * const client = await Client.connect()
 * await using forward = await portForward(client, { name: 'db-0', namespace: 'arcade' }, 8080)
 * const answer = await fetch(`http://127.0.0.1:${forward.port}/health`)
 * console.log(answer.status)
 * ```
 */
export async function portForward(
  client: Client,
  pod: PodKey,
  port: number,
  options: PortForwardOptions = {},
): Promise<PortForward> {
  const checks = { signal: abortSignal, localPort: integer(0, 65_535), host: text, onError: callback }
  checkOptions('portForward', options, checks)
  integer(1, 65_535)('port', port)
  const { localPort = 0, host = '127.0.0.1', onError = () => {}, signal } = options
  signal?.throwIfAborted()
  const closing = new AbortController()
  const connections = new Set<Promise<void>>()
  const report = (error: unknown): void => {
    try {
      onError(asError(error))
    } catch (thrown) {
      client.environment.onError(asError(thrown), { phase: 'handler' })
    }
  }
  const server = createServer({ allowHalfOpen: true, noDelay: true }, local => {
    const connection = forward(client, pod, port, local, closing.signal).catch((error: unknown) => {
      if (!closing.signal.aborted) report(error)
    })
    connections.add(connection)
    void connection.then(() => connections.delete(connection))
  })
  await listening(server, localPort, host)
  // A connection that can't be accepted, for example without a free file descriptor.
  server.on('error', report)
  const stop = async (): Promise<void> => {
    signal?.removeEventListener('abort', aborted)
    closing.abort(signal?.aborted ? signal.reason : new StreamError('STREAM_FAILED', 'the forwarded port was closed'))
    server.close()
    await Promise.all(connections)
  }
  let closed: Promise<void> | undefined
  const close = (): Promise<void> => {
    closed ??= stop()
    return closed
  }
  const aborted = (): void => void close()
  signal?.addEventListener('abort', aborted, { once: true })
  const address = server.address()
  const taken = address !== null && typeof address === 'object' ? address.port : localPort
  return { host, port: taken, close, [Symbol.asyncDispose]: close }
}

function listening(server: Server, port: number, host: string): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, host, () => {
      server.off('error', reject)
      resolve()
    })
  })
}

/** Connects a local socket to a port of a pod. Resolves when both sides have closed. Rejects if the remote side failed. */
async function forward(client: Client, pod: PodKey, port: number, local: Duplex, signal: AbortSignal): Promise<void> {
  // An error of the local connection is no error of the forwarding.
  local.on('error', () => {})
  let remote: Duplex
  try {
    remote = new PortStream(client, await openPort(client, pod, port, signal), signal, local)
  } catch (error) {
    local.destroy()
    throw error
  }
  if (local.destroyed) remote.destroy()
  await new Promise<void>((resolve, reject) => {
    let cause: Error | undefined
    remote.on('error', error => {
      cause = error
    })
    const settle = (): void => {
      signal.removeEventListener('abort', aborted)
      if (cause === undefined) resolve()
      else reject(cause)
    }
    const aborted = (): void => void local.destroy()
    signal.addEventListener('abort', aborted, { once: true })
    remote.once('close', () => {
      if (cause !== undefined || signal.aborted) local.destroy()
      // A slow reader still receives the bytes that came before the end.
      else local.end(() => local.destroy())
      if (local.closed) settle()
    })
    local.once('close', () => {
      remote.destroy()
      if (remote.closed) settle()
    })
    local.pipe(remote)
    // The pod's bytes are written to the local socket without this stream.
    remote.resume()
  })
}

/** The bytes from the pod, as a stream. A local socket gets them directly from the memory that they were read into, and not through the stream. */
class PortStream extends Duplex {
  readonly #client: Client
  readonly #socket: PodSocket
  readonly #local: Duplex | undefined
  readonly #gone: Promise<void>
  readonly #skipped = new Map<number, number>()
  #said = ''
  #linger: { cancel(): void } | undefined
  #isEnding = false
  #isSilent = false

  constructor(client: Client, socket: PodSocket, signal: AbortSignal, local?: Duplex) {
    super({ allowHalfOpen: true })
    this.#client = client
    this.#socket = socket
    this.#local = local
    const ended = Promise.withResolvers<void>()
    this.#gone = ended.promise
    const aborted = (): void => void this.destroy(signal.reason)
    signal.addEventListener('abort', aborted, { once: true })
    socket.start({
      data: (channel, bytes) => this.#data(channel, bytes),
      end: cause => {
        signal.removeEventListener('abort', aborted)
        this.#linger?.cancel()
        ended.resolve()
        this.#over(cause)
      },
    })
    if (signal.aborted) aborted()
  }

  override _read(): void {
    if (this.#local === undefined) this.#resume()
  }

  override _write(chunk: Buffer, _: BufferEncoding, done: (error?: Error | null) => void): void {
    this.#socket.send(channels.data, chunk).then(() => done(), done)
  }

  override _final(done: (error?: Error | null) => void): void {
    this.#isEnding = true
    this.#awaitSilence()
    done()
  }

  override _destroy(error: Error | null, done: (error: Error | null) => void): void {
    this.#linger?.cancel()
    this.#socket.close()
    void this.#gone.then(() => done(error))
  }

  #data(channel: number, data: Buffer): void {
    if (this.destroyed || this.#isSilent) return
    const bytes = this.#withoutHead(channel, data)
    if (bytes.length === 0) return
    if (channel === channels.error) {
      this.#said += bytes.toString()
      this.destroy(new StreamError('STREAM_FAILED', this.#said.trim()))
    } else if (channel === channels.data) {
      if (this.#isEnding) this.#awaitSilence()
      if (this.#local !== undefined) this.#writeTo(this.#local, bytes)
      // The stream's reader may keep the bytes, so they are copied.
      else if (!this.push(Buffer.from(bytes))) this.#socket.pause()
    }
  }

  #writeTo(local: Duplex, bytes: Buffer): void {
    local.write(bytes, () => {
      if (local.writableLength === 0) this.#resume()
    })
    // Later, the local socket reads from this memory the bytes that it could not send at once.
    if (local.writableLength > 0) this.#socket.pause()
  }

  #withoutHead(channel: number, data: Buffer): Buffer {
    const skipped = this.#skipped.get(channel) ?? 0
    const skip = Math.min(headBytes - skipped, data.length)
    this.#skipped.set(channel, skipped + skip)
    return data.subarray(skip)
  }

  #awaitSilence(): void {
    this.#linger?.cancel()
    this.#linger = this.#client.environment.clock.timer(lingerMs, () => {
      // The pod's bytes wait until the stream is read.
      if (this.#socket.isPaused) return
      this.#over(undefined)
      this.#isSilent = true
      this.#socket.close()
    })
  }

  #resume(): void {
    if (this.#isEnding && this.#socket.isPaused) this.#awaitSilence()
    this.#socket.resume()
  }

  #over(cause: Error | undefined): void {
    if (this.destroyed || this.#isSilent) return
    if (cause !== undefined) this.destroy(cause)
    else {
      this.push(null)
      // The pod reads nothing any more.
      this.once('end', () => this.destroy())
    }
  }
}
