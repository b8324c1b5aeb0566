import { Readable, Writable } from 'node:stream'
import type { Client } from '@wherry/client'
import { StreamError } from './errors.ts'
import type { PodRequest } from './pod.ts'
import { openPodSocket, type PodSocket } from './pod-socket.ts'

/** The channels of `v4.channel.k8s.io` and `v5.channel.k8s.io`. */
const channels = { stdin: 0, stdout: 1, stderr: 2, status: 3, resize: 4, close: 255 } as const

/** Only v5 has a message for the end of stdin. */
export const processProtocols: readonly string[] = ['v5.channel.k8s.io', 'v4.channel.k8s.io']

/** The length of the longest `Status` of an ended command. */
const maxStatusBytes = 1024 * 1024

/** The size of a terminal, in characters. */
export interface TerminalSize {
  readonly columns: number
  readonly rows: number
}

/**
 * A command that runs in a container, or the container's own program.
 *
 * Read both `stdout` and `stderr`: a stream without a reader blocks the command, and with it the other stream, as for a child process. If the connection
 * ends, the streams and `exit` fail. The container runtime then decides whether the command goes on: Kubernetes has no request that ends it.
 */
export interface RemoteProcess extends AsyncDisposable {
  /** The command's stdin: `end()` closes it. Destroyed from the start without `stdin: true`. */
  readonly stdin: Writable
  readonly stdout: Readable
  /** Stays empty with a terminal, which writes both to `stdout`. */
  readonly stderr: Readable
  /**
   * Resolves with the exit code when the command has ended: its output has arrived by then. Rejects with a `StreamError` if the command was not started, and
   * with a `ConnectionError` if the connection broke.
   */
  readonly exit: Promise<number>
  /** Changes the size of the command's terminal. */
  resize(size: TerminalSize): void
  /** Ends the connection. Resolves when it is closed. Idempotent. */
  close(): Promise<void>
}

/** The streams that a process has. */
export interface ProcessStreams {
  readonly stdin: boolean
  readonly tty: boolean
}

export async function openProcess(
  client: Client,
  request: PodRequest,
  streams: ProcessStreams,
  signal: AbortSignal,
): Promise<RemoteProcess> {
  const socket = await openPodSocket(client, request, processProtocols, signal)
  return new SocketProcess(socket, streams, signal)
}

class SocketProcess implements RemoteProcess {
  readonly stdin: Writable
  readonly stdout: Readable
  readonly stderr: Readable
  readonly exit: Promise<number>
  readonly #socket: PodSocket
  readonly #full = new Set<Readable>()
  readonly #ended = Promise.withResolvers<number>()
  #hasEnded = false
  readonly #gone = Promise.withResolvers<void>()
  #statusLength = 0
  readonly #status: Buffer[] = []

  constructor(socket: PodSocket, { stdin, tty }: ProcessStreams, signal: AbortSignal) {
    this.#socket = socket
    this.stdout = this.#readable()
    this.stderr = this.#readable()
    this.stdin = this.#writable()
    if (!stdin) this.stdin.destroy()
    if (tty) this.stderr.push(null)
    const aborted = (): void => socket.destroy(signal.reason)
    signal.addEventListener('abort', aborted, { once: true })
    this.exit = this.#ended.promise
    // A program that only reads the streams receives the error from them.
    this.exit.catch(() => {})
    socket.start({
      data: (channel, bytes) => this.#data(channel, Buffer.from(bytes)),
      end: cause => {
        signal.removeEventListener('abort', aborted)
        this.#finish(cause)
        this.#gone.resolve()
      },
    })
    if (signal.aborted) aborted()
  }

  resize({ columns, rows }: TerminalSize): void {
    const size = Buffer.from(JSON.stringify({ Width: columns, Height: rows }))
    // `exit` reports that the connection has ended.
    this.#socket.send(channels.resize, size).catch(() => {})
  }

  async close(): Promise<void> {
    this.#socket.close()
    await this.#gone.promise
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close()
  }

  #data(channel: number, data: Buffer): void {
    if (this.#hasEnded) return
    if (channel === channels.stdout) this.#deliver(this.stdout, data)
    else if (channel === channels.stderr) this.#deliver(this.stderr, data)
    else if (channel === channels.status) {
      this.#statusLength += data.length
      if (this.#statusLength > maxStatusBytes)
        throw new StreamError('STREAM_FAILED', 'the status of the command is too long')
      this.#status.push(data)
      this.#readStatus()
    }
  }

  #deliver(to: Readable, data: Buffer): void {
    if (to.destroyed || data.length === 0 || to.push(data)) return
    this.#full.add(to)
    this.#socket.pause()
  }

  #readable(): Readable {
    const readable: Readable = new Readable({
      read: () => this.#emptied(readable),
      destroy: (error, done) => {
        this.#emptied(readable)
        done(error)
      },
    })
    // An error of a stream without listeners must not end the program: `exit` rejects with it, too.
    readable.on('error', () => {})
    return readable
  }

  #emptied(readable: Readable): void {
    if (this.#full.delete(readable) && this.#full.size === 0) this.#socket.resume()
  }

  #writable(): Writable {
    const writable = new Writable({
      write: (chunk: Buffer, _, done) => void this.#socket.send(channels.stdin, chunk).then(() => done(), done),
      final: done => void this.#endStdin().then(() => done(), done),
    })
    writable.on('error', () => {})
    return writable
  }

  async #endStdin(): Promise<void> {
    if (this.#socket.protocol !== processProtocols[0]) {
      const message = `the server speaks ${this.#socket.protocol} only, which has no way to end stdin: a command that reads it to its end would not end`
      const error = new StreamError('STREAM_FAILED', message)
      this.#socket.destroy(error)
      throw error
    }
    await this.#socket.send(channels.close, Uint8Array.of(channels.stdin))
  }

  /** Ends the process if its status is complete. The server sends the status last. */
  #readStatus(): void {
    const status = parsed(Buffer.concat(this.#status).toString())
    // The rest of the status follows.
    if (status === undefined) return
    try {
      this.#end(exitCodeOf(status))
    } catch (error) {
      this.#end(error as Error)
    }
  }

  /** Ends the process when the connection has ended. */
  #finish(cause: Error | undefined): void {
    const text = Buffer.concat(this.#status).toString().trim()
    const reason = text || 'the server closed the connection without saying how the command ended'
    this.#end(text === '' && cause !== undefined ? cause : new StreamError('STREAM_FAILED', reason))
  }

  #end(outcome: number | Error): void {
    if (this.#hasEnded) return
    this.#hasEnded = true
    for (const stream of [this.stdout, this.stderr]) {
      if (outcome instanceof Error) stream.destroy(outcome)
      else stream.push(null)
    }
    this.stdin.destroy()
    if (outcome instanceof Error) this.#ended.reject(outcome)
    else this.#ended.resolve(outcome)
  }
}

/** The fields of a `Status` that are read. */
interface CommandStatus {
  readonly status?: string
  readonly message?: string
  readonly reason?: string
  readonly details?: { readonly causes?: readonly { readonly reason?: string; readonly message?: string }[] }
}

/** Returns `undefined` for a text that is not a whole object. */
function parsed(text: string): CommandStatus | undefined {
  if (!text.trimEnd().endsWith('}')) return undefined
  try {
    return JSON.parse(text) as CommandStatus
  } catch {
    return undefined
  }
}

function exitCodeOf(status: CommandStatus): number {
  if (status.status === 'Success') return 0
  const cause = status.details?.causes?.find(({ reason }) => reason === 'ExitCode')
  const code = Number(cause?.message ?? Number.NaN)
  if (status.reason === 'NonZeroExitCode' && Number.isInteger(code)) return code
  throw new StreamError('STREAM_FAILED', status.message ?? 'the server sent no reason', status.reason)
}
