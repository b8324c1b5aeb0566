import { once } from 'node:events'
import { request as httpRequest, type IncomingMessage } from 'node:http'
import { type ClientHttp2Session, connect as connectHttp2, type IncomingHttpHeaders } from 'node:http2'
import { request as httpsRequest } from 'node:https'
import { connect as connectTcp, type Socket } from 'node:net'
import { connect as connectTls } from 'node:tls'

/** What came back for one request, and how it ended. */
export interface Answer {
  readonly status: number
  readonly headers: IncomingHttpHeaders
  readonly body: Buffer
  /** `end`: finished by the server. Otherwise the error's code, or `rst N`. */
  readonly ending: string
}

export interface Ask {
  readonly method?: string | undefined
  readonly path?: string | undefined
  readonly headers?: Readonly<Record<string, string | string[]>> | undefined
  readonly body?: Uint8Array | undefined
}

export interface Credentials {
  readonly ca?: string | undefined
  readonly cert?: string | undefined
  readonly key?: string | undefined
}

export function http2Client(url: string, credentials: Credentials): ClientHttp2Session {
  const session = connectHttp2(url, { ...credentials })
  session.on('error', () => {})
  return session
}

/** One request on a session. */
export function askHttp2(
  session: ClientHttp2Session,
  { method = 'GET', path = '/', headers, body }: Ask,
): Promise<Answer> {
  return new Promise(resolve => {
    const stream = session.request({ ':method': method, ':path': path, ...headers }, { endStream: body === undefined })
    const chunks: Buffer[] = []
    let head: IncomingHttpHeaders = {}
    let ending = ''
    stream.on('response', got => {
      head = got
    })
    stream.on('data', (chunk: Buffer) => chunks.push(chunk))
    stream.on('end', () => {
      ending = 'end'
    })
    stream.on('error', () => {})
    stream.on('close', () => {
      const cut = stream.rstCode !== 0 || ending === '' || stream.aborted
      if (cut) ending = `rst ${stream.rstCode}`
      resolve({ status: Number(head[':status'] ?? 0), headers: head, body: Buffer.concat(chunks), ending })
    })
    if (body !== undefined) stream.end(body)
  })
}

/** One request on an HTTP/1.1 connection of its own, unless the headers say otherwise. */
export function askHttp1(url: string, ask: Ask & Credentials = {}): Promise<Answer> {
  const { method = 'GET', path = '/', headers, body, ...credentials } = ask
  return new Promise(resolve => {
    const send = url.startsWith('https:') ? httpsRequest : httpRequest
    const request = send(url + path, { method, headers: { ...headers }, agent: false, ...credentials })
    let answered = false
    const fail = (error: NodeJS.ErrnoException) => {
      if (!answered) resolve({ status: 0, headers: {}, body: Buffer.alloc(0), ending: error.code ?? error.message })
    }
    request.on('error', fail)
    request.on('response', (response: IncomingMessage) => {
      answered = true
      const chunks: Buffer[] = []
      let ending = 'end'
      response.on('data', (chunk: Buffer) => chunks.push(chunk))
      response.on('error', (error: NodeJS.ErrnoException) => {
        ending = error.code ?? error.message
      })
      response.on('close', () => {
        resolve({ status: response.statusCode ?? 0, headers: response.headers, body: Buffer.concat(chunks), ending })
      })
    })
    request.end(body)
  })
}

/** A TCP connection that keeps its bytes as text, and how it ended. */
export class RawClient {
  readonly socket: Socket
  readonly chunks: Buffer[] = []
  readonly ended: Promise<string>

  constructor(socket: Socket) {
    this.socket = socket
    let error: NodeJS.ErrnoException | undefined
    socket.on('data', chunk => this.chunks.push(chunk))
    socket.on('error', cause => {
      error = cause
    })
    this.ended = new Promise(resolve => socket.on('close', () => resolve(error?.code ?? 'closed')))
  }

  static async open(port: number): Promise<RawClient> {
    const socket = connectTcp(port, '127.0.0.1')
    await once(socket, 'connect')
    return new RawClient(socket)
  }

  get bytes(): Buffer {
    return Buffer.concat(this.chunks)
  }

  get text(): string {
    return this.bytes.toString('latin1')
  }
}

/** One HTTP/2 frame as it was on the wire. */
export interface Frame {
  readonly type: string
  readonly flags: number
  readonly stream: number
  readonly payload: Buffer
}

const TYPES = [
  'DATA',
  'HEADERS',
  'PRIORITY',
  'RST_STREAM',
  'SETTINGS',
  'PUSH_PROMISE',
  'PING',
  'GOAWAY',
  'WINDOW_UPDATE',
]
export const END_STREAM = 1
const PREFACE = 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'

/** An HTTP/2 client that obeys no limit, and that shows frames. It acknowledges settings. */
export class FrameClient extends RawClient {
  readonly frames: Frame[] = []
  #rest: Buffer = Buffer.alloc(0)
  #pending: Buffer[] | undefined

  static async connect(port: number, ca: string, over?: Socket): Promise<FrameClient> {
    const socket = connectTls({ port, host: '127.0.0.1', ca, ALPNProtocols: ['h2'], ...(over && { socket: over }) })
    await once(socket, 'secureConnect')
    const client = new FrameClient(socket)
    socket.on('data', chunk => client.#read(chunk))
    client.send(Buffer.concat([Buffer.from(PREFACE), frame(4, 0, 0, Buffer.alloc(0))]))
    return client
  }

  /** From now on frames are kept back until `flush`. */
  hold(): void {
    this.#pending ??= []
  }

  /** Sends what was kept back, in chunks of these sizes, over and over. Each is a TLS record of its own. */
  flush(sizes: readonly number[]): void {
    const all = Buffer.concat(this.#pending ?? [])
    this.#pending = undefined
    for (let at = 0, i = 0; at < all.length; i++) {
      const size = sizes[i % sizes.length] ?? all.length
      this.socket.write(all.subarray(at, at + size))
      at += size
    }
  }

  send(bytes: Buffer): void {
    if (this.#pending !== undefined) this.#pending.push(bytes)
    else this.socket.write(bytes)
  }

  /** A GET as one HEADERS frame of literals. */
  get(stream: number, path: string): void {
    const text = (name: number, value: string) => Buffer.concat([Buffer.of(name, value.length), Buffer.from(value)])
    this.send(frame(1, 5, stream, Buffer.concat([Buffer.of(0x82, 0x87), text(4, path), text(1, 'localhost')])))
  }

  /** A GET with headers of `size` bytes and more, in as few frames as the server takes. */
  getWithHeaders(stream: number, size: number): void {
    const value = Buffer.alloc(60_000, 'y')
    // A string's length past 126 goes on in groups of seven bits, the lowest first.
    const length = [
      0x7f,
      ((value.length - 127) & 127) | 128,
      (((value.length - 127) >> 7) & 127) | 128,
      (value.length - 127) >> 14,
    ]
    const field = Buffer.concat([Buffer.of(0, 3), Buffer.from('x-a'), Buffer.from(length), value])
    const fields = Buffer.concat([field, field, field, field])
    const authority = Buffer.from('\x01\x09localhost', 'latin1')
    this.send(frame(1, 1, stream, Buffer.concat([Buffer.of(0x82, 0x87, 0x84), authority])))
    for (let sent = 0; sent < size; sent += fields.length) {
      this.send(frame(9, sent + fields.length < size ? 0 : 4, stream, fields))
    }
  }

  /** Resolves when a frame matches. */
  async seen(match: (frame: Frame) => boolean): Promise<Frame> {
    for (;;) {
      const found = this.frames.find(match)
      if (found !== undefined) return found
      await once(this.socket, 'data')
    }
  }

  #read(chunk: Buffer): void {
    this.#rest = Buffer.concat([this.#rest, chunk])
    while (this.#rest.length >= 9) {
      const length = this.#rest.readUIntBE(0, 3)
      if (this.#rest.length < 9 + length) return
      const got: Frame = {
        type: TYPES[this.#rest[3] ?? 99] ?? 'UNKNOWN',
        flags: this.#rest[4] ?? 0,
        stream: this.#rest.readUInt32BE(5) & 0x7fffffff,
        payload: Buffer.from(this.#rest.subarray(9, 9 + length)),
      }
      this.#rest = this.#rest.subarray(9 + length)
      this.frames.push(got)
      if (got.type === 'SETTINGS' && got.flags === 0) this.send(frame(4, 1, 0, Buffer.alloc(0)))
    }
  }
}

export function frame(type: number, flags: number, stream: number, payload: Buffer): Buffer {
  const header = Buffer.alloc(9)
  header.writeUIntBE(payload.length, 0, 3)
  header[3] = type
  header[4] = flags
  header.writeUInt32BE(stream, 5)
  return Buffer.concat([header, payload])
}

/** Resolves once `condition` holds, looking again in each turn of the event loop. */
export async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await new Promise<void>(resolve => setImmediate(resolve))
}
