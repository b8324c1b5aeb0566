import type { Socket } from 'node:net'
import type { CloseReason, Connection, Exchange, RequestHead, ResponseHandlers, ResponseHeaders } from '../transport.ts'
import { ConnectionError, connectionLost } from './error.ts'
import type { Intake } from './intake.ts'
import { requestText } from './request-text.ts'
import { ResponseParser, type ResponseParts } from './response-parser.ts'

/** Bounds of an HTTP/1.1 connection. */
export interface Http1Limits {
  readonly maxHeaderBytes: number
}

/**
 * One HTTP/1.1 socket, kept alive from request to request.
 * @param intake Where the socket's bytes come in, if it was opened with one.
 */
export function connectHttp1(target: URL, socket: Socket, limits: Http1Limits, intake: Intake | undefined): Connection {
  return new Http1Connection(target, socket, limits, intake)
}

/**
 * Reads answers off the socket itself rather than by node:http, which copies each part of a body
 * into a new buffer: so a long list is parsed where the system's read has put it.
 */
class Http1Connection implements Connection, ResponseParts {
  readonly maxStreams = 1
  readonly readableBy: string | undefined
  readonly #host: string
  readonly #socket: Socket
  readonly #parser: ResponseParser
  readonly #listeners: ((why: CloseReason, cause?: Error) => void)[] = []
  readonly #gone: Promise<void>
  #state: 'open' | 'goaway' | 'closed' = 'open'
  #cause: Error | undefined
  #exchange: Http1Exchange | undefined
  /** Whether it has carried an answer. */
  #answered = false
  /** How long the server keeps the connection without a request, as far as it says so. */
  #keptMs = 0

  constructor(target: URL, socket: Socket, limits: Http1Limits, intake: Intake | undefined) {
    this.#host = target.host
    this.#socket = socket
    // By the address that it is connected to: that of a proxy, where there is one. Any name may be resolved to any address.
    this.readableBy = target.protocol === 'https:' ? undefined : (socket.remoteAddress ?? 'an unknown address')
    this.#parser = new ResponseParser(limits.maxHeaderBytes, this)
    socket.on('error', error => {
      this.#cause ??= error
    })
    // Set while there is no request only.
    socket.on('timeout', () => socket.destroy())
    // The server's FIN: it will answer nothing more. Only who reads hears of it.
    socket.on('end', () => {
      const whole = this.#parser.finish()
      this.#break(whole ? undefined : new Error('the server closed its side before the answer was complete'))
    })
    this.#gone = new Promise(resolve => {
      socket.once('close', () => {
        this.#break(undefined)
        this.#leave('closed')
        resolve()
      })
    })
    socket.on('data', (chunk: Buffer) => this.#read(chunk))
    intake?.lend(chunk => this.#read(chunk))
    socket.resume()
  }

  request(head: RequestHead, on: ResponseHandlers): Exchange {
    if (this.#state !== 'open' || this.#socket.destroyed || this.#exchange !== undefined) throw goneError()
    const text = requestText(head, this.#host)
    const exchange = new Http1Exchange(this.#socket, on)
    this.#exchange = exchange
    this.#socket.setTimeout(0)
    this.#parser.begin(head.method)
    if (head.body === undefined) this.#socket.write(text, 'latin1')
    else {
      this.#socket.cork()
      this.#socket.write(text, 'latin1')
      this.#socket.write(head.body)
      this.#socket.uncork()
    }
    return exchange
  }

  /** HTTP/1.1 has none; TCP keep-alive is on. */
  ping(): Promise<void> {
    return this.#state !== 'closed' ? Promise.resolve() : Promise.reject(new Error('the connection was closed'))
  }

  onClose(fn: (why: CloseReason, cause?: Error) => void): void {
    if (this.#state !== 'open') fn(this.#state, this.#cause)
    if (this.#state !== 'closed') this.#listeners.push(fn)
  }

  keepAlive(keep: boolean): void {
    if (keep) this.#socket.ref()
    else this.#socket.unref()
  }

  close(): Promise<void> {
    this.#socket.ref()
    this.#socket.destroy()
    return this.#gone
  }

  head(status: number, headers: ResponseHeaders, reusable: boolean): void {
    // A server, or a proxy before it, that gives a kept connection up may say so, and cross a request that it will not read.
    if (status === 408 && !reusable && this.#answered) {
      const message = 'the server gave up the connection before it had the request'
      this.#break(new ConnectionError('STREAM_REFUSED', message, { unprocessed: true }))
      return
    }
    // `Connection: close`: this answer is its last.
    if (!reusable) this.#leave('goaway')
    this.#answered = true
    this.#keptMs = keptMs(headers)
    this.#exchange?.begin(status, headers)
  }

  data(part: Buffer): void {
    this.#exchange?.on?.data(part)
  }

  end(followed: boolean): void {
    const exchange = this.#exchange
    this.#exchange = undefined
    // What follows an answer unasked, or comes before all of its request is sent, would be taken for the next answer.
    if (followed || this.#socket.writableLength > 0) this.#socket.destroy()
    else {
      this.#socket.resume()
      // A request that crosses the server's close on its way may not be repeated: better closed from here, before.
      if (this.#keptMs > 0) this.#socket.setTimeout(Math.max(1, this.#keptMs - 1000))
    }
    exchange?.take()?.end()
  }

  #read(chunk: Buffer): void {
    if (this.#socket.destroyed) return
    try {
      this.#parser.push(chunk)
    } catch (error) {
      this.#break(error as Error)
    }
  }

  /** Ends the connection, and the exchange on it with an error. */
  #break(cause: Error | undefined): void {
    this.#cause ??= cause
    this.#parser.stop()
    this.#socket.destroy()
    const exchange = this.#exchange
    this.#exchange = undefined
    exchange?.take()?.error(broken(this.#cause))
  }

  #leave(why: CloseReason): void {
    if (this.#state === 'closed' || this.#state === why) return
    this.#state = why
    for (const listener of [...this.#listeners]) listener(why, this.#cause)
  }
}

class Http1Exchange implements Exchange {
  /** Who hears the answer; nobody once it is over. */
  on: ResponseHandlers | undefined
  readonly #socket: Socket
  #begun = false
  #paused = false

  constructor(socket: Socket, on: ResponseHandlers) {
    this.#socket = socket
    this.on = on
  }

  /** The answer begins. It is not before this that a pause holds it back. */
  begin(status: number, headers: ResponseHeaders): void {
    this.#begun = true
    this.on?.head(status, headers)
    this.#steer()
  }

  pause(): void {
    this.#paused = true
    this.#steer()
  }

  resume(): void {
    this.#paused = false
    this.#steer()
  }

  abort(): void {
    // Nothing else ends an HTTP/1.1 answer early.
    if (this.take() !== undefined) this.#socket.destroy()
  }

  take(): ResponseHandlers | undefined {
    const { on } = this
    this.on = undefined
    return on
  }

  #steer(): void {
    if (this.on === undefined || !this.#begun) return
    if (this.#paused) this.#socket.pause()
    else this.#socket.resume()
  }
}

/** `Keep-Alive: timeout=5` in milliseconds; 0 where the server does not say. */
function keptMs(headers: ResponseHeaders): number {
  const found = /\btimeout=(\d{1,6})\b/i.exec(`${headers['keep-alive'] ?? ''}`)
  return found === null ? 0 : Number(found[1]) * 1000
}

function goneError(): ConnectionError {
  return new ConnectionError('STREAM_REFUSED', 'the connection takes no more requests', { unprocessed: true })
}

function broken(cause: Error | undefined): ConnectionError {
  return cause instanceof ConnectionError ? cause : connectionLost(cause)
}
