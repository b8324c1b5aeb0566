import type { CloseReason, Connection, Exchange, RequestHead, ResponseHandlers } from '../transport.ts'
import { type Chunking, rechunk } from './memory-chunks.ts'
import { REFUSED_STREAM, resetError, transportError } from './memory-errors.ts'
import type { ClientFrame, ServerFrame } from './memory-frames.ts'
import { Pipe } from './memory-pipe.ts'
import { MemoryServerEnd, type MemoryServerEndOptions } from './memory-server-end.ts'
import { MemoryStream, type StreamHost } from './memory-stream.ts'

/** The options that all connections of a transport share. */
export interface MemoryConnectionOptions extends MemoryServerEndOptions {
  readonly windowBytes: number
  readonly latencyMs: () => number
  readonly chunking: Chunking
  readonly trace: ((line: string) => void) | undefined
  /** Called after each sent request. */
  readonly onRequest: (connection: MemoryConnection) => void
  /** Called when both ends know that the connection is gone. */
  readonly onGone: (connection: MemoryConnection) => void
}

type CloseListener = (why: CloseReason, cause?: Error) => void

interface Ping {
  resolve(): void
  reject(cause: Error): void
}

/** One connection: the client's end, the two directions, and the methods by which a test breaks it. */
export class MemoryConnection implements Connection {
  readonly id: number
  readonly #options: MemoryConnectionOptions
  readonly #toServer: Pipe<ClientFrame>
  readonly #toClient: Pipe<ServerFrame>
  readonly #server: MemoryServerEnd
  readonly #streamHost: StreamHost
  readonly #streams = new Set<MemoryStream>()
  readonly #listeners: CloseListener[] = []
  readonly #pings = new Map<number, Ping>()
  #state: 'open' | 'goaway' | 'closed' = 'open'
  #cause: Error | undefined
  #closing: Promise<void> | undefined
  #nextId = 1
  #nextPing = 1
  #bytesToKill = Number.POSITIVE_INFINITY

  constructor(id: number, target: URL, options: MemoryConnectionOptions) {
    this.id = id
    this.#options = options
    const { clock, random, latencyMs, chunking, windowBytes, trace } = options
    this.#toServer = new Pipe({ clock, latencyMs, arrive: frame => this.#server.receive(frame) })
    this.#toClient = new Pipe({
      clock,
      latencyMs,
      divide: frames => rechunk(frames, chunking, random),
      arrive: frame => this.#receive(frame),
    })
    const server = new MemoryServerEnd(options, target.host, this.#toClient, () => this.#goneWhenBothAre())
    this.#server = server
    this.#streamHost = {
      windowBytes,
      get writable() {
        return !server.closed
      },
      sendToClient: frame => server.send(frame),
      credit: (stream, bytes) => this.#toServer.send({ kind: 'credit', stream, bytes }),
      cancel: stream => this.#cancel(stream),
      over: stream => void this.#streams.delete(stream),
      later: fn => void clock.timer(0, fn),
      trace: trace && ((stream, what) => trace(`${this.id}.${stream.id} ${what}`)),
    }
  }

  get maxStreams(): number {
    return this.#options.maxStreams
  }

  /** The streams under way, a line each. */
  pending(): string[] {
    return [...this.#streams].map(stream => `connection ${this.id} ${stream}`)
  }

  request(head: RequestHead, on: ResponseHandlers): Exchange {
    const { protocol, clock, onRequest } = this.#options
    if (protocol === 'http/1.1' && this.#streams.size > 0) {
      throw new Error('an HTTP/1.1 connection takes one request at a time')
    }
    const stream = new MemoryStream(this.#nextId, head, on, this.#streamHost)
    this.#nextId += 2
    this.#streamHost.trace?.(stream, `> ${head.method} ${head.path}`)
    if (this.#state === 'open') {
      this.#streams.add(stream)
      this.#toServer.send({ kind: 'request', stream, head })
      onRequest(this)
    } else {
      const code = this.#state === 'goaway' ? 'ERR_HTTP2_GOAWAY_SESSION' : 'ERR_HTTP2_INVALID_SESSION'
      const cause = transportError('the connection takes no more requests', { code, unprocessed: true })
      clock.timer(0, () => stream.fail(cause))
    }
    return stream
  }

  ping(): Promise<void> {
    return new Promise((resolve, reject) => {
      if (this.#state === 'closed') {
        reject(this.#closedError())
        return
      }
      const id = this.#nextPing++
      this.#pings.set(id, { resolve, reject })
      this.#toServer.send({ kind: 'ping', id })
    })
  }

  onClose(fn: CloseListener): void {
    this.#listeners.push(fn)
    if (this.#state === 'goaway') fn('goaway')
    if (this.#state === 'closed') fn('closed', this.#cause)
  }

  close(): Promise<void> {
    this.#closing ??= new Promise(resolve => {
      const open = this.#state !== 'closed'
      if (open) {
        this.#state = 'closed'
        this.#toClient.take()
        this.#toServer.send({ kind: 'close' })
      }
      this.#options.clock.timer(0, () => {
        if (open) this.#end(undefined)
        resolve()
      })
    })
    return this.#closing
  }

  /** Sends the server's GOAWAY. */
  goaway(): void {
    this.#server.goaway()
  }

  /** Breaks the connection for both ends at once, frozen or not. A random first part of the bytes under way arrives. */
  kill(): void {
    this.#bytesToKill = Number.POSITIVE_INFINITY
    this.thaw()
    this.#server.reset()
    this.#options.clock.timer(0, () => {
      for (const frame of this.#toClient.take()) this.#receive(frame)
    })
  }

  /** Kills the connection as soon as the client has received `bytes` more bytes of responses, not one byte later. */
  killAfter(bytes: number): void {
    this.#bytesToKill = bytes
    if (bytes === 0) this.#killHere()
  }

  /** Stops all bytes from now on, in both directions, without either end noticing. */
  freeze(): void {
    this.#toServer.stall()
    this.#toClient.stall()
  }

  /** Ends a freeze: the bytes that were sent meanwhile arrive. */
  thaw(): void {
    this.#toServer.resume()
    this.#toClient.resume()
  }

  #receive(frame: ServerFrame): void {
    if (this.#state === 'closed') return
    if (frame.kind === 'data') this.#receiveData(frame.stream, frame.bytes)
    else if (frame.kind === 'head') frame.stream.receiveHead(frame.status, frame.headers)
    else if (frame.kind === 'end') {
      this.#server.finish(frame.stream)
      frame.stream.receiveEnd()
    } else if (frame.kind === 'rst') {
      this.#server.finish(frame.stream)
      frame.stream.fail(resetError(frame.code))
    } else if (frame.kind === 'pong') {
      this.#pings.get(frame.id)?.resolve()
      this.#pings.delete(frame.id)
    } else if (frame.kind === 'goaway') this.#receiveGoaway(frame.lastId)
    else {
      this.#state = 'closed'
      this.#end(frame.cause)
    }
  }

  #receiveData(stream: MemoryStream, bytes: Uint8Array): void {
    const part = bytes.length <= this.#bytesToKill ? bytes : bytes.subarray(0, this.#bytesToKill)
    this.#bytesToKill -= part.length
    stream.receiveData(part)
    if (this.#bytesToKill === 0) this.#killHere()
  }

  /** Kills the connection. Frames that are under way do not arrive. */
  #killHere(): void {
    this.#toClient.take()
    this.kill()
  }

  #receiveGoaway(lastId: number): void {
    this.#state = 'goaway'
    for (const listener of [...this.#listeners]) listener('goaway')
    for (const stream of [...this.#streams]) {
      if (stream.id > lastId) stream.fail(resetError(REFUSED_STREAM))
    }
  }

  #cancel(stream: MemoryStream): void {
    if (!this.#streams.has(stream)) return
    if (this.#options.protocol === 'h2') this.#toServer.send({ kind: 'cancel', stream })
    else void this.close()
  }

  /** Ends the remaining streams and pings on the client's side of a closed connection. */
  #end(cause: Error | undefined): void {
    this.#cause = cause
    if (this.#streams.size > 0 || this.#pings.size > 0) {
      const error = cause ?? this.#closedError()
      for (const stream of [...this.#streams]) stream.fail(error)
      for (const ping of this.#pings.values()) ping.reject(error)
      this.#pings.clear()
    }
    for (const listener of [...this.#listeners]) listener('closed', cause)
    this.#goneWhenBothAre()
  }

  #goneWhenBothAre(): void {
    if (this.#state === 'closed' && this.#server.closed) this.#options.onGone(this)
  }

  #closedError(): Error {
    return transportError('the connection is closed', { code: 'ECONNRESET' })
  }
}
