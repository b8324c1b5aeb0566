import { randomBytes } from 'node:crypto'
import { createServer as createHttpServer, type ServerResponse } from 'node:http'
import {
  createSecureServer,
  type Http2SecureServer,
  type IncomingHttpHeaders,
  type ServerHttp2Stream,
} from 'node:http2'
import {
  type AddressInfo,
  connect as connectTcp,
  createServer as createTcpServer,
  type Server,
  type Socket,
} from 'node:net'
import { createServer as createTlsServer, type TLSSocket } from 'node:tls'
import {
  type CertificateAuthority,
  createCertificateAuthority,
  type IssuedCertificate,
} from '@wherry/apiserver/front/certificates'
import { afterEach, beforeAll, describe, expect, it, vi } from 'vitest'
import type { Connection } from '../transport.ts'
import { NodeTransport, type NodeTransportOptions } from './node-transport.ts'
import { type Recorded, record } from './testkit/exchange.ts'
import { type FrameConnection, frameServer } from './testkit/frames.ts'

let authority: CertificateAuthority
let served: IssuedCertificate
let tls: { cert: string; key: string }
let closers: (() => unknown)[] = []

beforeAll(async () => {
  authority = createCertificateAuthority()
  served = authority.issueServer()
  tls = { cert: served.certPem, key: served.keyPem }
})

afterEach(async () => {
  for (const close of closers.reverse()) await close()
  closers = []
  vi.unstubAllEnvs()
})

/** Waits for a condition, however busy the machine is. */
function until(holds: () => unknown): Promise<unknown> {
  return vi.waitFor(holds, { interval: 5 })
}

const never = new AbortController().signal

function transport(options: NodeTransportOptions = {}): NodeTransport {
  const ca = authority.caPem
  return new NodeTransport({ credentials: { tls: () => ({ ca }), digest: () => ca }, ...options })
}

async function connected(url: URL, options: NodeTransportOptions = {}): Promise<Connection> {
  const connection = await transport(options).connect(url, never)
  closers.push(() => connection.close())
  return connection
}

async function listening(server: Server | Http2SecureServer, scheme = 'https'): Promise<URL> {
  const sockets = new Set<Socket>()
  server.on('connection', (socket: Socket) => {
    sockets.add(socket)
    socket.on('error', () => {})
    socket.once('close', () => sockets.delete(socket))
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  closers.push(
    () =>
      new Promise<void>(resolve => {
        server.close(() => resolve())
        for (const socket of sockets) socket.destroy()
      }),
  )
  return new URL(`${scheme}://127.0.0.1:${(server.address() as AddressInfo).port}`)
}

function http2Server(
  answer: (stream: ServerHttp2Stream, path: string, lines: readonly string[]) => void,
  settings = {},
): Promise<URL> {
  const server = createSecureServer({ ...tls, settings, maxSendHeaderBlockLength: 1_048_576 })
  server.on('sessionError', () => {})
  server.on('stream', (stream: ServerHttp2Stream, headers: IncomingHttpHeaders, _: number, lines: string[]) => {
    stream.on('error', () => {})
    answer(stream, headers[':path'] ?? '', lines)
  })
  return listening(server)
}

async function frames(onRequest: (connection: FrameConnection, stream: number) => void): Promise<URL> {
  const server = await frameServer(tls, onRequest)
  closers.push(() => server.close())
  return server.url
}

/** A socket with bytes that the test writes itself. */
function bytesServer(onRequest: (socket: Socket, n: number) => void): Promise<URL> {
  return listening(
    createTcpServer(socket => {
      let n = 0
      socket.on('data', () => onRequest(socket, n++))
    }),
    'http',
  )
}

describe('HTTP/2', () => {
  it('knows the bound on streams of the server as soon as it is connected', async () => {
    const url = await http2Server(stream => stream.respond(), { maxConcurrentStreams: 7 })
    expect((await connected(url)).maxStreams).toBe(7)
  })

  it('sends method, path, headers and body, and receives status, headers and body', async () => {
    const url = await http2Server((stream, path) => {
      let body = ''
      stream.setEncoding('utf8')
      stream.on('data', (text: string) => {
        body += text
      })
      stream.on('end', () => {
        stream.respond({ ':status': 201, 'x-path': path, warning: ['299 - "a, b"', '299 - "c"'] as never })
        stream.end(`got ${body}`)
      })
    })
    const connection = await connected(url)
    const recorded = record(connection, { method: 'POST', path: '/a?b=c', body: Buffer.from('text') })
    expect(await recorded.body).toBe('got text')
    const { status, headers } = await recorded.head
    expect(status).toBe(201)
    expect(headers['x-path']).toBe('/a?b=c')
    expect(headers.warning).toEqual(['299 - "a, b"', '299 - "c"'])
    expect(Object.getPrototypeOf(headers)).toBeNull()
  })

  it.each(['\u0161dmin', '\u540d', 'a\nb'])('sends no header that it would have to change: %j', async user => {
    let requests = 0
    const url = await http2Server(stream => {
      requests += 1
      stream.respond({}, { endStream: true })
    })
    const connection = await connected(url)
    expect(() => record(connection, { headers: { 'impersonate-user': user } })).toThrow('["impersonate-user"]')
    await record(connection, { headers: { 'impersonate-user': 'caf\u00e9' } }).body
    expect(requests).toBe(1)
  })

  it('sends the texts of one header as lines of their own, and none that it would have to change', async () => {
    const url = await http2Server((stream, _, lines) => {
      stream.respond({})
      stream.end(lines.filter((_, at) => lines[at - (at % 2)] === 'x-a').join(' '))
    })
    const connection = await connected(url)
    expect(await record(connection, { headers: { 'x-a': ['b', 'c'] } }).body).toBe('x-a b x-a c')
    expect(() => record(connection, { headers: { 'x-a': ['b', '\u0161'] } })).toThrow('["x-a"]')
  })

  it('follows no redirect', async () => {
    let requests = 0
    const url = await http2Server(stream => {
      requests += 1
      stream.respond({ ':status': 307, location: '/elsewhere' }, { endStream: true })
    })
    const recorded = record(await connected(url))
    await recorded.body
    expect([recorded.log, requests]).toEqual([['307', 'end'], 1])
  })

  it('ends an answer that has no body', async () => {
    const recorded = record(await connected(await frames((on, stream) => on.head(stream, { end: true }))))
    await recorded.body
    expect(recorded.log).toEqual(['200', 'end'])
  })

  it.each([
    ['without an error code', 0, 'STREAM_RESET'],
    ['with INTERNAL_ERROR', 2, 'STREAM_RESET'],
    ['with CANCEL', 8, 'STREAM_RESET'],
  ])('R14: a stream reset %s in the middle is an error, never an end', async (_, code, expected) => {
    const url = await frames((on, stream) => {
      on.head(stream)
      on.data(stream, 'half a li')
      on.rst(stream, code)
    })
    const connection = await connected(url)
    const recorded = record(connection)
    await expect(recorded.body).rejects.toMatchObject({ code: expected, unprocessed: false })
    expect(recorded.log).toEqual(['200', expected])
    // The connection is whole.
    await connection.ping()
  })

  it('an end that comes with a reset behind it is an end', async () => {
    const url = await frames((on, stream) => {
      on.head(stream)
      on.data(stream, 'whole', { end: true })
      on.rst(stream, 0)
    })
    expect(await record(await connected(url)).body).toBe('whole')
  })

  it('R14: a connection that breaks is an error to each stream, never an end', async () => {
    const url = await frames((on, stream) => {
      on.head(stream)
      on.data(stream, 'half')
      if (stream > 1) on.socket.destroy()
    })
    const connection = await connected(url)
    const closes: string[] = []
    connection.onClose(why => closes.push(why))
    const both = [record(connection), record(connection)]
    for (const { body } of both) await expect(body).rejects.toMatchObject({ code: 'CONNECTION_LOST' })
    await until(() => expect(closes).toEqual(['closed']))
    expect(() => record(connection)).toThrow(expect.objectContaining({ unprocessed: true }))
  })

  it('a refused stream is unprocessed', async () => {
    const url = await frames((on, stream) => on.rst(stream, 7))
    const recorded = record(await connected(url))
    await expect(recorded.body).rejects.toMatchObject({ code: 'STREAM_REFUSED', unprocessed: true })
  })

  it('GOAWAY: streams beyond the last one are unprocessed, the others go on to their end', async () => {
    const url = await frames((on, stream) => {
      if (stream === 1) on.head(stream)
      else {
        on.goaway(1)
        on.data(1, 'to the end', { end: true })
      }
    })
    const connection = await connected(url)
    const closes: string[] = []
    connection.onClose(why => closes.push(why))
    const first = record(connection)
    const second = record(connection)
    await expect(second.body).rejects.toMatchObject({ unprocessed: true })
    expect(await first.body).toBe('to the end')
    expect(closes[0]).toBe('goaway')
    expect(() => record(connection)).toThrow(expect.objectContaining({ code: 'STREAM_REFUSED', unprocessed: true }))
  })

  it('GOAWAY: is gone when it is closed, also where the server leaves its side open', async () => {
    const url = await http2Server(stream => {
      const { session } = stream
      stream.once('close', () => session?.goaway(0))
      stream.respond({}, { endStream: true })
    })
    const connection = await connected(url)
    const goaway = new Promise(resolve => connection.onClose(resolve))
    await record(connection).body
    expect(await goaway).toBe('goaway')
    await connection.close()
  })

  it('X8: is gone when it is closed, also while it writes what nobody reads any more', async () => {
    const windowBytes = 2 ** 26
    const server = createSecureServer({ ...tls, settings: { initialWindowSize: windowBytes } })
    server.on('session', session => session.on('error', () => {}).setLocalWindowSize(windowBytes))
    const { port } = await listening(server)
    // A way there that stands still once a body is on it.
    const relay = await listening(
      createTcpServer(from => {
        const to = connectTcp(Number(port), '127.0.0.1')
        closers.push(() => to.destroy())
        to.on('error', () => {}).pipe(from)
        from.pipe(to)
        server.once('stream', (stream: ServerHttp2Stream) => {
          stream.on('error', () => {})
          from.unpipe(to).pause()
        })
      }),
    )
    const connection = await connected(relay)
    const recorded = record(connection, { method: 'POST', body: new Uint8Array(windowBytes) })
    await new Promise(resolve => server.once('stream', resolve))
    await connection.close()
    await expect(recorded.body).rejects.toThrow()
  })

  it('GOAWAY with an error ends requests under way with that error', async () => {
    const url = await frames((on, stream) => {
      on.head(stream)
      on.goaway(stream, 11)
    })
    const connection = await connected(url)
    const recorded = record(connection)
    await expect(recorded.body).rejects.toMatchObject({ code: 'CONNECTION_LOST' })
    await expect(recorded.body).rejects.toThrow()
  })

  it('X4: headers longer than the bound are an error that names it', async () => {
    const url = await http2Server(stream => {
      stream.respond({ 'x-long': 'x'.repeat(8000) })
      stream.end()
    })
    const recorded = record(await connected(url, { maxHeaderBytes: 4096 }))
    await expect(recorded.body).rejects.toMatchObject({
      code: 'HEADERS_TOO_LARGE',
      message: expect.stringContaining('4096'),
    })
  })

  it('X4: takes headers within the bound', async () => {
    const url = await http2Server(stream => {
      stream.respond({ 'x-one': 'x'.repeat(60_000), 'x-two': 'x'.repeat(60_000) })
      stream.end()
    })
    expect((await record(await connected(url)).head).headers['x-two']).toHaveLength(60_000)
  })

  it('abort() resets the stream with CANCEL and calls nothing more', async () => {
    const resets: FrameConnection['resets'][] = []
    const url = await frames((on, stream) => {
      on.head(stream)
      resets.push(on.resets)
    })
    const connection = await connected(url)
    const recorded = record(connection)
    await recorded.head
    recorded.exchange.abort()
    recorded.exchange.abort()
    await until(() => expect(resets[0]).toEqual([[1, 8]]))
    expect(recorded.log).toEqual(['200'])
  })

  it('N14: a stream that is not read holds the server back, and no other stream of its connection', async () => {
    const written = new Map<string, number>()
    const chunk = Buffer.alloc(65_536, 'x')
    const url = await http2Server((stream, path) => {
      // Without trailers to send, Node's server may reset a finished stream in place of its END_STREAM.
      stream.respond({}, { waitForTrailers: true })
      stream.on('wantTrailers', () => stream.sendTrailers({}))
      const total = path === '/small' ? 1 : path === '/long' ? 400 : 80
      written.delete(path)
      const write = (): void => {
        let n = written.get(path) ?? 0
        let more = true
        while (more && n < total && !stream.destroyed) {
          more = stream.write(chunk)
          n += 1
        }
        written.set(path, n)
        if (n < total) stream.once('drain', write)
        else stream.end()
      }
      write()
    })
    const connection = await connected(url)
    const stalled = Array.from({ length: 20 }, (_, i) => record(connection, { path: `/stalled/${i}` }))
    for (const { exchange } of stalled) exchange.pause()
    await Promise.all(stalled.map(({ head }) => head))
    for (let i = 0; i < 20; i++) expect(await record(connection, { path: '/small' }).body).toHaveLength(65_536)
    const long = record(connection, { path: '/long' })
    expect((await long.body).length).toBe(400 * 65_536)
    for (let i = 0; i < 20; i++) expect(written.get(`/stalled/${i}`)).toBeLessThan(60)
    for (const { exchange } of stalled) exchange.resume()
    for (const { body } of stalled) expect((await body).length).toBe(80 * 65_536)
  })

  it('ends an answer that ended while it was paused, once it is read', async () => {
    const url = await frames((on, stream) => {
      on.head(stream)
      on.data(stream, 'held', { end: true })
    })
    const connection = await connected(url)
    const recorded = record(connection)
    recorded.exchange.pause()
    await connection.ping()
    await connection.ping()
    expect(recorded.log).toEqual(['200'])
    recorded.exchange.resume()
    expect(await recorded.body).toBe('held')
  })

  it('close() ends the connection and says so; PING is answered before, rejected after', async () => {
    const url = await http2Server(stream => stream.respond())
    const connection = await connected(url)
    await connection.ping()
    const closes: string[] = []
    connection.onClose(why => closes.push(why))
    await connection.close()
    await connection.close()
    expect(closes).toEqual(['closed'])
    await expect(connection.ping()).rejects.toThrow()
    connection.onClose(why => closes.push(`late ${why}`))
    expect(closes).toEqual(['closed', 'late closed'])
  })
})

describe('HTTP/1.1', () => {
  it('is spoken where the server does not offer HTTP/2, and on plain http', async () => {
    const { createServer } = await import('node:https')
    const secure = await listening(createServer(tls, (_, response) => response.end('secure')))
    const plain = await listening(
      createHttpServer((_, response) => response.end('plain')),
      'http',
    )
    for (const [url, body] of [
      [secure, 'secure'],
      [plain, 'plain'],
    ] as const) {
      const connection = await connected(url)
      expect(connection.maxStreams).toBe(1)
      expect(await record(connection).body).toBe(body)
    }
  })

  it('sends the texts of one header as lines of their own', async () => {
    const server = createHttpServer((request, response) => {
      response.end(JSON.stringify(request.headersDistinct['x-a']))
    })
    const connection = await connected(await listening(server, 'http'))
    expect(await record(connection, { headers: { 'x-a': ['b', 'c'] } }).body).toBe('["b","c"]')
  })

  it('sends one request after the other on one socket, with bodies', async () => {
    let sockets = 0
    const server = createHttpServer((request, response) => {
      let body = ''
      request.on('data', chunk => {
        body += chunk
      })
      request.on('end', () => {
        response.setHeader('warning', ['299 - "a"', '299 - "b"'])
        response.end(`${request.method} ${request.url} ${request.headers.host} ${body}`)
      })
    })
    server.on('connection', () => {
      sockets += 1
    })
    const url = await listening(server, 'http')
    const connection = await connected(url)
    for (const text of ['one', 'two', 'three']) {
      const recorded = record(connection, { method: 'PUT', path: '/x', body: Buffer.from(text) })
      expect(await recorded.body).toBe(`PUT /x ${url.host} ${text}`)
      expect((await recorded.head).headers.warning).toEqual(['299 - "a"', '299 - "b"'])
    }
    expect(sockets).toBe(1)
  })

  it.each([
    ['a missing last chunk', 'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n5\r\nhello\r\n'],
    ['too few bytes', 'HTTP/1.1 200 OK\r\ncontent-length: 10\r\n\r\nhello'],
    ['no head', ''],
  ])('R14: a connection that ends with %s is an error, never an end', async (_, text) => {
    const url = await bytesServer(socket => socket.end(text))
    const connection = await connected(url)
    const recorded = record(connection)
    await expect(recorded.body).rejects.toMatchObject({ code: 'CONNECTION_LOST', unprocessed: false })
    expect(recorded.log.at(-1)).toBe('CONNECTION_LOST')
    expect(recorded.log).not.toContain('end')
  })

  it.each([
    ['a TLS alert', Buffer.from([21, 3, 3, 0, 2, 2, 70]), 'the server speaks TLS on this port: use an https: URL'],
    ['no HTTP', 'SSH-2.0-OpenSSH_9.6\r\n', 'the answer does not begin with a status line of HTTP/1.1'],
    [
      'two lengths',
      'HTTP/1.1 200 OK\r\ncontent-length: 1\r\ncontent-length: 2\r\n\r\n',
      'the answer has more than one length',
    ],
  ])('says what came where it is %s', async (_, sent, why) => {
    const url = await bytesServer(socket => socket.write(sent))
    const { body } = record(await connected(url))
    await expect(body).rejects.toMatchObject({ code: 'CONNECTION_LOST', message: `the connection broke off: ${why}` })
  })

  it('X3: what can not be read is not shown by the error or its causes', async () => {
    const head = 'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n'
    const url = await bytesServer(socket => socket.write(`${head}6\r\nhidden\r\nZZZ\r\nhidden`))
    const recorded = record(await connected(url))
    const error = await recorded.body.catch((cause: unknown) => cause)
    expect(error).toMatchObject({ code: 'CONNECTION_LOST', cause: { code: 'INVALID_RESPONSE' } })
    const { cause } = error as { cause: object }
    expect(Object.values(cause).filter(value => value instanceof Uint8Array)).toEqual([])
  })

  it('X4: headers longer than the bound are an error that names it', async () => {
    const url = await bytesServer(socket => socket.write(`HTTP/1.1 200 OK\r\nx-long: ${'x'.repeat(8000)}\r\n\r\n`))
    const recorded = record(await connected(url, { maxHeaderBytes: 4096 }))
    await expect(recorded.body).rejects.toMatchObject({
      code: 'HEADERS_TOO_LARGE',
      message: expect.stringContaining('4096'),
    })
  })

  it('X9: bytes that are no HTTP are an error', async () => {
    const url = await bytesServer(socket => socket.write('SSH-2.0-OpenSSH\r\n\r\n'))
    await expect(record(await connected(url)).body).rejects.toMatchObject({ code: 'CONNECTION_LOST' })
  })

  it('a server that closes an idle connection closes it here too', async () => {
    const url = await bytesServer(socket => socket.end('HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nhi'))
    const connection = await connected(url)
    const closes: string[] = []
    connection.onClose(why => closes.push(why))
    expect(await record(connection).body).toBe('hi')
    await until(() => expect(closes).toEqual(['closed']))
  })

  it.each(['http', 'https'])('pause() holds the server back (%s)', async scheme => {
    let socket: Socket | undefined
    const answer = (_: unknown, response: ServerResponse): void => {
      socket = response.socket ?? undefined
      response.end(Buffer.alloc(64 * 1024 * 1024))
    }
    const { createServer } = await import('node:https')
    const server = scheme === 'http' ? createHttpServer(answer) : createServer(tls, answer)
    const recorded = record(await connected(await listening(server, scheme), { protocol: 'http/1.1' }))
    recorded.exchange.pause()
    await recorded.head
    await until(() => expect(socket?.writableLength).toBeGreaterThan(0))
    expect(recorded.bytes()).toBeLessThan(1024 * 1024)
    recorded.exchange.resume()
    expect((await recorded.body).length).toBe(64 * 1024 * 1024)
  })

  it.each(['timeout=1', 'max=5, Timeout=1'])(
    'closes an idle connection before the server does (%s)',
    async keepAlive => {
      const url = await bytesServer(socket => {
        socket.write(`HTTP/1.1 200 OK\r\nkeep-alive: ${keepAlive}\r\ncontent-length: 2\r\n\r\nhi`)
      })
      const connection = await connected(url)
      const closed = new Promise(resolve => connection.onClose(resolve))
      expect(await record(connection).body).toBe('hi')
      expect(await closed).toBe('closed')
    },
  )

  it('keeps a connection that has a request, however long that takes', async () => {
    const head = 'HTTP/1.1 200 OK\r\nkeep-alive: timeout=1\r\ncontent-length: 2\r\n\r\n'
    let finish: (() => void) | undefined
    const url = await bytesServer((socket, n) => {
      if (n === 0) socket.write(`${head}hi`)
      else finish = () => socket.write(`${head}ho`)
    })
    const connection = await connected(url)
    // The second one begins where the first has ended, so that the connection is never idle.
    const second = await new Promise<Recorded>(resolve => {
      const handlers = { head() {}, data() {}, error() {}, end: () => resolve(record(connection)) }
      connection.request({ method: 'GET', path: '/', headers: {} }, handlers)
    })
    await until(() => expect(finish).toBeDefined())
    // Meanwhile another one, which is idle, is closed.
    const other = await connected(url)
    const closed = new Promise(resolve => other.onClose(resolve))
    await record(other).body
    await closed
    finish?.()
    expect(await second.body).toBe('ho')
  })

  it('an answer without a length ends with its connection', async () => {
    const url = await bytesServer(socket => socket.end('HTTP/1.1 200 OK\r\n\r\nhello'))
    const connection = await connected(url)
    const recorded = record(connection)
    const closes: string[] = []
    connection.onClose(why => closes.push(why))
    expect(await recorded.body).toBe('hello')
    await until(() => expect(closes).toEqual(['goaway', 'closed']))
  })

  it('R14: an answer without a length is an error if its connection breaks, never an end', async () => {
    const url = await bytesServer(socket => {
      socket.write('HTTP/1.1 200 OK\r\n\r\nhello', () => socket.resetAndDestroy())
    })
    const recorded = record(await connected(url))
    await expect(recorded.body).rejects.toMatchObject({ code: 'CONNECTION_LOST', cause: { code: 'ECONNRESET' } })
    expect(recorded.log).toEqual(['200', 'CONNECTION_LOST'])
  })

  it.each(['with the answer', 'later'])(
    'X9: a connection on which more came than was asked for carries nothing more (%s)',
    async when => {
      const answer = 'HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nhi'
      let server: Socket | undefined
      const url = await bytesServer(socket => {
        server = socket
        socket.write(when === 'later' ? answer : `${answer}${answer}`)
      })
      const connection = await connected(url)
      const closes: string[] = []
      connection.onClose(why => closes.push(why))
      const recorded = record(connection)
      expect(await recorded.body).toBe('hi')
      if (when === 'later') server?.write('H')
      await until(() => expect(closes).toEqual(['closed']))
      expect(() => record(connection)).toThrow(expect.objectContaining({ unprocessed: true }))
    },
  )

  it('X9: what comes before anything was asked ends the connection', async () => {
    const url = await listening(
      createTcpServer(socket => socket.write('HTTP/1.1 200 OK\r\ncontent-length: 4\r\n\r\nevil')),
      'http',
    )
    const connection = await connected(url)
    const closes: string[] = []
    connection.onClose((why, cause) => closes.push(`${why} ${cause?.message}`))
    await until(() => expect(closes).toEqual(['closed bytes came that no request asked for']))
  })

  it.each([
    ['before the next request', async (closed: Promise<unknown>) => closed],
    ['as the next request is sent', async () => {}],
  ])('a server that says that it gives an idle connection up fails nothing (%s)', async (when, wait) => {
    const late = 'HTTP/1.1 408 Request Time-out\r\ncontent-length: 4\r\nconnection: close\r\n\r\nlate'
    const url = await bytesServer((socket, n) => {
      if (n > 0) {
        socket.end(late)
        return
      }
      socket.write('HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nhi')
      if (when === 'before the next request') setImmediate(() => socket.end(late))
    })
    const connection = await connected(url)
    const closed = new Promise(resolve => connection.onClose(resolve))
    expect(await record(connection).body).toBe('hi')
    await wait(closed)
    const next = async (): Promise<string> => record(connection, { method: 'POST' }).body
    await expect(next()).rejects.toMatchObject({ code: 'STREAM_REFUSED', unprocessed: true })
    expect(await closed).toBe('closed')
  })

  it('a 408 to the first request of a connection is its answer', async () => {
    const head = 'HTTP/1.1 408 Request Timeout\r\nconnection: close\r\ncontent-length: 0\r\n\r\n'
    const recorded = record(await connected(await bytesServer(socket => socket.end(head))))
    expect(await recorded.body).toBe('')
    expect(recorded.log).toEqual(['408', 'end'])
  })

  it('an answer that comes before the whole request was sent is the last of its connection', async () => {
    const url = await bytesServer((socket, n) => {
      if (n > 0) return
      socket.pause()
      socket.write('HTTP/1.1 413 Too Large\r\ncontent-length: 2\r\n\r\nno')
    })
    const connection = await connected(url)
    const closes: string[] = []
    connection.onClose(why => closes.push(why))
    expect(await record(connection, { method: 'POST', body: Buffer.alloc(64 * 1024 * 1024) }).body).toBe('no')
    await until(() => expect(closes).toEqual(['closed']))
  })

  it('takes one request at a time, the next one from within the end of one', async () => {
    const url = await bytesServer((socket, n) => socket.write(`HTTP/1.1 200 OK\r\ncontent-length: 1\r\n\r\n${n}`))
    const connection = await connected(url)
    const first = record(connection)
    expect(() => record(connection)).toThrow(expect.objectContaining({ unprocessed: true }))
    expect(await first.body).toBe('0')
    const seen: string[] = []
    await new Promise<void>(resolve => {
      const ask = (): void => {
        connection.request(
          { method: 'GET', path: '/', headers: {} },
          {
            head() {},
            data: chunk => seen.push(`${chunk}`),
            end: () => (seen.length < 3 ? ask() : resolve()),
            error: cause => seen.push(cause.message),
          },
        )
      }
      ask()
    })
    expect(seen).toEqual(['1', '2', '3'])
  })

  it('sends nothing of a request that it would have to change', async () => {
    let requests = 0
    const url = await bytesServer(socket => {
      requests += 1
      socket.write('HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n')
    })
    const connection = await connected(url)
    expect(() => record(connection, { headers: { 'impersonate-user': 'a\r\nb' } })).toThrow('["impersonate-user"]')
    await record(connection).body
    expect(requests).toBe(1)
  })

  it.each(['http', 'https'])('answers that come at once keep apart, whatever their chunks (%s)', async scheme => {
    const answer = (request: { url?: string | undefined }, response: ServerResponse): void => {
      const letter = (request.url ?? '').slice(1)
      let left = 60
      const write = (): void => {
        left -= 1
        if (left === 0) response.end()
        else response.write(letter.repeat(1 + ((left * 7919) % 20_000)), () => setImmediate(write))
      }
      write()
    }
    const { createServer } = await import('node:https')
    const server = scheme === 'http' ? createHttpServer(answer) : createServer(tls, answer)
    const url = await listening(server, scheme)
    const connections = await Promise.all(Array.from('abcd', () => connected(url, { protocol: 'http/1.1' })))
    const bodies = await Promise.all(
      connections.map((connection, i) => record(connection, { path: `/${'abcd'[i]}` }).body),
    )
    for (const [i, body] of bodies.entries()) {
      expect(new Set(body)).toEqual(new Set('abcd'[i]))
      expect(body.length).toBe(bodies[0]?.length)
    }
  })

  it('abort() ends the connection and calls nothing more, even of what has come already', async () => {
    const url = await bytesServer(socket => {
      socket.write('HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n1\r\na\r\n1\r\nb\r\n0\r\n\r\n')
    })
    const connection = await connected(url)
    const log: string[] = []
    const closed = new Promise<void>(resolve => connection.onClose(() => resolve()))
    const exchange = connection.request(
      { method: 'GET', path: '/', headers: {} },
      {
        head: status => log.push(`${status}`),
        data(chunk) {
          log.push(`${chunk}`)
          exchange.abort()
          exchange.abort()
        },
        end: () => log.push('end'),
        error: cause => log.push(cause.message),
      },
    )
    await closed
    await connection.close()
    expect(log).toEqual(['200', 'a'])
    await expect(connection.ping()).rejects.toThrow()
  })

  it('abort() ends the connection and calls nothing more', async () => {
    const url = await bytesServer(socket => socket.write('HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n'))
    const connection = await connected(url)
    const closes: string[] = []
    connection.onClose(why => closes.push(why))
    const recorded = record(connection)
    await recorded.head
    recorded.exchange.abort()
    await until(() => expect(closes).toEqual(['closed']))
    expect(recorded.log).toEqual(['200'])
  })
})

describe('opening', () => {
  it('X2: takes no certificate that the authority did not sign', async () => {
    const url = await http2Server(stream => stream.respond())
    const other = createCertificateAuthority()
    const credentials = { tls: () => ({ ca: other.caPem }), digest: () => 'other' }
    await expect(transport({ credentials }).connect(url, never)).rejects.toMatchObject({
      code: expect.stringMatching(/CERT|SIGNATURE|VERIFY/),
    })
    await expect(new NodeTransport().connect(url, never)).rejects.toThrow()
  })

  it('X2: takes no certificate for another name', async () => {
    const url = await http2Server(stream => stream.respond())
    await expect(transport({ tlsServerName: 'other.test' }).connect(url, never)).rejects.toMatchObject({
      code: 'ERR_TLS_CERT_ALTNAME_INVALID',
    })
    expect((await connected(url, { tlsServerName: 'localhost' })).maxStreams).toBeGreaterThan(1)
  })

  it('X2: skips verification only if its options say so', async () => {
    const url = await http2Server(stream => stream.respond())
    const connection = await new NodeTransport({ skipTlsVerify: true }).connect(url, never)
    await connection.close()
  })

  it('shows the client certificate that its credentials have at the time', async () => {
    const subjects: string[] = []
    const server = createSecureServer({ ...tls, ca: authority.caPem, requestCert: true, rejectUnauthorized: true })
    server.on('sessionError', () => {})
    server.on('stream', stream => {
      const socket = stream.session?.socket as TLSSocket | undefined
      subjects.push(`${socket?.getPeerCertificate().subject.CN}`)
      stream.respond({}, { endStream: true })
    })
    const url = await listening(server)
    let name = 'alice'
    const credentials = {
      tls: () => {
        const issued = authority.issueClient({ commonName: name })
        return { ca: authority.caPem, cert: issued.certPem, key: issued.keyPem }
      },
      digest: () => name,
    }
    const one = transport({ credentials })
    for (name of ['alice', 'bob']) {
      const connection = await one.connect(url, never)
      await record(connection).body
      await connection.close()
    }
    expect(subjects).toEqual(['alice', 'bob'])
  })

  it('rejects with what the system says when nobody listens', async () => {
    const url = await http2Server(stream => stream.respond())
    await closers.pop()?.()
    await expect(transport().connect(url, never)).rejects.toMatchObject({ code: 'ECONNREFUSED' })
  })

  it('X9: rejects with what the system says where a server resets the connection amid the handshake', async () => {
    const url = await listening(createTcpServer(socket => socket.once('data', () => socket.resetAndDestroy())))
    await expect(transport().connect(url, never)).rejects.toMatchObject({ code: 'ECONNRESET' })
  })

  it.each(['https', 'http'])('ends at once when its signal aborts, and leaves no socket (%s)', async scheme => {
    const server = createTcpServer(socket => socket.resume())
    const url = await listening(server, scheme)
    const stop = new AbortController()
    const connecting = transport().connect(url, stop.signal)
    connecting.catch(() => {})
    if (scheme === 'https') {
      const count = (): Promise<number> => new Promise(resolve => server.getConnections((_, n) => resolve(n)))
      await until(async () => expect(await count()).toBe(1))
      stop.abort(new Error('enough'))
      await expect(connecting).rejects.toThrow('enough')
      await until(async () => expect(await count()).toBe(0))
    } else {
      stop.abort(new Error('enough'))
      await expect(connecting).rejects.toThrow('enough')
    }
  })

  it('gives up on an HTTP/2 server that sends no settings when its signal aborts', async () => {
    const server = await frameServer(tls, () => {}, { silent: true })
    closers.push(() => server.close())
    const stop = new AbortController()
    const connecting = transport().connect(server.url, stop.signal)
    setImmediate(() => stop.abort(new Error('enough')))
    await expect(connecting).rejects.toThrow('enough')
  })

  it('X9: a server that hangs up right after the handshake is an error, or a closed connection, and nothing else', async () => {
    const { createServer } = await import('node:tls')
    let n = 0
    const server = createServer({ ...tls, ALPNProtocols: ['h2', 'http/1.1'] }, socket => {
      socket.on('error', () => {})
      n += 1
      if (n % 3 === 0) socket.destroy()
      else if (n % 3 === 1) socket.end('HTTP/1.1 400 Bad Request\r\n\r\n')
      else setImmediate(() => socket.destroy())
    })
    const url = await listening(server)
    for (const protocol of ['h2', 'http/1.1'] as const) {
      for (let i = 0; i < 9; i++) {
        const outcome = await transport({ protocol })
          .connect(url, never)
          .catch((error: unknown) => error)
        if (outcome instanceof Error) continue
        const connection = outcome as Connection
        const closed = new Promise<void>(resolve => connection.onClose(why => why === 'closed' && resolve()))
        await closed
        await connection.close()
      }
    }
    expect(n).toBe(18)
  })

  it('X6: options are checked', () => {
    expect(() => new NodeTransport({ protocol: 'h3' as 'h2' })).toThrow(RangeError)
    expect(() => new NodeTransport({ maxHeaderBytes: 1 })).toThrow(RangeError)
    expect(() => new NodeTransport({ skipTlsVerify: 'yes' as unknown as boolean })).toThrow(TypeError)
  })
})

describe('proxies', () => {
  interface Proxy {
    readonly url: URL
    readonly connects: string[]
  }

  async function proxy(status = 200): Promise<Proxy> {
    const connects: string[] = []
    const { connect } = await import('node:net')
    const server = createHttpServer()
    server.on('connect', (request, socket: Socket) => {
      connects.push(`${request.url} ${request.headers['proxy-authorization'] ?? ''}`.trim())
      if (status !== 200) {
        socket.end(`HTTP/1.1 ${status} No\r\n\r\n`)
        return
      }
      const [host, port] = (request.url ?? '').split(':')
      const onward = connect(Number(port), host === 'api.test' ? '127.0.0.1' : host, () => {
        socket.write('HTTP/1.1 200 Connection established\r\n\r\n')
        onward.pipe(socket).pipe(onward)
      })
      for (const end of [onward, socket]) end.on('error', () => {})
      socket.on('close', () => onward.destroy())
      onward.on('close', () => socket.destroy())
    })
    return { url: await listening(server, 'http'), connects }
  }

  it('a proxy of the access tunnels HTTP/2 by CONNECT, with its own login', async () => {
    const url = await http2Server(stream => {
      stream.respond()
      stream.end('through')
    })
    const { url: by, connects } = await proxy()
    const connection = await connected(url, { proxyUrl: `http://user:p%40ss@${by.host}` })
    expect(await record(connection).body).toBe('through')
    expect(connects).toEqual([`${url.host} Basic ${Buffer.from('user:p@ss').toString('base64')}`])
  })

  it.each([
    ['over TLS', 'https', false, 'memory'],
    ['over TLS, by a name with several addresses', 'https', false, 'memory'],
    ['without TLS', 'http', false, 'memory'],
    ['through a proxy, which needs Buffers of Node', 'https', true, 'events'],
  ])('a socket is read %s', async (title, scheme, byProxy, way) => {
    const answer = (socket: Socket): void => void socket.on('data', data => socket.end(`got ${data}`))
    const server = scheme === 'https' ? createTlsServer(tls, answer) : createTcpServer(answer)
    const url = await listening(server, scheme)
    if (title.includes('name')) url.hostname = 'localhost'
    const { url: by } = await proxy()
    const read = { memory: '', events: '' }
    const memory = Buffer.alloc(1024)
    const callback = (length: number): boolean => {
      read.memory += memory.subarray(0, length)
      return true
    }
    const options = byProxy ? { proxyUrl: by.href } : {}
    const { stream } = await transport(options).openSocket(url, never, { buffer: memory, callback })
    stream.on('data', data => {
      read.events += data
    })
    stream.write('hello')
    await new Promise(resolve => stream.once('close', resolve))
    expect(read).toEqual({ memory: '', events: '', [way]: 'got hello' })
  })

  it('X2: a socket resumes the TLS session of an earlier one, unless the server or the TLS material is another', async () => {
    const answer = (socket: Socket): void => void socket.on('data', () => socket.end('answer'))
    // With equal keys, each server would accept a session of the other one.
    const keys = { ...tls, ticketKeys: randomBytes(48) }
    const url = await listening(createTlsServer(keys, answer), 'https')
    const other = await listening(createTlsServer(keys, answer), 'https')
    let digest = 'first'
    const own = transport({ credentials: { tls: () => ({ ca: authority.caPem }), digest: () => digest } })
    const isResumed = async (target: URL): Promise<boolean> => {
      const { stream } = await own.openSocket(target, never)
      const wasResumed = (stream as TLSSocket).isSessionReused()
      // A server sends its sessions before its data.
      stream.resume().write('hello')
      await new Promise(resolve => stream.once('close', resolve))
      return wasResumed
    }
    expect([await isResumed(url), await isResumed(url), await isResumed(other), await isResumed(other)]).toEqual([
      ...[false, true],
      ...[false, true],
    ])
    digest = 'second'
    expect([await isResumed(other), await isResumed(other)]).toEqual([false, true])
  })

  it('HTTPS_PROXY is heeded, but not for this machine', async () => {
    const url = await http2Server(stream => {
      stream.respond()
      stream.end('through')
    })
    const { url: by, connects } = await proxy()
    vi.stubEnv('HTTPS_PROXY', by.href)
    vi.stubEnv('https_proxy', '')
    vi.stubEnv('NO_PROXY', '')
    expect(await record(await connected(url)).body).toBe('through')
    expect(connects).toEqual([])
    const named = new URL(`https://api.test:${url.port}`)
    expect(await record(await connected(named, { tlsServerName: '127.0.0.1' })).body).toBe('through')
    expect(connects).toEqual([named.host])
  })

  it('a login of a proxy that is not percent-encoded is sent as it is', async () => {
    const url = await http2Server(stream => stream.respond())
    const { url: by, connects } = await proxy(403)
    const connecting = transport({ proxyUrl: `http://us%C3%A9r:100%@${by.host}` }).connect(url, never)
    await expect(connecting).rejects.toMatchObject({ code: 'CONNECT_FAILED' })
    expect(connects).toEqual([expect.stringContaining(Buffer.from('usér:100%').toString('base64'))])
  })

  it('X3: a proxy that refuses is an error that says its status, and no password', async () => {
    const url = await http2Server(stream => stream.respond())
    const { url: by } = await proxy(403)
    const connecting = transport({ proxyUrl: `http://user:secret@${by.host}` }).connect(url, never)
    await expect(connecting).rejects.toMatchObject({ code: 'CONNECT_FAILED', message: expect.stringContaining('403') })
    await expect(connecting).rejects.not.toThrow('secret')
  })

  it('X3: a proxy that sends no HTTP answer is an error without the bytes that it sent', async () => {
    const url = await http2Server(stream => stream.respond())
    const server = createHttpServer()
    server.on('connect', (_, socket: Socket) =>
      socket.end('HTTP/1.1 200 OK\r\nno header: Basic dXNlcjpzZWNyZXQ=\r\n\r\n'),
    )
    const by = await listening(server, 'http')
    const connecting = transport({ proxyUrl: `http://user:secret@${by.host}` }).connect(url, never)
    const error = await connecting.catch((cause: unknown) => cause)
    expect(error).toMatchObject({ code: expect.stringContaining('HPE_') })
    expect(JSON.stringify(error)).not.toContain('rawPacket')
  })

  it.each(['socks5://127.0.0.1:1', '127.0.0.1:3128', 'proxy.test:3128', 'http://', ''])(
    'X6: a proxy with the URL "%s" is an error when it is declared',
    proxyUrl => {
      const refused = expect.objectContaining({ code: 'INVALID_OPTION', option: 'transport.proxyUrl' })
      expect(() => transport({ proxyUrl })).toThrow(refused)
    },
  )

  it('a proxy of the environment that is of another kind is an error of the connection', async () => {
    vi.stubEnv('HTTPS_PROXY', 'socks5://10.0.0.1:1')
    await expect(transport({}).connect(new URL('https://10.0.0.2:1'), never)).rejects.toMatchObject({
      code: 'CONNECT_FAILED',
      message: expect.stringContaining('socks5'),
    })
  })
})
