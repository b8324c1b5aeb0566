import { once } from 'node:events'
import { performServerHandshake, type ServerHttp2Session } from 'node:http2'
import { type AddressInfo, createServer as createNetServer, type Server, type Socket } from 'node:net'
import { createServer as createTlsServer, type TLSSocket, type Server as TlsServer } from 'node:tls'
import type { Clock } from '@wherry/client'
import type { Authority } from './certificates.ts'
import type { Draw } from './draw.ts'
import { type Asked, Http1Answer, Http2Answer, http1Faults, http2Faults, type Out, type WireFault } from './wire.ts'

export type Protocol = 'http1' | 'https1' | 'http2'

/** What may go wrong with a connection, before any request. */
export const connectionFaults = [
  'reset',
  'close',
  'garbage',
  'hang',
  'cut',
  'other-name',
  'other-authority',
  'raw-frames',
  'few-streams',
  'old-frames',
] as const

export interface HostileOptions {
  readonly protocol: Protocol
  readonly clock: Clock
  readonly authority: Authority
  readonly stranger: Authority
  /** Asks clients for certificates, and has those verified by nobody. */
  readonly asksCertificate: boolean
  /** Draws of connections. */
  readonly draw: Draw
  /** How often a connection, or the bytes of an answer, go wrong while it is hostile. */
  readonly connectionRate: number
  readonly wireRate: number
  readonly connectionFaults: readonly string[]
  readonly wireFaults: readonly string[]
  /** Answers a request. */
  readonly answer: (asked: Asked, out: Out, fault: WireFault | undefined) => void
  /** Receives what was drawn. */
  readonly note: (line: string) => void
}

/** Speaks HTTP/1.1 by hand, or HTTP/2 by `node:http2`, over sockets of its own, well or badly. */
export class HostileServer {
  readonly #options: HostileOptions
  readonly #front: Server
  readonly #tls: Readonly<Record<'good' | 'other-name' | 'other-authority', TlsServer>>
  readonly #sockets = new Set<Socket>()
  /** The ends of TLS, by the client's port. */
  readonly #ends = new Map<number | undefined, TLSSocket>()
  readonly #faults = new WeakMap<Socket, string>()
  readonly #sessions = new Set<ServerHttp2Session>()
  #connections = 0
  #good: TlsServer | undefined
  behaves = false

  constructor(options: HostileOptions) {
    this.#options = options
    const { authority, stranger } = options
    this.#tls = {
      good: this.#terminator(authority.issue('server', ['127.0.0.1'])),
      'other-name': this.#terminator(authority.issue('other', ['other.example.com'])),
      'other-authority': this.#terminator(stranger.issue('server', ['127.0.0.1'])),
    }
    this.#front = createNetServer({ allowHalfOpen: true }, socket => this.#accept(socket))
  }

  async listen(): Promise<string> {
    this.#front.listen(0, '127.0.0.1')
    await once(this.#front, 'listening')
    const { port } = this.#front.address() as AddressInfo
    return `${this.#options.protocol === 'http1' ? 'http' : 'https'}://127.0.0.1:${port}`
  }

  /** From now on its certificate is a new one of the same authority. */
  renew(): void {
    this.#good = this.#terminator(this.#options.authority.issue('server', ['127.0.0.1']))
  }

  /** Ends all connections, as a restart does. */
  restart(): void {
    for (const socket of this.#sockets) socket.destroy()
  }

  get open(): number {
    return this.#sockets.size
  }

  async close(): Promise<void> {
    this.restart()
    for (const session of this.#sessions) session.destroy()
    await new Promise<void>(resolve => this.#front.close(() => resolve()))
  }

  #accept(socket: Socket): void {
    const { draw, connectionRate, protocol, note } = this.#options
    this.#sockets.add(socket)
    socket.on('error', () => {})
    socket.once('close', () => this.#sockets.delete(socket))
    socket.setNoDelay(true)
    const mine = draw.fork()
    const number = ++this.#connections
    const isBad = !this.behaves && mine.chance(connectionRate)
    const fault = isBad ? mine.pick(this.#options.connectionFaults) : undefined
    if (fault !== undefined) {
      note(`connection ${number}: ${fault}`)
      this.#faults.set(socket, fault)
    }
    if (fault === 'reset') return this.#resetConnection(socket)
    if (fault === 'close') return void socket.end()
    if (fault === 'hang') return void socket.resume()
    if (fault === 'garbage') {
      socket.resume()
      const size = mine.pick([1, 5, 100, 30_000])
      socket.write(Buffer.from(Array.from({ length: size }, () => mine.integer(0, 255))))
      if (mine.chance(0.7)) socket.end()
      return
    }
    if (fault === 'cut') this.#cutAfter(socket, mine)
    if (protocol === 'http1') return this.#http1(socket, mine)
    const which = fault === 'other-name' || fault === 'other-authority' ? fault : 'good'
    const terminator = which === 'good' ? (this.#good ?? this.#tls.good) : this.#tls[which]
    terminator.emit('connection', socket)
  }

  /** Lets so many bytes of this side through, of the handshake too, and then none, or an end. */
  #cutAfter(socket: Socket, draw: Draw): void {
    const after = draw.pick([1, 50, 500, 1500, 3000, 10_000])
    const isReset = draw.chance(0.5)
    const timer = this.#options.clock.timer(draw.integer(0, 20_000), () => {
      if (isReset) this.#resetConnection(socket)
      else socket.destroy()
    })
    socket.once('close', () => timer.cancel())
    socket.on('data', () => {
      if (socket.bytesRead > after && !socket.destroyed) this.#resetConnection(socket)
    })
  }

  #terminator(identity: { readonly cert: string; readonly key: string }): TlsServer {
    const { protocol, asksCertificate } = this.#options
    const server = createTlsServer({
      ...identity,
      ALPNProtocols: protocol === 'http2' ? ['h2'] : ['http/1.1'],
      requestCert: asksCertificate,
      rejectUnauthorized: false,
    })
    server.on('tlsClientError', (_, socket) => socket.destroy())
    server.on('secureConnection', socket => {
      const { remotePort } = socket
      socket.on('error', () => {})
      this.#ends.set(remotePort, socket)
      socket.once('close', () => this.#ends.get(remotePort) === socket && this.#ends.delete(remotePort))
      const draw = this.#options.draw.fork()
      if (protocol === 'http2') this.#http2(socket, draw)
      else this.#http1(socket, draw)
    })
    return server
  }

  /** Resets the connection that a socket, of TLS maybe, is on. */
  #reset(socket: Socket): void {
    const { remotePort } = socket
    for (const one of this.#sockets) if (one.remotePort === remotePort && !one.destroyed) this.#resetConnection(one)
    socket.destroy()
  }

  /** Resets a connection. Node leaves a socket open for ever that is reset while its end, or that of TLS on it, is on the way. */
  #resetConnection(socket: Socket): void {
    const isEnding = socket.writableEnded || this.#ends.get(socket.remotePort)?.writableEnded
    if (isEnding) socket.destroy()
    else socket.resetAndDestroy()
  }

  #fault(draw: Draw, kinds: readonly string[]): WireFault | undefined {
    const { wireFaults, wireRate } = this.#options
    const possible = wireFaults.filter(fault => kinds.includes(fault))
    if (this.behaves || possible.length === 0 || !draw.chance(wireRate)) return undefined
    return {
      what: draw.pick(possible),
      at: draw.pick([0, 1, 17, draw.integer(0, 400), draw.integer(0, 4000)]),
      draw: draw.fork(),
    }
  }

  #http1(socket: Socket, draw: Draw): void {
    let bytes: Buffer = Buffer.alloc(0)
    let isAnswering = false
    const next = (): void => {
      if (isAnswering) return
      const end = bytes.indexOf('\r\n\r\n')
      if (end < 0) return
      const [first = '', ...lines] = bytes.subarray(0, end).toString('latin1').split('\r\n')
      const headers: Record<string, string> = {}
      for (const line of lines) {
        const colon = line.indexOf(':')
        headers[line.slice(0, colon).toLowerCase()] = line.slice(colon + 1).trim()
      }
      const length = Number(headers['content-length'] ?? 0)
      if (bytes.length < end + 4 + length) return
      const body = bytes.subarray(end + 4, end + 4 + length).toString()
      bytes = bytes.subarray(end + 4 + length)
      const [method = '', target = ''] = first.split(' ')
      isAnswering = true
      const fault = this.#fault(draw, http1Faults)
      const out = new Http1Answer(
        socket,
        fault,
        () => this.#reset(socket),
        () => {
          isAnswering = false
          next()
        },
      )
      this.#options.answer(asked(method, target, headers, body), out, fault)
    }
    socket.on('data', chunk => {
      bytes = Buffer.concat([bytes, chunk as Buffer])
      next()
    })
    socket.on('end', () => socket.end())
  }

  #http2(socket: TLSSocket, draw: Draw): void {
    const isBad = !this.behaves && draw.chance(this.#options.connectionRate)
    const possible = this.#options.connectionFaults.filter(fault => /frames|streams/.test(fault))
    const fault = isBad && possible.length > 0 ? draw.pick(possible) : undefined
    if (fault !== undefined) this.#options.note(`session: ${fault}`)
    if (fault === 'raw-frames') return this.#rawFrames(socket, draw)
    if (fault === 'old-frames') {
      const frames = [frame(4, 0, 0, ''), frame(0xbe, 0xff, 0, 'whatever'), frame(0x10, 0, 1, 'x')]
      // Node's HTTP/2 takes the socket over: nothing may be under way on it then.
      socket.write(Buffer.concat(frames), () => this.#session(socket, draw, undefined))
      return
    }
    this.#session(socket, draw, fault)
  }

  #session(socket: TLSSocket, draw: Draw, fault: string | undefined): void {
    if (socket.destroyed) return
    const settings =
      fault === 'few-streams' ? { maxConcurrentStreams: draw.pick([0, 1, 1, 2]) } : { maxConcurrentStreams: 100 }
    const session = performServerHandshake(socket, { settings })
    this.#sessions.add(session)
    session.once('close', () => this.#sessions.delete(session))
    session.on('error', () => {})
    if (fault === 'few-streams') {
      const timer = this.#options.clock.timer(draw.integer(1, 60_000), () => {
        if (!session.destroyed) session.settings({ maxConcurrentStreams: draw.pick([0, 1, 100]) })
      })
      session.once('close', () => timer.cancel())
    }
    session.on('stream', (stream, received) => {
      let body = ''
      stream.setEncoding('utf8')
      stream.on('error', () => {})
      stream.on('data', text => {
        body += text
      })
      stream.on('end', () => {
        if (stream.destroyed) return
        const headers: Record<string, string> = {}
        for (const [name, value] of Object.entries(received)) headers[name] = `${value}`
        const fault = this.#fault(draw, http2Faults)
        const out = new Http2Answer(stream, fault)
        this.#options.answer(asked(headers[':method'] ?? '', headers[':path'] ?? '', headers, body), out, fault)
      })
    })
  }

  /** Frames by hand, that no server sends, or not so. */
  #rawFrames(socket: TLSSocket, draw: Draw): void {
    socket.resume()
    const settings = (id: number, value: number): Buffer => {
      const payload = Buffer.alloc(6)
      payload.writeUInt16BE(id, 0)
      payload.writeUInt32BE(value, 2)
      return frame(4, 0, 0, payload)
    }
    const odd: readonly (() => Buffer)[] = [
      () => settings(3, draw.pick([0, 1, 2 ** 32 - 1])),
      () => settings(4, draw.pick([0, 2 ** 31])),
      () => settings(5, draw.pick([0, 2 ** 24])),
      () => settings(2, 7),
      () => settings(0xfefe, 1),
      () => frame(4, 0, 0, 'odd'),
      () => frame(4, 1, 0, 'acked'),
      () => frame(6, 0, 0, '12345678'),
      () => frame(6, 0, 3, '1234'),
      () => frame(7, 0, 0, Buffer.from([0, 0, 0, 0, 0, 0, 0, draw.integer(0, 13)])),
      () => frame(7, 0, 0, 'x'),
      () => frame(3, 0, draw.pick([0, 1, 3, 99]), Buffer.from([0, 0, 0, draw.integer(0, 13)])),
      () => frame(8, 0, 0, Buffer.from([0x7f, 0xff, 0xff, 0xff])),
      () => frame(8, 0, draw.pick([0, 1]), Buffer.alloc(4)),
      () => frame(1, 4, draw.pick([0, 1, 2]), Buffer.from([0x88])),
      () => frame(1, 5, 1, Buffer.from([0xff, 0xff, 0xff])),
      () => frame(0, 1, draw.pick([0, 1, 2]), '{}'),
      () => frame(5, 4, 1, Buffer.from([0, 0, 0, 2, 0x82])),
      () => frame(9, 4, 1, 'x'),
      () => frame(draw.integer(10, 255), draw.integer(0, 255), draw.integer(0, 9), 'unknown'),
      () => Buffer.from([0xff, 0xff, 0xff, 0, 0, 0, 0, 0, 1]),
    ]
    const frames = draw.chance(0.8) ? [frame(4, 0, 0, '')] : []
    for (let i = draw.integer(0, 6); i > 0; i--) frames.push(draw.pick(odd)())
    socket.write(Buffer.concat(frames))
    if (draw.chance(0.5)) socket.end()
  }
}

function frame(type: number, flags: number, stream: number, payload: string | Buffer): Buffer {
  const bytes = Buffer.from(payload as string)
  const head = Buffer.alloc(9)
  head.writeUIntBE(bytes.length, 0, 3)
  head[3] = type
  head[4] = flags
  head.writeUInt32BE(stream, 5)
  return Buffer.concat([head, bytes])
}

function asked(method: string, target: string, headers: Readonly<Record<string, string>>, body: string): Asked {
  const url = new URL(target, 'http://x')
  return { method, path: url.pathname, query: url.searchParams, headers, body }
}
