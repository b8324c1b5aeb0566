import type { ResponseHeaders } from '../transport.ts'
import { ConnectionError } from './error.ts'

/** Hears what a {@link ResponseParser} reads. */
export interface ResponseParts {
  /** `reusable`: the connection may carry another request after this answer. */
  head(status: number, headers: ResponseHeaders, reusable: boolean): void
  /** A part of the body, never empty, in the memory of the chunk that it came with. */
  data(part: Buffer): void
  /** The answer is complete. `followed`: bytes came behind it that nobody asked for. */
  end(followed: boolean): void
}

/** What was received is no HTTP/1.1 answer. Says what is wrong with it, and shows none of it (rule X3). */
export class InvalidResponseError extends Error {
  override readonly name = 'InvalidResponseError'
  readonly code = 'INVALID_RESPONSE'
}

/** Longest line that begins a chunk of a body. */
const maxSizeLine = 1024
/** By so much may the extensions of an answer's chunks, which mean nothing here, be more than what is in them. */
const maxExtensions = 16 * 1024

const lineFeed = 10
const nothing: Buffer = Buffer.alloc(0)
const statusLine = /^HTTP\/1\.([01]) ([1-9]\d\d)(?: [\t\x20-\x7e\x80-\xff]*)?$/
const headerLine = /^([!#$%&'*+\-.^_`|~\w]+):([\t\x20-\x7e\x80-\xff]*)$/
/** Twelve digits are below 2^53. */
const sizeLine = /^0*([\da-f]{1,12})[\t ]*(;[\t\x20-\x7e\x80-\xff]*)?$/i

/** What the next byte belongs to; the first six are lines. */
type State =
  | 'status'
  | 'header'
  | 'size'
  | 'after chunk'
  | 'trailer'
  | 'idle'
  | 'counted'
  | 'chunk'
  | 'to the end'
  | 'over'

/**
 * Reads HTTP/1.1 answers off one connection, one for each `begin`, whatever the chunking
 * (RFC 9112). Holds a line at most, and lends bodies on where they lie.
 *
 * Stricter than it would have to be, since who reads an answer's length another way than the sender
 * takes one answer for a part of another: lines end with CR LF, a length is given once and in one
 * way, `chunked` is the only transfer coding, and what comes unasked is an error. Interim answers
 * (1xx) are left out; heads, trailers and extensions are bounded (rule X4).
 */
export class ResponseParser {
  readonly #maxHeaderBytes: number
  readonly #on: ResponseParts
  #state: State = 'idle'
  #bodiless = false
  /** The part of the present line that came already. */
  #line = ''
  #headerBytes = 0
  #extensionBytes = 0
  /** Bytes of the body, or of its chunk, that are still to come. */
  #left = 0
  #minor = '1'
  #status = 0
  #headers: Record<string, string | string[]> = Object.create(null)

  constructor(maxHeaderBytes: number, on: ResponseParts) {
    this.#maxHeaderBytes = maxHeaderBytes
    this.#on = on
  }

  /** Expects an answer to a request of this method. */
  begin(method: string): void {
    this.#bodiless = method === 'HEAD'
    this.#headerBytes = 0
    this.#extensionBytes = 0
    this.#state = 'status'
  }

  /** Calls nothing more, whatever comes. */
  stop(): void {
    this.#state = 'over'
  }

  /**
   * Reads on.
   * @throws InvalidResponseError where it is no answer, or none was asked for.
   * @throws ConnectionError with `HEADERS_TOO_LARGE` past the bound.
   */
  push(chunk: Buffer): void {
    let at = 0
    while (at < chunk.length) {
      switch (this.#state) {
        case 'over':
          return
        case 'idle':
          throw new InvalidResponseError('bytes came that no request asked for')
        case 'counted':
        case 'chunk':
        case 'to the end':
          at = this.#body(chunk, at)
          break
        default:
          at = this.#readLine(chunk, at)
      }
    }
  }

  /** The other side has closed. Ends an answer that goes on until then; gives whether nothing is missing. */
  finish(): boolean {
    if (this.#state === 'to the end') this.#end(nothing, 0)
    return this.#state === 'idle' || this.#state === 'over'
  }

  #body(chunk: Buffer, at: number): number {
    if (this.#state === 'to the end') {
      this.#on.data(chunk.subarray(at))
      return chunk.length
    }
    const to = Math.min(chunk.length, at + this.#left)
    this.#left -= to - at
    const complete = this.#left === 0 && this.#state === 'counted'
    if (this.#left === 0 && this.#state === 'chunk') this.#state = 'after chunk'
    this.#on.data(chunk.subarray(at, to))
    // Who heard that may have stopped this parser.
    if (complete && (this.#state as State) !== 'over') return this.#end(chunk, to)
    return to
  }

  #readLine(chunk: Buffer, at: number): number {
    // Of what TLS sends first, an alert or a handshake.
    if (this.#state === 'status' && this.#line === '' && (chunk[at] === 21 || chunk[at] === 22)) {
      throw new InvalidResponseError('the server speaks TLS on this port: use an https: URL')
    }
    const end = chunk.indexOf(lineFeed, at)
    const to = end < 0 ? chunk.length : end + 1
    this.#bound(this.#line.length + to - at, to - at)
    const line = this.#line + chunk.toString('latin1', at, to)
    if (end < 0) {
      this.#line = line
      return to
    }
    this.#line = ''
    if (!line.endsWith('\r\n')) throw new InvalidResponseError('a line does not end with CR LF')
    return this.#take(line.slice(0, -2), chunk, to)
  }

  /** Bounds a line before it is held. */
  #bound(length: number, more: number): void {
    if (this.#state === 'size' || this.#state === 'after chunk') {
      if (length > maxSizeLine) throw new InvalidResponseError('the size of a chunk is no number')
      return
    }
    this.#headerBytes += more
    if (this.#headerBytes > this.#maxHeaderBytes) {
      const message = `the answer's headers are longer than ${this.#maxHeaderBytes} bytes`
      throw new ConnectionError('HEADERS_TOO_LARGE', message)
    }
  }

  /** Takes one line; gives where to go on. */
  #take(line: string, chunk: Buffer, to: number): number {
    switch (this.#state) {
      case 'status':
        this.#takeStatus(line)
        break
      case 'header':
        if (line !== '') this.#takeHeader(line)
        else if (this.#takeHead()) return this.#end(chunk, to)
        break
      case 'size':
        this.#takeSize(line)
        break
      case 'after chunk':
        if (line !== '') throw new InvalidResponseError('a chunk is longer than it says')
        this.#state = 'size'
        break
      default: // a trailer
        if (line === '') return this.#end(chunk, to)
        if (!headerLine.test(line)) throw new InvalidResponseError('a trailer is no header')
    }
    return to
  }

  #takeStatus(line: string): void {
    const found = statusLine.exec(line)
    if (found === null) throw new InvalidResponseError('the answer does not begin with a status line of HTTP/1.1')
    this.#minor = found[1] as string
    this.#status = Number(found[2])
    this.#headers = Object.create(null)
    this.#state = 'header'
  }

  #takeHeader(line: string): void {
    const found = headerLine.exec(line)
    if (found === null) throw new InvalidResponseError('a header is none')
    const name = (found[1] as string).toLowerCase()
    const value = trimmed(found[2] as string)
    const before = this.#headers[name]
    if (before === undefined) this.#headers[name] = value
    else if (typeof before === 'string') this.#headers[name] = [before, value]
    else before.push(value)
  }

  /** The head is complete. Gives whether the answer is, too. */
  #takeHead(): boolean {
    const status = this.#status
    if (status < 200) {
      if (status === 101) throw new InvalidResponseError('the server changes to another protocol unasked')
      this.#state = 'status'
      return false
    }
    const headers = this.#headers
    const length = contentLength(headers['content-length'])
    const coding = headers['transfer-encoding']
    if (coding !== undefined) {
      if (length !== undefined) throw new InvalidResponseError('the length of the answer is given in two ways')
      if (typeof coding !== 'string' || coding.toLowerCase() !== 'chunked') {
        throw new InvalidResponseError('the answer has a transfer coding that was not asked for')
      }
    }
    const bodiless = this.#bodiless || status === 204 || status === 304 || length === 0
    if (bodiless) this.#state = 'counted'
    else if (coding !== undefined) this.#state = 'size'
    else if (length !== undefined) this.#state = 'counted'
    else this.#state = 'to the end'
    this.#left = length ?? 0
    // Only HTTP/1.1 has chunks: what sends them as HTTP/1.0 may end them in another way than it says.
    const keeps = this.#minor === '1' ? !names(headers, 'close') : names(headers, 'keep-alive') && coding === undefined
    this.#on.head(status, headers, keeps && this.#state !== 'to the end')
    return bodiless && this.#state === 'counted'
  }

  #takeSize(line: string): void {
    const found = sizeLine.exec(line)
    if (found === null) throw new InvalidResponseError('the size of a chunk is no number')
    this.#extensionBytes += found[2]?.length ?? 0
    if (this.#extensionBytes > maxExtensions) throw new InvalidResponseError('the extensions of chunks are too long')
    this.#left = Number.parseInt(found[1] as string, 16)
    // A watch that goes on for an hour may have a short one with each of its chunks.
    this.#extensionBytes = Math.max(0, this.#extensionBytes - this.#left)
    this.#state = this.#left === 0 ? 'trailer' : 'chunk'
  }

  /** The answer ends at `to`. The rest of the chunk is nobody's; what this tells may begin the next answer. */
  #end(chunk: Buffer, to: number): number {
    this.#state = 'idle'
    this.#on.end(to < chunk.length)
    return chunk.length
  }
}

function contentLength(value: string | readonly string[] | undefined): number | undefined {
  if (value === undefined) return undefined
  // The same length twice could be let pass; who sends it so may mean another.
  if (typeof value !== 'string' || !/^\d{1,15}$/.test(value)) {
    throw new InvalidResponseError('the length of the answer is no number')
  }
  return Number(value)
}

/** Without white space around it. A pattern could take a time that grows with the square of its length. */
function trimmed(value: string): string {
  let from = 0
  let to = value.length
  while (from < to && isBlank(value, from)) from++
  while (to > from && isBlank(value, to - 1)) to--
  return value.slice(from, to)
}

function isBlank(value: string, at: number): boolean {
  const code = value.charCodeAt(at)
  return code === 32 || code === 9
}

/** Whether `Connection:` has this option. */
function names(headers: ResponseHeaders, option: string): boolean {
  const value = headers.connection ?? ''
  const all = typeof value === 'string' ? value : value.join()
  return all
    .toLowerCase()
    .split(',')
    .some(each => each.trim() === option)
}
