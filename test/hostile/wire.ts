import type { ServerHttp2Stream } from 'node:http2'
import type { Socket } from 'node:net'
import type { Draw } from './draw.ts'

/** A request as any protocol brings it. */
export interface Asked {
  readonly method: string
  readonly path: string
  readonly query: URLSearchParams
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

/** What goes wrong with the bytes of one answer. */
export interface WireFault {
  readonly what: string
  /** After so many bytes of it. */
  readonly at: number
  readonly draw: Draw
}

/** Where an answer is written. */
export interface Out {
  head(status: number, headers: Readonly<Record<string, string>>, length?: number): void
  write(text: string): void
  end(): void
  /** Ends it in the middle. */
  cut(reset: boolean): void
  readonly isOver: boolean
  onOver(fn: () => void): void
}

export const http1Faults = [
  'cut',
  'reset',
  'silence',
  'bad-chunk',
  'wrong-length',
  'header-flood',
  'long-header',
  'bad-status-line',
  'interim',
  'two-lengths',
  'junk-after',
  'bare-newlines',
  'byte-by-byte',
] as const
export const http2Faults = [
  'cut',
  'reset',
  'silence',
  'rst',
  'goaway',
  'destroy',
  'header-flood',
  'rst-after-end',
] as const

abstract class Answer {
  #over = false
  readonly #after: (() => void)[] = []

  get isOver(): boolean {
    return this.#over
  }

  onOver(fn: () => void): void {
    if (this.#over) fn()
    else this.#after.push(fn)
  }

  over(): void {
    if (this.#over) return
    this.#over = true
    for (const fn of this.#after.splice(0)) fn()
  }
}

/** An answer in HTTP/1.1, written byte by byte by itself. */
export class Http1Answer extends Answer implements Out {
  readonly #socket: Socket
  readonly #fault: WireFault | undefined
  readonly #reset: () => void
  readonly #done: () => void
  #written = 0
  #chunked = false
  #silent = false
  #ended = false

  /** `reset` resets the connection below, TLS or not. */
  constructor(socket: Socket, fault: WireFault | undefined, reset: () => void, done: () => void) {
    super()
    this.#socket = socket
    this.#reset = reset
    this.#fault = fault
    this.#done = done
    const closed = (): void => this.over()
    socket.once('close', closed)
    this.onOver(() => socket.off('close', closed))
  }

  head(status: number, headers: Readonly<Record<string, string>>, length?: number): void {
    const what = this.#fault?.what
    const draw = this.#fault?.draw as Draw
    this.#chunked = length === undefined
    let text = `HTTP/1.1 ${status} Whatever\r\n`
    if (what === 'bad-status-line') {
      text = draw.pick([
        'HTTP/9.9 abc\r\n',
        '\0\0\0\r\n',
        'HTTP/1.1\r\n',
        'HTTP/1.1 99999 no\r\n',
        '\r\n\r\n',
        `${'x'.repeat(70_000)}\r\n`,
      ])
    }
    if (what === 'interim')
      text = `HTTP/1.1 ${draw.pick([100, 102, 103])} Early\r\nlink: x\r\n\r\n`.repeat(draw.integer(1, 200)) + text
    for (const [name, value] of Object.entries(headers)) text += `${name}: ${value}\r\n`
    if (what === 'header-flood') for (let i = 0; i < 20_000; i++) text += `x-${i}: ${i}\r\n`
    if (what === 'long-header') text += `x-long: ${'y'.repeat(draw.pick([20_000, 400_000]))}\r\n`
    if (what === 'two-lengths') text += `content-length: 7\r\ncontent-length: ${draw.pick([7, 9])}\r\n`
    if (length === undefined) text += 'transfer-encoding: chunked\r\n'
    else if (what === 'wrong-length') {
      text += `content-length: ${draw.pick([`${length + 10}`, `${Math.max(0, length - 3)}`, '-1', '1e3', '99999999999999999999', 'x'])}\r\n`
    } else text += `content-length: ${length}\r\n`
    text += '\r\n'
    this.#raw(what === 'bare-newlines' ? text.replaceAll('\r\n', '\n') : text)
  }

  write(text: string): void {
    if (text === '') return
    if (!this.#chunked) return this.#raw(text)
    const size = Buffer.byteLength(text)
    if (this.#fault?.what !== 'bad-chunk' || this.#written < this.#fault.at) {
      return this.#raw(`${size.toString(16)}\r\n${text}\r\n`)
    }
    const wrong = [
      `${(size + 2).toString(16)}\r\n${text}\r\n`,
      `zz\r\n${text}\r\n`,
      `-5\r\n${text}\r\n`,
      `${text}`,
      'f'.repeat(40),
    ]
    this.#raw(`${this.#fault.draw.pick(wrong)}`)
  }

  end(): void {
    if (this.isOver || this.#silent || this.#ended) return
    this.#ended = true
    if (this.#chunked) this.#raw('0\r\n\r\n')
    if (this.#fault?.what === 'junk-after') this.#raw('HTTP/1.1 200 OK\r\ncontent-length: 5\r\n\r\nhello')
    if (this.isOver) return
    this.over()
    this.#done()
  }

  cut(reset: boolean): void {
    if (reset) this.#reset()
    else this.#socket.end()
    this.over()
  }

  #raw(text: string): void {
    if (this.#silent || this.isOver || this.#socket.destroyed) return
    const bytes = Buffer.from(text)
    const fault = this.#fault
    const room = fault === undefined ? Number.POSITIVE_INFINITY : fault.at - this.#written
    this.#written += bytes.length
    if (fault !== undefined && this.#written > fault.at) {
      const part = bytes.subarray(0, Math.max(0, room))
      if (fault.what === 'cut' || fault.what === 'reset') {
        if (part.length > 0) this.#socket.write(part)
        return this.cut(fault.what === 'reset')
      }
      if (fault.what === 'silence') {
        if (part.length > 0) this.#socket.write(part)
        this.#silent = true
        return
      }
    }
    if (fault?.what === 'byte-by-byte' && bytes.length < 3000) {
      for (let i = 0; i < bytes.length; i += 7) this.#socket.write(bytes.subarray(i, i + 7))
    } else this.#socket.write(bytes)
  }
}

/** An answer on a stream of HTTP/2. */
export class Http2Answer extends Answer implements Out {
  readonly #stream: ServerHttp2Stream
  readonly #fault: WireFault | undefined
  #written = 0
  #silent = false

  constructor(stream: ServerHttp2Stream, fault: WireFault | undefined) {
    super()
    this.#stream = stream
    this.#fault = fault
    stream.once('close', () => this.over())
    stream.on('error', () => this.over())
  }

  head(status: number, headers: Readonly<Record<string, string>>, length?: number): void {
    if (this.#gone || this.#silent) return
    const { what, at = 0, draw } = this.#fault ?? {}
    if (what === 'silence' && at === 0) {
      this.#silent = true
      return
    }
    const more: Record<string, string> = {}
    if (what === 'header-flood') for (let i = 0; i < 3000; i++) more[`x-${i}`] = `${draw?.integer(0, 1e6)}`
    try {
      this.#stream.respond({
        ...headers,
        ...more,
        ':status': status,
        ...(length !== undefined && { 'content-length': length }),
      })
    } catch {
      this.cut(true)
    }
  }

  write(text: string): void {
    if (this.#gone || this.#silent || !this.#stream.headersSent) return
    const bytes = Buffer.from(text)
    const fault = this.#fault
    const room = fault === undefined ? 0 : fault.at - this.#written
    this.#written += bytes.length
    if (
      fault === undefined ||
      this.#written <= fault.at ||
      fault.what === 'header-flood' ||
      fault.what === 'rst-after-end'
    ) {
      this.#stream.write(bytes)
      return
    }
    const part = bytes.subarray(0, Math.max(0, room))
    if (part.length > 0) this.#stream.write(part)
    const session = this.#stream.session
    if (fault.what === 'silence') this.#silent = true
    else if (fault.what === 'cut') this.#stream.end()
    else if (fault.what === 'goaway') {
      session?.goaway(fault.draw.pick([0, 1, 2, 11]), fault.draw.pick([0, 1, 2 ** 31 - 1]))
      if (fault.draw.chance(0.5)) session?.destroy()
    } else if (fault.what === 'destroy') session?.destroy()
    else this.#stream.close(fault.draw.pick([0, 1, 2, 3, 5, 7, 8, 11, 13]))
    if (fault.what !== 'silence') this.over()
  }

  end(): void {
    if (this.#silent || this.#gone) return
    if (!this.#stream.headersSent) return
    if (this.#fault?.what === 'rst-after-end') this.#stream.close(this.#fault.draw.pick([0, 7, 8]))
    else this.#stream.end()
    this.over()
  }

  cut(reset: boolean): void {
    if (!this.#stream.destroyed) {
      if (reset) this.#stream.close(2)
      else this.#stream.end()
    }
    this.over()
  }

  get #gone(): boolean {
    return this.isOver || this.#stream.destroyed || this.#stream.closed
  }
}
