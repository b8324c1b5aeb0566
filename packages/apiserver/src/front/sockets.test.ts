import { once } from 'node:events'
import { Agent, get as httpGet } from 'node:http'
import type { ClientHttp2Session, Settings } from 'node:http2'
import { connect as connectTcp } from 'node:net'
import { connect as connectTls } from 'node:tls'
import { gzipSync } from 'node:zlib'
import { afterEach, beforeAll, describe, expect, it } from 'vitest'
import type { Clock } from '../clock.ts'
import type { Handler, ServerReply, ServerRequest } from '../exchange.ts'
import { type CertificateAuthority, createCertificateAuthority, type IssuedCertificate } from './certificates.ts'
import { type ListenOptions, listen, type SocketFront } from './sockets.ts'
import { askHttp1, askHttp2, END_STREAM, FrameClient, http2Client, RawClient, until } from './testkit/clients.ts'

let ca: CertificateAuthority
let server: IssuedCertificate
beforeAll(async () => {
  ca = createCertificateAuthority()
  server = ca.issueServer()
})

const closing: (() => unknown)[] = []
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close()
})

async function open(options: ListenOptions): Promise<SocketFront> {
  const front = await listen(options)
  closing.push(() => front.close())
  return front
}

async function openTls(handler: Handler, options: Partial<ListenOptions> = {}): Promise<SocketFront> {
  return open({ handler, tls: { cert: server.certPem, key: server.keyPem, clientCa: ca.caPem }, ...options })
}

function session(front: SocketFront, credentials: { cert?: string; key?: string } = {}): ClientHttp2Session {
  const client = http2Client(front.url, { ca: ca.caPem, ...credentials })
  closing.push(() => client.destroy())
  return client
}

async function frames(front: SocketFront): Promise<FrameClient> {
  const client = await FrameClient.connect(front.port, ca.caPem)
  closing.push(() => client.socket.destroy())
  return client
}

/** A handler that keeps what it was given, for tests that act on it later. */
function keeper(begin: (reply: ServerReply, request: ServerRequest) => void = () => {}) {
  const exchanges: { request: ServerRequest; reply: ServerReply; closed: boolean }[] = []
  const handler: Handler = (request, reply) => {
    const exchange = { request, reply, closed: false }
    exchanges.push(exchange)
    reply.onClose(() => {
      exchange.closed = true
    })
    begin(reply, request)
  }
  return { exchanges, handler }
}

function watching(): ReturnType<typeof keeper> {
  return keeper(reply => {
    reply.head(200, { 'content-type': 'application/json' })
    reply.write(Buffer.from('{"type":'))
  })
}

const hello: Handler = (request, reply) => {
  reply.head(200, { 'content-type': 'text/plain', warning: ['299 - "a"', '299 - "b"'] })
  reply.write(Buffer.from(`${request.method} ${request.path} `))
  reply.write(request.body)
  reply.end()
}

describe('requests and answers', () => {
  it('F1: hands method, path, headers and body to the handler alike on h2, https and http', async () => {
    const { exchanges, handler } = keeper(reply => {
      reply.head(201, { 'content-type': 'application/json', warning: ['299 - "a"', '299 - "b"'] })
      reply.write(Buffer.from('{}'))
      reply.end()
    })
    const tls = await openTls(handler)
    const plain = await open({ handler })
    const ask = { method: 'POST', path: '/api/v1/a%2Fb?x=1&y=', headers: { 'x-a': 'b' }, body: Buffer.from('body') }
    const answers = [
      await askHttp2(session(tls), ask),
      await askHttp1(tls.url, { ...ask, ca: ca.caPem }),
      await askHttp1(plain.url, ask),
    ]
    expect(answers.map(a => [a.status, a.body.toString(), a.headers.warning, a.ending])).toEqual(
      Array(3).fill([201, '{}', '299 - "a", 299 - "b"', 'end']),
    )
    expect(
      exchanges.map(({ request }) => [request.method, request.path, request.headers['x-a'], String(request.body)]),
    ).toEqual(Array(3).fill(['POST', '/api/v1/a%2Fb?x=1&y=', 'b', 'body']))
    expect(exchanges.map(({ request }) => request.peer.protocol)).toEqual(['h2', 'http/1.1', 'http/1.1'])
    expect(exchanges.map(({ request }) => request.headers.host)).toEqual([
      `127.0.0.1:${tls.port}`,
      `127.0.0.1:${tls.port}`,
      `127.0.0.1:${plain.port}`,
    ])
    await until(() => exchanges.every(exchange => exchange.closed))
  })

  it('F1: hands the lines of a header by which a request acts as a user on apart, with their commas', async () => {
    const { exchanges, handler } = keeper(reply => {
      reply.head(204, {})
      reply.end()
    })
    const tls = await openTls(handler)
    const headers = { 'impersonate-user': 'a,b', 'impersonate-group': ['a,b', 'c'], 'x-a': ['d', 'e'] }
    await askHttp2(session(tls), { headers })
    await askHttp1(tls.url, { headers, ca: ca.caPem })
    for (const { request } of exchanges) {
      expect(request.headers).toMatchObject({
        'impersonate-user': 'a,b',
        'impersonate-group': 'a,b\nc',
        'x-a': 'd, e',
      })
    }
    expect(exchanges.map(({ request }) => request.peer.protocol)).toEqual(['h2', 'http/1.1'])
  })

  it('F1: answers HEAD, 204 and 304 without a body, whatever the handler writes', async () => {
    const handler: Handler = (request, reply) => {
      reply.head(Number(request.path.slice(1)), { 'x-path': request.path })
      reply.write(Buffer.from('never seen'))
      reply.end()
    }
    const front = await openTls(handler)
    const client = session(front)
    for (const [method, path] of [
      ['HEAD', '/200'],
      ['HEAD', '/404'],
      ['GET', '/204'],
      ['GET', '/304'],
    ] as const) {
      const answers = [
        await askHttp2(client, { method, path }),
        await askHttp1(front.url, { method, path, ca: ca.caPem }),
      ]
      expect(answers.map(a => [a.status, a.body.length, a.ending])).toEqual(
        Array(2).fill([Number(path.slice(1)), 0, 'end']),
      )
    }
  })

  it('F1: sends the head of an answer on HTTP/1.1 before there is a body', async () => {
    const { handler, exchanges } = keeper(reply => reply.head(200, { 'content-type': 'application/json' }))
    const front = await open({ handler })
    const answered = once(httpGet(front.url), 'response')
    const [answer] = await answered
    expect(answer.statusCode).toBe(200)
    exchanges[0]?.reply.end()
    answer.resume()
    await once(answer, 'end')
  })

  it('F1: leaves compressed bytes as the handler wrote them', async () => {
    const packed = gzipSync('x'.repeat(10_000))
    const front = await openTls((_, reply) => {
      reply.head(200, { 'content-encoding': 'gzip' })
      reply.write(packed)
      reply.end()
    })
    expect((await askHttp2(session(front), {})).body.equals(packed)).toBe(true)
    expect((await askHttp1(front.url, { ca: ca.caPem })).body.equals(packed)).toBe(true)
  })

  it('F1: asks a client that expects it to go on sending its body', async () => {
    const front = await openTls(hello)
    const stream = session(front).request({ ':method': 'POST', ':path': '/p', expect: '100-continue' })
    closing.push(() => stream.destroy())
    await once(stream, 'continue')
    stream.end('body')
    let text = ''
    stream.setEncoding('utf8').on('data', part => {
      text += part
    })
    await once(stream, 'end')
    expect(text).toBe('POST /p body')
  })

  it('F1: takes a client certificate only when it was verified against the CA', async () => {
    const { exchanges, handler } = keeper((reply, request) => hello(request, reply))
    const front = await openTls(handler)
    const stranger = createCertificateAuthority().issueClient({ commonName: 'mallory' })
    const alice = ca.issueClient({ commonName: 'alice', organizations: ['dev', 'ops'] })
    const bob = ca.issueClient({ commonName: 'bob' })
    for (const identity of [alice, bob, stranger, undefined]) {
      const credentials = identity && { cert: identity.certPem, key: identity.keyPem }
      await askHttp2(session(front, credentials), {})
      await askHttp1(front.url, { ca: ca.caPem, ...credentials })
    }
    const of = (commonName: string, organizations: string[]) => [
      { commonName, organizations },
      { commonName, organizations },
    ]
    expect(exchanges.map(({ request }) => request.peer.certificate)).toEqual([
      ...of('alice', ['dev', 'ops']),
      ...of('bob', []),
      ...Array(4).fill(undefined),
    ])
  })

  it('gives every request of one connection the same peer', async () => {
    const { exchanges, handler } = keeper((reply, request) => hello(request, reply))
    const front = await openTls(handler)
    const client = session(front)
    await askHttp2(client, {})
    await askHttp2(client, {})
    await askHttp2(session(front), {})
    const peers = exchanges.map(({ request }) => request.peer)
    expect(peers[0]).toBe(peers[1])
    expect(peers[0]).not.toBe(peers[2])
    expect([front.connections(), front.accepted()]).toEqual([2, 2])
  })
})

describe('HTTP/2 limits', () => {
  it('F1: announces the settings of the real server', async () => {
    const front = await openTls(hello)
    const client = session(front)
    const seen: Settings[] = []
    client.on('remoteSettings', settings => seen.push(settings))
    await askHttp2(client, {})
    await until(() => seen.length === 2)
    expect(seen[0]).toMatchObject({ maxConcurrentStreams: 100 })
    expect(seen[1]).toMatchObject({
      maxConcurrentStreams: 100,
      initialWindowSize: 262_144,
      maxFrameSize: 262_144,
      maxHeaderListSize: 1_048_896,
    })
    await until(() => client.state.remoteWindowSize === 25 * 1024 * 1024)
  })

  it('F1: resets the 101st stream with PROTOCOL_ERROR and answers the first hundred', async () => {
    const { exchanges, handler } = watching()
    const front = await openTls(handler)
    const client = await frames(front)
    for (let i = 0; i < 103; i++) client.get(1 + 2 * i, `/${i}`)
    const resets = () => client.frames.filter(({ type }) => type === 'RST_STREAM')
    const heads = () => client.frames.filter(({ type }) => type === 'HEADERS')
    await until(() => resets().length === 3 && heads().length === 100)
    expect(resets().map(({ stream, payload }) => [stream, payload.readUInt32BE(0)])).toEqual([
      [201, 1],
      [203, 1],
      [205, 1],
    ])
    // The connection lives: one watch ends, and one more request has its place.
    exchanges[0]?.reply.end()
    await client.seen(({ stream, flags, type }) => stream === 1 && type === 'DATA' && flags === END_STREAM)
    client.get(207, '/later')
    await client.seen(({ stream, type }) => stream === 207 && type === 'HEADERS')
    expect(client.frames.filter(({ type }) => type === 'GOAWAY')).toEqual([])
  })

  it('serves more requests than streams to a client that keeps to the limit', async () => {
    const front = await openTls(hello, { maxStreams: 5 })
    const client = session(front)
    await once(client, 'remoteSettings')
    const answers = await Promise.all(Array.from({ length: 300 }, (_, i) => askHttp2(client, { path: `/${i}` })))
    expect(answers.map(({ body, ending }) => [body.toString(), ending])).toEqual(
      Array.from({ length: 300 }, (_, i) => [`GET /${i} `, 'end']),
    )
    expect(front.accepted()).toBe(1)
  })

  it('counts a stream out as soon as its client resets it', async () => {
    const { exchanges, handler } = watching()
    const front = await openTls(handler, { maxStreams: 2 })
    const client = await frames(front)
    await client.seen(({ type }) => type === 'SETTINGS')
    for (let i = 0; i < 200; i++) {
      client.hold()
      client.get(1 + 2 * i, `/${i}`)
      if (i > 0) client.send(Buffer.from([0, 0, 4, 3, 0, 0, 0, (2 * i - 1) >> 8, (2 * i - 1) & 255, 0, 0, 0, 8]))
      client.flush([1 << 20])
    }
    await until(() => exchanges.length === 200 && exchanges.filter(({ closed }) => !closed).length === 1)
    expect(client.frames.filter(({ type }) => type === 'RST_STREAM')).toEqual([])
  })

  it('reads a connection if its first bytes come one by one, and if they come at once', async () => {
    for (const sizes of [[1], [7, 1, 30], [1 << 20]]) {
      const front = await openTls(hello)
      const client = await frames(front)
      client.hold()
      await client.seen(({ type }) => type === 'SETTINGS')
      client.get(1, '/one')
      client.get(3, '/two')
      client.flush(sizes)
      const done = (id: number) => client.seen(f => f.stream === id && f.type === 'DATA' && f.flags === END_STREAM)
      await Promise.all([done(1), done(3)])
    }
  })

  it('F1: resets a stream with headers of more than 1 MiB, and takes a path of 30 KB', async () => {
    const front = await openTls(hello)
    const client = session(front)
    const long = `/${'x'.repeat(30_000)}`
    expect((await askHttp2(client, { path: long })).body.toString()).toBe(`GET ${long} `)
    const raw = await frames(front)
    await raw.seen(({ type, flags }) => type === 'SETTINGS' && flags === 1)
    raw.getWithHeaders(1, 1_300_000)
    const reset = await raw.seen(({ type }) => type === 'RST_STREAM')
    expect([reset.stream, reset.payload.readUInt32BE(0)]).toEqual([1, 11])
    raw.getWithHeaders(3, 900_000)
    await raw.seen(({ stream, type }) => stream === 3 && type === 'HEADERS')
  })
})

describe('bounds of a request', () => {
  it('F1: answers 413 to a body over the bound and takes one at it', async () => {
    const front = await openTls((request, reply) => {
      reply.head(200, {})
      reply.write(Buffer.from(String(request.body.length)))
      reply.end()
    })
    const most = 3 * 1024 * 1024
    const client = session(front)
    const both = async (size: number) => {
      const ask = { method: 'POST', body: Buffer.alloc(size, 'x') }
      return [await askHttp2(client, ask), await askHttp1(front.url, { ...ask, ca: ca.caPem })]
    }
    expect((await both(most)).map(({ status, body }) => [status, body.toString()])).toEqual(
      Array(2).fill([200, `${most}`]),
    )
    for (const { status, body } of await both(most + 1)) {
      expect(status).toBe(413)
      expect(JSON.parse(body.toString())).toMatchObject({
        kind: 'Status',
        reason: 'RequestEntityTooLarge',
        message: 'Request entity too large: limit is 3145728',
        code: 413,
      })
    }
    // The session goes on.
    expect(await askHttp2(client, { method: 'POST', body: Buffer.from('x') })).toMatchObject({ status: 200 })
    expect(front.accepted()).toBe(3)
  })

  it('F1: answers 413 to a body that does not say its length and never ends', async () => {
    const front = await open({ handler: hello, maxBodyBytes: 1000 })
    const client = await RawClient.open(front.port)
    client.socket.write('POST / HTTP/1.1\r\nhost: x\r\ntransfer-encoding: chunked\r\n\r\n')
    const chunk = `10000\r\n${'x'.repeat(0x10000)}\r\n`
    const more = () => {
      while (!client.socket.destroyed && client.socket.write(chunk));
    }
    client.socket.on('drain', more)
    more()
    await client.ended
    expect(client.text).toMatch(/^HTTP\/1\.1 413 [\s\S]*Connection: close[\s\S]*limit is 1000/)
  })

  it('F1: answers 431 in plain text to headers over 1 MiB on HTTP/1.1, and ends the connection', async () => {
    const front = await open({ handler: hello })
    const fits = await RawClient.open(front.port)
    fits.socket.write(`GET /ok HTTP/1.1\r\nhost: x\r\nconnection: close\r\nx-a: ${'a'.repeat(1_000_000)}\r\n\r\n`)
    expect(await fits.ended).toBe('closed')
    expect(fits.text).toMatch(/^HTTP\/1\.1 200 /)
    const over = await RawClient.open(front.port)
    over.socket.write(`GET / HTTP/1.1\r\nhost: x\r\nx-a: ${'a'.repeat(1_100_000)}\r\n\r\n`)
    await over.ended
    expect(over.text).toBe(
      'HTTP/1.1 431 Request Header Fields Too Large\r\nContent-Type: text/plain; charset=utf-8\r\n' +
        'Connection: close\r\nContent-Length: 35\r\n\r\n431 Request Header Fields Too Large',
    )
  })

  it('answers 400 to bytes that are no HTTP, and survives bytes that are no TLS', async () => {
    const plain = await open({ handler: hello })
    const nonsense = await RawClient.open(plain.port)
    nonsense.socket.write('nonsense\r\n\r\n')
    await nonsense.ended
    expect(nonsense.text).toMatch(/^HTTP\/1\.1 400 Bad Request\r\n/)
    const tls = await openTls(hello)
    const clear = await RawClient.open(tls.port)
    clear.socket.write('GET / HTTP/1.1\r\n\r\n')
    await clear.ended
    expect(await askHttp1(tls.url, { ca: ca.caPem })).toMatchObject({ status: 200 })
  })
})

describe('slow and vanishing clients', () => {
  const chunk = Buffer.alloc(256 * 1024, 'x')
  const total = 64 * 1024 * 1024

  /** Writes `total` bytes as backpressure allows, and notes the most that was ever buffered. */
  function firehose() {
    const state = { written: 0, drains: 0, most: 0 }
    let front: SocketFront | undefined
    const handler: Handler = (_, reply) => {
      reply.head(200, {})
      const pump = () => {
        while (state.written < total) {
          state.written += chunk.length
          const more = reply.write(chunk)
          state.most = Math.max(state.most, front?.buffered() ?? 0)
          if (!more) return
        }
        reply.end()
      }
      reply.onDrain(() => {
        state.drains++
        pump()
      })
      pump()
    }
    return {
      state,
      handler,
      use: (used: SocketFront) => {
        front = used
      },
    }
  }

  it('F1: buffers no more than its limit for an h2 client that does not read, and loses nothing', async () => {
    const hose = firehose()
    const front = await openTls(hose.handler)
    hose.use(front)
    const stream = session(front).request({ ':path': '/' })
    closing.push(() => stream.destroy())
    await once(stream, 'response')
    await once(stream, 'readable')
    let last = -1
    while (last !== hose.state.written) {
      last = hose.state.written
      for (let i = 0; i < 50; i++) await new Promise<void>(resolve => setImmediate(resolve))
    }
    expect(hose.state.written).toBeLessThan(total)
    expect(hose.state.most).toBeLessThanOrEqual(2 * chunk.length)
    let size = 0
    stream.on('data', (part: Buffer) => {
      size += part.length
    })
    await once(stream, 'end')
    expect(size).toBe(total)
    expect(hose.state.drains).toBeGreaterThan(10)
    expect(hose.state.most).toBeLessThanOrEqual(2 * chunk.length)
    expect(front.buffered()).toBe(0)
  })

  it('F1: buffers no more than its limit for an http client that does not read, and loses nothing', async () => {
    const hose = firehose()
    const front = await open({ handler: hose.handler })
    hose.use(front)
    const socket = connectTcp(front.port, '127.0.0.1')
    closing.push(() => socket.destroy())
    socket.pause()
    socket.write('GET / HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n')
    await until(() => front.buffered() > 0)
    expect(hose.state.written).toBeLessThan(total)
    let size = 0
    socket.on('data', part => {
      size += part.length
    })
    socket.resume()
    await once(socket, 'close')
    expect(size).toBeGreaterThan(total)
    expect(hose.state.most).toBeLessThanOrEqual(2 * chunk.length)
  })

  it('lets a stream that nobody reads hold back no other stream of its connection', async () => {
    const hose = firehose()
    const front = await openTls((request, reply) =>
      (request.path === '/slow' ? hose : { handler: hello }).handler(request, reply),
    )
    hose.use(front)
    const client = session(front)
    const slow = client.request({ ':path': '/slow' })
    closing.push(() => slow.destroy())
    await once(slow, 'response')
    const answers = await Promise.all(Array.from({ length: 50 }, () => askHttp2(client, {})))
    expect(answers.every(({ status, ending }) => status === 200 && ending === 'end')).toBe(true)
    expect(hose.state.written).toBeLessThan(total)
  })

  it('calls onClose when a client resets its stream or goes, and takes every later call as a no-op', async () => {
    const { exchanges, handler } = watching()
    const front = await openTls(handler)
    const client = session(front)
    const stream = client.request({ ':path': '/' })
    await once(stream, 'response')
    stream.close(8)
    await until(() => exchanges[0]?.closed === true)
    const left = client.request({ ':path': '/' })
    left.on('error', () => {})
    await once(left, 'response')
    client.destroy()
    await until(() => exchanges[1]?.closed === true)
    const plain = await open({ handler })
    const raw = await RawClient.open(plain.port)
    raw.socket.write('GET / HTTP/1.1\r\nhost: x\r\n\r\n')
    await until(() => raw.text.includes('{"type":'))
    raw.socket.resetAndDestroy()
    await until(() => exchanges[2]?.closed === true)
    for (const { reply } of exchanges) {
      reply.head(200, {})
      expect(reply.write(Buffer.from('x'))).toBe(true)
      reply.end()
      reply.rst()
    }
    await new Promise<void>(resolve => exchanges[2]?.reply.onClose(resolve))
  })

  it('does not call the handler for a body that its client gave up', async () => {
    const { exchanges, handler } = watching()
    const front = await openTls(handler)
    const client = session(front)
    const stream = client.request({ ':method': 'POST', ':path': '/' })
    stream.on('error', () => {})
    stream.write('half')
    stream.close(8)
    await askHttp2(client, { path: '/after', method: 'HEAD' })
    expect(exchanges.map(({ request }) => request.path)).toEqual(['/after'])
  })
})

describe('breaking endings', () => {
  it('F2: GOAWAY lets the stream in flight go on to its end, then the connection ends', async () => {
    const { exchanges, handler } = watching()
    const front = await openTls(handler)
    const client = await frames(front)
    client.get(1, '/watch')
    await client.seen(({ type }) => type === 'DATA')
    exchanges[0]?.request.peer.goaway()
    exchanges[0]?.request.peer.goaway()
    const goaway = await client.seen(({ type }) => type === 'GOAWAY')
    expect([goaway.payload.readUInt32BE(0), goaway.payload.readUInt32BE(4)]).toEqual([1, 0])
    expect(front.connections()).toBe(1)
    exchanges[0]?.reply.write(Buffer.from('after'))
    await client.seen(({ type, payload }) => type === 'DATA' && payload.toString() === 'after')
    exchanges[0]?.reply.end()
    expect(await client.ended).toBe('closed')
    const frame = client.frames.filter(({ type }) => type === 'DATA').at(-1)
    expect(frame?.flags).toBe(END_STREAM)
    await until(() => front.connections() === 0)
  })

  it('F2: goawayAll sends a GOAWAY to a connection that is still being made as soon as it is', async () => {
    const front = await openTls(hello)
    const socket = connectTcp(front.port, '127.0.0.1')
    await once(socket, 'connect')
    await until(() => front.connections() === 1)
    front.goawayAll()
    const client = await FrameClient.connect(front.port, ca.caPem, socket)
    closing.push(() => client.socket.destroy())
    client.get(1, '/')
    const goaway = await client.seen(({ type }) => type === 'GOAWAY')
    expect([goaway.payload.readUInt32BE(0), goaway.payload.readUInt32BE(4)]).toEqual([0, 0])
    expect(await client.ended).toBe('closed')
    expect(client.frames.filter(({ type }) => type === 'HEADERS')).toEqual([])
  })

  it('F2: goaway on HTTP/1.1 says so in the next head and closes after the exchange; an idle one closes at once', async () => {
    const { exchanges, handler } = keeper()
    const front = await open({ handler })
    const busy = await RawClient.open(front.port)
    busy.socket.write('GET / HTTP/1.1\r\nhost: x\r\n\r\n')
    await until(() => exchanges.length === 1)
    const idle = await RawClient.open(front.port)
    await until(() => front.connections() === 2)
    front.goawayAll()
    expect(await idle.ended).toBe('closed')
    const { reply } = exchanges[0] ?? {}
    reply?.head(200, {})
    reply?.write(Buffer.from('last'))
    reply?.end()
    expect(await busy.ended).toBe('closed')
    expect(busy.text).toMatch(/connection: close[\s\S]*4\r\nlast\r\n0\r\n\r\n$/)
  })

  it('F2: destroy ends h2 without END_STREAM and http without a last chunk; what was written before arrives', async () => {
    const { exchanges, handler } = watching()
    const tls = await openTls(handler)
    const client = await frames(tls)
    client.get(1, '/a')
    client.get(3, '/b')
    await client.seen(({ type, stream }) => type === 'DATA' && stream === 3)
    exchanges[0]?.reply.write(Buffer.from('half a li'))
    exchanges[0]?.request.peer.destroy()
    exchanges[0]?.reply.write(Buffer.from('never'))
    exchanges[0]?.reply.end()
    await client.ended
    expect(
      client.frames.filter(({ type }) => type === 'DATA').map(f => [f.stream, f.flags, f.payload.toString()]),
    ).toEqual([
      [1, 0, '{"type":'],
      [3, 0, '{"type":'],
      [1, 0, 'half a li'],
    ])
    expect(client.frames.filter(({ type }) => type === 'RST_STREAM' || type === 'GOAWAY')).toEqual([])
    await until(() => exchanges.every(({ closed }) => closed))

    const plain = await open({ handler })
    const raw = await RawClient.open(plain.port)
    raw.socket.write('GET / HTTP/1.1\r\nhost: x\r\n\r\n')
    await until(() => exchanges.length === 3)
    exchanges[2]?.reply.write(Buffer.from('half a li'))
    exchanges[2]?.request.peer.destroy()
    exchanges[2]?.reply.end()
    expect(await raw.ended).toBe('closed')
    expect(raw.text).toMatch(/9\r\nhalf a li\r\n$/)
  })

  it('F2: reset is a TCP reset, with TLS and without', async () => {
    const { exchanges, handler } = watching()
    const tls = await openTls(handler)
    const plain = await open({ handler })
    const secure = await frames(tls)
    secure.get(1, '/a')
    const raw = await RawClient.open(plain.port)
    raw.socket.write('GET / HTTP/1.1\r\nhost: x\r\n\r\n')
    await until(() => exchanges.length === 2)
    for (const { request } of exchanges) {
      request.peer.reset()
      request.peer.reset()
      request.peer.destroy()
    }
    expect([await secure.ended, await raw.ended]).toEqual(['ECONNRESET', 'ECONNRESET'])
    await until(() => exchanges.every(({ closed }) => closed) && tls.connections() + plain.connections() === 0)
  })

  it('F2: rst resets one stream with its code, after what was written, and spares the others', async () => {
    const { exchanges, handler } = watching()
    const front = await openTls(handler)
    const client = await frames(front)
    for (const stream of [1, 3, 5]) client.get(stream, `/${stream}`)
    await client.seen(({ type, stream }) => type === 'DATA' && stream === 5)
    exchanges[0]?.reply.rst()
    exchanges[1]?.reply.write(Buffer.from('half'))
    exchanges[1]?.reply.rst(11)
    exchanges[1]?.reply.rst(1)
    exchanges[1]?.reply.end()
    const codes = []
    for (const id of [1, 3])
      codes.push((await client.seen(f => f.type === 'RST_STREAM' && f.stream === id)).payload.readUInt32BE(0))
    expect(codes).toEqual([2, 11])
    exchanges[2]?.reply.end()
    await client.seen(({ stream, flags, type }) => stream === 5 && type === 'DATA' && flags === END_STREAM)
    expect(client.frames.filter(({ stream, flags, type }) => stream < 5 && type === 'DATA' && flags !== 0)).toEqual([])
    expect(client.frames.some(({ payload, type }) => type === 'DATA' && payload.toString() === 'half')).toBe(true)
    await until(() => exchanges.every(({ closed }) => closed))

    const plain = await open({
      handler: (_, reply) => {
        reply.head(200, {})
        reply.write(Buffer.from('half'))
        reply.rst(11)
      },
    })
    expect(await askHttp1(plain.url)).toMatchObject({ status: 200, body: Buffer.from('half'), ending: 'ECONNRESET' })
  })
})

describe('life of a front', () => {
  it('F2: refuses new connections while old ones live on, and opens again on the same port', async () => {
    const front = await openTls(hello)
    const client = session(front)
    await askHttp2(client, {})
    const { port } = front
    for (let round = 0; round < 3; round++) {
      await front.refuse(true)
      expect(await askHttp1(front.url, { ca: ca.caPem })).toMatchObject({ ending: 'ECONNREFUSED' })
      expect(await askHttp2(client, {})).toMatchObject({ status: 200 })
      await front.refuse(false)
      expect(await askHttp1(front.url, { ca: ca.caPem })).toMatchObject({ status: 200 })
    }
    expect(front.port).toBe(port)
    await Promise.all([front.refuse(true), front.refuse(false), front.refuse(true), front.refuse(false)])
    expect(await askHttp1(front.url, { ca: ca.caPem })).toMatchObject({ status: 200 })
  })

  it('rejects when its port is taken', async () => {
    const front = await open({ handler: hello })
    await expect(listen({ handler: hello, port: front.port })).rejects.toMatchObject({ code: 'EADDRINUSE' })
  })

  it('closes idle and busy connections, half-made ones too, and notifies every exchange', async () => {
    const { exchanges, handler } = watching()
    const front = await listen({ handler, tls: { cert: server.certPem, key: server.keyPem } })
    const client = session(front)
    for (let i = 0; i < 20; i++) client.request({ ':path': '/' }).on('error', () => {})
    const agent = new Agent({ keepAlive: true })
    closing.push(() => agent.destroy())
    const plain = await listen({ handler: hello })
    const kept = httpGet(plain.url, { agent })
    kept.on('response', response => response.resume())
    await once(kept, 'close')
    const handshake = await RawClient.open(front.port)
    await until(() => exchanges.length === 20 && front.connections() === 2 && plain.connections() === 1)
    const [one, two] = [front.close(), front.close()]
    expect(one).toBe(two)
    await Promise.all([one, plain.close()])
    expect(exchanges.every(({ closed }) => closed)).toBe(true)
    expect([front.connections(), plain.connections(), front.buffered()]).toEqual([0, 0, 0])
    await handshake.ended
    expect(await askHttp1(front.url)).toMatchObject({ ending: 'ECONNREFUSED' })
    await front.refuse(false)
    expect(await askHttp1(front.url)).toMatchObject({ ending: 'ECONNREFUSED' })
  })

  it('ends a connection that is idle too long, h2 with a GOAWAY, and none that has an exchange', async () => {
    const timers = new Set<{ ms: number; fn: () => void }>()
    const clock: Clock = {
      now: () => 0,
      monotonic: () => 0,
      timer(ms, fn) {
        const timer = { ms, fn }
        timers.add(timer)
        return { cancel: () => timers.delete(timer) }
      },
      turn: () => Promise.resolve(),
    }
    const idle = () => [...timers].filter(({ ms }) => ms === 5_000)
    const { exchanges, handler } = watching()
    const front = await openTls(handler, { clock, idleMs: 5_000 })
    const client = await frames(front)
    await until(() => idle().length === 1)
    client.get(1, '/')
    await until(() => exchanges.length === 1)
    expect(idle()).toEqual([])
    exchanges[0]?.reply.end()
    await until(() => idle().length === 1)
    idle()[0]?.fn()
    expect(await client.ended).toBe('closed')
    expect(client.frames.at(-1)).toMatchObject({ type: 'GOAWAY' })
    await until(() => front.connections() === 0)
    const raw = await RawClient.open((await open({ handler, clock, idleMs: 5_000 })).port)
    await until(() => [...timers].some(({ ms }) => ms === 5_000))
    for (const { fn } of idle()) fn()
    expect(await raw.ended).toBe('closed')
    // A client that does not acknowledge the server's settings is no longer waited for.
    const silent = connectTls({ port: front.port, host: '127.0.0.1', ca: ca.caPem, ALPNProtocols: ['h2'] })
    closing.push(() => silent.destroy())
    const closed = once(silent.resume(), 'close')
    timers.clear()
    await until(() => idle().length === 1)
    idle()[0]?.fn()
    await closed
  })
})
