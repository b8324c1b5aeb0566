import { forEachSeed, type Simulation, simulate } from '@wherry/testing'
import { describe, expect, it } from 'vitest'
import type { Handler, ServerReply, ServerRequest } from '../exchange.ts'
import { chance, choose, integer } from '../random.ts'
import type { Connection, Exchange, ResponseHandlers } from '../transport.ts'
import { type MemoryTransport, type MemoryTransportOptions, memoryTransport } from './memory.ts'

const target = new URL('https://server.example:6443')
const never = new AbortController().signal
const text = (bytes: Uint8Array): string => Buffer.from(bytes).toString()

/** For counts over many seeds. These seeds are fixed: an option for one seed must not replace them. */
async function forFixedSeeds(count: number, run: (seed: number) => Promise<void>): Promise<void> {
  for (let seed = 1; seed <= count; seed++) await run(seed)
}

/** One response as the client receives it, an entry each call. */
class ReceivedResponse implements ResponseHandlers {
  readonly log: string[] = []
  readonly chunks: Uint8Array[] = []
  cause: (Error & { code?: string; unprocessed?: boolean; rstCode?: number }) | undefined
  onData: (() => void) | undefined

  head(status: number): void {
    this.log.push(`head ${status}`)
  }
  data(chunk: Uint8Array): void {
    this.chunks.push(chunk)
    this.onData?.()
  }
  end(): void {
    this.log.push('end')
  }
  error(cause: Error): void {
    this.cause = cause
    this.log.push(`error ${(cause as Error & { code: string }).code}`)
  }
  get body(): string {
    return text(Buffer.concat(this.chunks))
  }
  get over(): boolean {
    return this.log.some(entry => entry === 'end' || entry.startsWith('error'))
  }
}

/** The server: keeps each exchange for the test to answer. */
class Server {
  readonly exchanges: { request: ServerRequest; reply: ServerReply; log: string[] }[] = []
  onRequest: ((request: ServerRequest, reply: ServerReply) => void) | undefined
  readonly handler: Handler = (request, reply) => {
    const log: string[] = []
    reply.onClose(() => log.push('closed'))
    reply.onDrain(() => log.push('drain'))
    this.exchanges.push({ request, reply, log })
    this.onRequest?.(request, reply)
  }
  at(index: number): { request: ServerRequest; reply: ServerReply; log: string[] } {
    const exchange = this.exchanges[index]
    if (exchange === undefined) throw new Error(`the server has seen ${this.exchanges.length} requests`)
    return exchange
  }
}

interface Bench {
  readonly simulation: Simulation
  readonly server: Server
  readonly transport: MemoryTransport
  readonly connection: Connection
  readonly closes: string[]
  get(path?: string): ReceivedResponse & { exchange: Exchange }
}

async function bench(seed: number, options: Partial<MemoryTransportOptions> = {}): Promise<Bench> {
  const simulation = simulate(seed)
  const server = new Server()
  const { clock, random, trace } = simulation
  const transport = memoryTransport({
    handler: server.handler,
    clock,
    random: random.fork('network'),
    trace,
    chunking: 'whole',
    ...options,
  })
  simulation.describe(transport.controls.pending)
  const connection = await simulation.run(() => transport.connect(target, never))
  const closes: string[] = []
  connection.onClose((why, cause) => closes.push(cause ? `${why}: ${cause.message}` : why))
  const get = (path = '/api'): ReceivedResponse & { exchange: Exchange } => {
    const response = new ReceivedResponse()
    const exchange = connection.request({ method: 'GET', path, headers: { accept: 'application/json' } }, response)
    return Object.assign(response, { exchange })
  }
  return { simulation, server, transport, connection, closes, get }
}

describe('a request in memory', () => {
  it('F5: reaches the handler and its answer the client, after a latency each', async () => {
    const { simulation, server, connection } = await bench(1, { latencyMs: 2 })
    const response = new ReceivedResponse()
    const start = simulation.clock.monotonic()
    const body = Buffer.from('{"a":1}')
    connection.request(
      {
        method: 'POST',
        path: '/api/v1/x?limit=5',
        headers: { 'x-a': 'b', 'x-c': ['d', 'e'], 'impersonate-group': ['a,b', 'c'] },
        body,
      },
      response,
    )
    await simulation.runUntil(() => server.exchanges.length === 1)
    expect(simulation.clock.monotonic() - start).toBe(2)
    const { request, reply, log } = server.at(0)
    expect(request).toMatchObject({
      method: 'POST',
      path: '/api/v1/x?limit=5',
      headers: { 'x-a': 'b', 'x-c': 'd, e', 'impersonate-group': 'a,b\nc', host: 'server.example:6443' },
      peer: { protocol: 'h2', certificate: undefined },
    })
    expect(text(request.body)).toBe('{"a":1}')
    reply.head(201, { 'content-type': 'application/json' })
    expect(reply.write(Buffer.from('one '))).toBe(true)
    reply.write(Buffer.from('two'))
    reply.end()
    expect(log).toEqual([])
    await simulation.runUntil(() => response.over)
    expect(simulation.clock.monotonic() - start).toBe(4)
    expect(response.log).toEqual(['head 201', 'end'])
    expect(response.body).toBe('one two')
    expect(log).toEqual(['closed'])
    await simulation.settle()
    expect(simulation.pending()).toEqual([])
  })

  it('gives the server no body where HTTP has none, and refuses one that is too long with 413', async () => {
    const { simulation, server, connection } = await bench(1, { maxBodyBytes: 10 })
    const [head, empty, long] = [new ReceivedResponse(), new ReceivedResponse(), new ReceivedResponse()]
    server.onRequest = (request, reply) => {
      reply.head(request.method === 'HEAD' ? 200 : 204, {})
      expect(reply.write(Buffer.from('dropped'))).toBe(true)
      reply.end()
    }
    connection.request({ method: 'HEAD', path: '/', headers: {} }, head)
    connection.request({ method: 'DELETE', path: '/', headers: {} }, empty)
    connection.request({ method: 'POST', path: '/', headers: {}, body: Buffer.alloc(11) }, long)
    await simulation.runUntil(() => head.over && empty.over && long.over)
    expect([head.log, head.body]).toEqual([['head 200', 'end'], ''])
    expect([empty.log, empty.body]).toEqual([['head 204', 'end'], ''])
    expect(long.log).toEqual(['head 413', 'end'])
    expect(JSON.parse(long.body)).toMatchObject({
      reason: 'RequestEntityTooLarge',
      message: expect.stringContaining('10'),
    })
    expect(server.exchanges.length).toBe(2)
  })

  it('shows the client certificate that it was given', async () => {
    const certificate = { commonName: 'jane', organizations: ['dev'] }
    const { simulation, server, get } = await bench(1, { certificate })
    get()
    await simulation.runUntil(() => server.exchanges.length === 1)
    expect(server.at(0).request.peer.certificate).toEqual(certificate)
  })

  it('refuses what a server must not do: a body before its head, two heads', async () => {
    const { simulation, server, get } = await bench(1)
    get()
    await simulation.runUntil(() => server.exchanges.length === 1)
    const { reply } = server.at(0)
    expect(() => reply.write(Buffer.from('x'))).toThrow('a body before its head')
    expect(() => reply.end()).toThrow('an end before its head')
    reply.head(200, {})
    expect(() => reply.head(200, {})).toThrow('a second head')
  })
})

describe('chunk borders', () => {
  const lines = ['{"name":"zoë"}\n', '{"name":"🜂 fire"}\n', `{"long":"${'x'.repeat(300)}"}\n`]

  /** What chunks a body arrives in when it is written line by line. */
  async function chunksOf(seed: number, chunking: 'random' | 'whole' | 'bytes'): Promise<string[]> {
    const { simulation, server, get } = await bench(seed, { chunking })
    server.onRequest = (_, reply) => {
      reply.head(200, {})
      for (const line of lines) reply.write(Buffer.from(line))
      reply.end()
    }
    const response = get()
    await simulation.runUntil(() => response.over)
    expect(response.body).toBe(lines.join(''))
    expect(response.log).toEqual(['head 200', 'end'])
    expect(response.chunks.every(chunk => chunk.length > 0)).toBe(true)
    return response.chunks.map(chunk => Buffer.from(chunk).toString('latin1'))
  }

  it('whole: are those of the writes; bytes: are everywhere', async () => {
    expect(await chunksOf(1, 'whole')).toEqual(lines.map(line => Buffer.from(line).toString('latin1')))
    const bytes = await chunksOf(1, 'bytes')
    expect(bytes.length).toBe(Buffer.byteLength(lines.join('')))
  })

  it('F5: random: fall within characters, right before and after line ends, join lines, and lose nothing', async () => {
    const seen = { single: 0, brokenCharacter: 0, joined: 0, beforeNewline: 0, afterNewline: 0, whole: 0 }
    await forFixedSeeds(150, async seed => {
      const chunks = await chunksOf(seed, 'random')
      for (const [index, chunk] of chunks.entries()) {
        const bytes = Buffer.from(chunk, 'latin1')
        if (bytes.length === 1) seen.single++
        if (bytes.toString().includes('\ufffd')) seen.brokenCharacter++
        if (/\n./s.test(chunk)) seen.joined++
        if (chunk.startsWith('\n')) seen.beforeNewline++
        if (index > 0 && chunks[index - 1]?.endsWith('\n')) seen.afterNewline++
        if (lines.some(line => line === bytes.toString())) seen.whole++
      }
    })
    for (const count of Object.values(seen)) expect(count).toBeGreaterThan(3)
  })

  it('random: holds parts back for a later time now and then', async () => {
    let times = 0
    await forFixedSeeds(300, async seed => {
      const { simulation, server, get } = await bench(seed, { chunking: 'random' })
      server.onRequest = (_, reply) => {
        reply.head(200, {})
        reply.write(Buffer.from(lines.join('')))
        reply.end()
      }
      const response = get()
      const arrivals = new Set<number>()
      response.onData = () => arrivals.add(simulation.clock.monotonic())
      await simulation.runUntil(() => response.over)
      if (arrivals.size > 1) times++
    })
    expect(times).toBeGreaterThan(10)
    expect(times).toBeLessThan(100)
  })
})

describe('flow control', () => {
  it('F5: holds the server back while the client pauses, and lets it go on when it has read', async () => {
    const { simulation, server, get } = await bench(3, { windowBytes: 1000 })
    const response = get()
    response.exchange.pause()
    await simulation.runUntil(() => server.exchanges.length === 1)
    const { reply, log } = server.at(0)
    reply.head(200, {})
    const part = Buffer.alloc(300, 'x')
    const accepted: boolean[] = []
    for (let i = 0; i < 6; i++) accepted.push(reply.write(part))
    reply.end()
    expect(accepted).toEqual([true, true, true, false, false, false])
    await simulation.advance(100)
    expect(response.log).toEqual(['head 200'])
    expect(response.chunks).toEqual([])
    expect(log).toEqual([])
    response.exchange.resume()
    await simulation.runUntil(() => response.over)
    expect(response.body.length).toBe(1800)
    expect(log).toEqual(['closed'])
  })

  it('calls onDrain once for each time that write said no', async () => {
    const { simulation, server, get } = await bench(3, { windowBytes: 1000 })
    const response = get()
    await simulation.runUntil(() => server.exchanges.length === 1)
    const { reply, log } = server.at(0)
    reply.head(200, {})
    expect(reply.write(Buffer.alloc(1000))).toBe(false)
    await simulation.runUntil(() => log.length > 0)
    expect(reply.write(Buffer.alloc(2500))).toBe(false)
    await simulation.advance(100)
    expect(log).toEqual(['drain', 'drain'])
    expect(reply.write(Buffer.alloc(10))).toBe(true)
    await simulation.advance(100)
    expect(log).toEqual(['drain', 'drain'])
    expect(Buffer.concat(response.chunks).length).toBe(3510)
  })

  it('F5: never lets more than the window leave a server for a client that does not read, whatever it writes', async () => {
    await forEachSeed(
      async seed => {
        const { simulation, server, get } = await bench(seed, { windowBytes: 500, chunking: 'random' })
        const { random } = simulation
        const response = get()
        await simulation.runUntil(() => server.exchanges.length === 1)
        const { reply } = server.at(0)
        reply.head(200, {})
        let written = 0
        for (let i = 0; i < 40; i++) {
          const size = integer(random, 0, 400)
          reply.write(Buffer.alloc(size, i))
          written += size
          choose(random, [() => response.exchange.pause(), () => response.exchange.resume()])()
          const before = Buffer.concat(response.chunks).length
          if (chance(random, 0.2)) {
            response.exchange.pause()
            await simulation.advance(10)
            const held = Buffer.concat(response.chunks).length
            await simulation.advance(10)
            expect(Buffer.concat(response.chunks).length).toBe(held)
            expect(held).toBe(before)
            response.exchange.resume()
            await simulation.settle()
            expect(Buffer.concat(response.chunks).length - held).toBeLessThanOrEqual(500)
          }
          await simulation.advance(integer(random, 0, 3))
        }
        response.exchange.resume()
        reply.end()
        await simulation.runUntil(() => response.over)
        const expected = Buffer.concat(response.chunks)
        expect(expected.length).toBe(written)
      },
      { seeds: 30 },
    )
  })

  it('pausing in the middle of data stops at that chunk, and resuming keeps the order', async () => {
    const { simulation, server, get } = await bench(4)
    const response = get()
    response.onData = () => response.exchange.pause()
    server.onRequest = (_, reply) => {
      reply.head(200, {})
      for (const part of ['a', 'b', 'c']) reply.write(Buffer.from(part))
      reply.end()
    }
    await simulation.runUntil(() => response.chunks.length > 0)
    await simulation.advance(50)
    const bodies = [response.body]
    for (let i = 0; i < 3; i++) {
      response.exchange.resume()
      response.exchange.resume()
      await simulation.settle()
      bodies.push(response.body)
    }
    expect(bodies).toEqual(['a', 'ab', 'abc', 'abc'])
    expect(response.log).toEqual(['head 200', 'end'])
  })

  it('what arrives between a resume and the reading of what was held comes after it', async () => {
    const { simulation, server, get } = await bench(4, { latencyMs: 2 })
    const response = get()
    response.exchange.pause()
    await simulation.runUntil(() => server.exchanges.length === 1)
    const { reply } = server.at(0)
    reply.head(200, {})
    reply.write(Buffer.from('a'))
    await simulation.advance(5)
    simulation.clock.timer(2, () => response.exchange.resume())
    reply.write(Buffer.from('b'))
    await simulation.advance(5)
    expect(response.body).toBe('ab')
  })
})

describe('endings', () => {
  /** A stream with `some` sent, which the client has received. */
  async function underWay(options: Partial<MemoryTransportOptions> = {}) {
    const all = await bench(5, options)
    const response = all.get('/watch')
    await all.simulation.runUntil(() => all.server.exchanges.length === 1)
    const exchange = all.server.at(0)
    exchange.reply.head(200, {})
    exchange.reply.write(Buffer.from('some'))
    await all.simulation.runUntil(() => response.chunks.length > 0)
    return { ...all, response, ...exchange }
  }

  it('abort: no handler is called again, and the server learns that the request is over', async () => {
    const { simulation, response, reply, log, closes } = await underWay()
    reply.write(Buffer.from('more'))
    response.exchange.abort()
    response.exchange.abort()
    await simulation.advance(10)
    expect(response.log).toEqual(['head 200'])
    expect(response.body).toBe('some')
    expect(log).toEqual(['closed'])
    expect(reply.write(Buffer.from('late'))).toBe(true)
    reply.end()
    reply.rst()
    await simulation.advance(10)
    expect([response.log, log, closes]).toEqual([['head 200'], ['closed'], []])
  })

  it('abort before the request arrives: the handler is called, and its onClose at once', async () => {
    const { simulation, server, get } = await bench(5)
    get().exchange.abort()
    await simulation.advance(10)
    expect(server.at(0).log).toEqual(['closed'])
  })

  it('rst: breaks one stream with its code, after what was sent before it', async () => {
    const { simulation, response, reply, log, closes, get, server } = await underWay()
    reply.write(Buffer.from(' more'))
    reply.rst(8)
    await simulation.runUntil(() => response.over)
    expect(response.log).toEqual(['head 200', 'error ERR_HTTP2_STREAM_ERROR'])
    expect(response.cause).toMatchObject({ message: 'Stream closed with error code NGHTTP2_CANCEL', rstCode: 8 })
    expect(response.body).toBe('some more')
    expect([log, closes]).toEqual([['closed'], []])
    const next = get()
    await simulation.runUntil(() => server.exchanges.length === 2)
    server.at(1).reply.rst()
    await simulation.runUntil(() => next.over)
    expect(next.cause).toMatchObject({ rstCode: 2 })
  })

  it('destroy: what was sent arrives, then an error and never an end', async () => {
    const { simulation, response, request, reply, log, closes } = await underWay()
    reply.write(Buffer.from(' more'))
    request.peer.destroy()
    request.peer.destroy()
    reply.write(Buffer.from(' lost'))
    reply.end()
    await simulation.runUntil(() => response.over)
    expect(response.body).toBe('some more')
    expect(response.log).toEqual(['head 200', 'error ECONNRESET'])
    expect(closes).toEqual(['closed: socket hang up'])
    expect(log).toEqual(['closed'])
  })

  it('reset and kill: of what was under way any first part arrives, then an error', async () => {
    const line = '{"type":"ADDED"}\n'
    for (const how of ['reset', 'kill', 'kill of what was to break soon'] as const) {
      const lengths = new Set<number>()
      await forFixedSeeds(200, async seed => {
        const { simulation, server, get, closes, connection, transport } = await bench(seed)
        const response = get()
        await simulation.runUntil(() => server.exchanges.length === 1)
        const { reply, request, log } = server.at(0)
        reply.head(200, {})
        reply.write(Buffer.from(line))
        reply.end()
        if (how.endsWith('soon')) transport.controls.killAfter(connection, 5)
        if (how === 'reset') request.peer.reset()
        else transport.controls.kill(connection)
        await simulation.runUntil(() => closes.length > 0)
        await simulation.advance(10)
        expect(line.startsWith(response.body)).toBe(true)
        lengths.add(response.body.length)
        expect(closes).toEqual(['closed: read ECONNRESET'])
        if (response.log.at(-1) === 'end') expect(response.body).toBe(line)
        else expect(response.log).toEqual(['head 200', 'error ECONNRESET'])
        expect(log).toEqual(['closed'])
        expect(transport.controls.connections()).toEqual([])
        expect(simulation.pending()).toEqual([])
      })
      expect(lengths.size).toBe(line.length + 1)
    }
  })

  it('killAfter: breaks after exactly so many bytes, be it in the middle of a line', async () => {
    const body = 'ä line\nand another\n'
    for (let bytes = 0; bytes <= Buffer.byteLength(body); bytes++) {
      const { simulation, server, get, connection, transport, closes } = await bench(bytes + 1, { chunking: 'random' })
      server.onRequest = (_, reply) => {
        reply.head(200, {})
        reply.write(Buffer.from(body))
      }
      const response = get()
      transport.controls.killAfter(connection, bytes)
      await simulation.runUntil(() => response.over)
      expect(Buffer.concat(response.chunks)).toEqual(Buffer.from(body).subarray(0, bytes))
      expect(response.log.at(-1)).toBe('error ECONNRESET')
      await simulation.settle()
      expect(closes).toEqual(['closed: read ECONNRESET'])
    }
  })

  it('GOAWAY: streams go on to their end, then the connection closes; new requests fail as not looked at', async () => {
    const { simulation, response, request, reply, closes, get, transport, server } = await underWay()
    const racing = get('/racing')
    request.peer.goaway()
    await simulation.runUntil(() => closes.length > 0)
    expect(closes).toEqual(['goaway'])
    const late = get('/late')
    await simulation.runUntil(() => late.over && racing.over)
    expect(late.cause).toMatchObject({ code: 'ERR_HTTP2_GOAWAY_SESSION', unprocessed: true })
    expect(racing.cause).toMatchObject({
      message: 'Stream closed with error code NGHTTP2_REFUSED_STREAM',
      unprocessed: true,
    })
    expect(server.exchanges.length).toBe(1)
    await simulation.advance(60_000)
    expect(closes).toEqual(['goaway'])
    reply.write(Buffer.from(' more'))
    reply.end()
    await simulation.advance(10)
    expect(response.log).toEqual(['head 200', 'end'])
    expect(response.body).toBe('some more')
    expect(closes).toEqual(['goaway', 'closed'])
    expect(transport.controls.connections()).toEqual([])
  })

  it('GOAWAY on an idle connection closes it', async () => {
    const { simulation, closes, transport } = await bench(5)
    transport.controls.goawayAll()
    await simulation.advance(10)
    expect(closes).toEqual(['goaway', 'closed'])
  })

  it('freeze: nothing passes, no ping is answered, neither end notices; thaw lets it pass', async () => {
    const { simulation, response, reply, log, closes, connection, transport } = await underWay()
    transport.controls.freeze(connection)
    let pinged = false
    void connection.ping().then(() => {
      pinged = true
    })
    reply.write(Buffer.from(' more'))
    await simulation.advance(3_600_000)
    expect([response.body, pinged, log, closes]).toEqual(['some', false, [], []])
    transport.controls.thaw(connection)
    await simulation.advance(10)
    expect([response.body, pinged]).toEqual(['some more', true])
  })

  it('freeze takes effect between two chunks of one arrival', async () => {
    const { simulation, server, get, connection, transport } = await bench(5, { chunking: 'bytes' })
    server.onRequest = (_, reply) => {
      reply.head(200, {})
      reply.write(Buffer.from('abc'))
    }
    const response = get()
    response.onData = () => transport.controls.freeze(connection)
    await simulation.advance(1000)
    expect(response.body).toBe('a')
    response.onData = undefined
    transport.controls.thaw(connection)
    await simulation.advance(10)
    expect(response.body).toBe('abc')
  })

  it('close by the client: every stream ends with an error, also on a frozen connection, and the server sees it closed', async () => {
    for (const frozen of [false, true]) {
      const { simulation, response, log, closes, connection, transport } = await underWay()
      if (frozen) transport.controls.freeze(connection)
      const ping = connection.ping().catch((error: Error & { code?: string }) => error.code)
      const closing = connection.close()
      expect(response.over).toBe(false)
      expect(connection.close()).toBe(closing)
      await simulation.run(() => closing)
      expect(response.log).toEqual(['head 200', 'error ECONNRESET'])
      expect(await ping).toBe('ECONNRESET')
      expect(closes).toEqual(['closed'])
      await simulation.advance(10)
      expect(log).toEqual(frozen ? [] : ['closed'])
      expect(transport.controls.connections().length).toBe(frozen ? 1 : 0)
      transport.controls.thaw(connection)
      await simulation.advance(10)
      expect(log).toEqual(['closed'])
      expect(transport.controls.connections()).toEqual([])
    }
  })

  it('after the end: requests fail, pings reject, a listener is called at once', async () => {
    const { simulation, connection, get } = await bench(5)
    await simulation.run(() => connection.close())
    const response = get()
    expect(response.over).toBe(false)
    await simulation.settle()
    expect(response.cause).toMatchObject({ code: 'ERR_HTTP2_INVALID_SESSION', unprocessed: true })
    await expect(connection.ping()).rejects.toThrow('the connection is closed')
    const reasons: string[] = []
    connection.onClose(why => reasons.push(why))
    expect(reasons).toEqual(['closed'])
  })

  it('a response that the client has paused on is lost when the connection breaks', async () => {
    const { simulation, response, reply, request } = await underWay()
    response.exchange.pause()
    reply.write(Buffer.from(' more'))
    reply.end()
    await simulation.advance(10)
    request.peer.destroy()
    await simulation.advance(10)
    expect(response.log).toEqual(['head 200', 'error ECONNRESET'])
    expect(response.body).toBe('some')
  })

  it('close of the transport: breaks everything and refuses what comes', async () => {
    const { simulation, response, log, transport } = await underWay()
    transport.close()
    await simulation.advance(10)
    expect(response.log.at(-1)).toBe('error ECONNRESET')
    expect(log).toEqual(['closed'])
    await expect(simulation.run(() => transport.connect(target, never))).rejects.toMatchObject({ code: 'ECONNREFUSED' })
    expect(simulation.pending()).toEqual([])
  })
})

describe('connections', () => {
  it('reset the stream past their limit with PROTOCOL_ERROR, and take one again when one has ended', async () => {
    const { simulation, server, get, closes, connection } = await bench(6)
    expect(connection.maxStreams).toBe(100)
    const streams = Array.from({ length: 101 }, () => get())
    await simulation.advance(10)
    expect(server.exchanges.length).toBe(100)
    expect(streams.filter(stream => stream.over).map(({ cause }) => cause)).toEqual([
      expect.objectContaining({ code: 'ERR_HTTP2_STREAM_ERROR', rstCode: 1 }),
    ])
    streams[0]?.exchange.abort()
    get()
    await simulation.advance(10)
    expect(server.exchanges.length).toBe(101)
    expect(closes).toEqual([])
  })

  it('answer pings after a latency there and back', async () => {
    const { simulation, connection } = await bench(6, { latencyMs: 3 })
    const before = simulation.clock.monotonic()
    await simulation.run(() => connection.ping())
    expect(simulation.clock.monotonic() - before).toBe(6)
  })

  it('are refused while refuse is on', async () => {
    const { simulation, transport } = await bench(6)
    transport.controls.refuse(true)
    await expect(simulation.run(() => transport.connect(target, never))).rejects.toMatchObject({
      code: 'ECONNREFUSED',
      message: 'connect ECONNREFUSED server.example:6443',
    })
    transport.controls.refuse(false)
    await simulation.run(() => transport.connect(target, never))
    expect(transport.controls.connections().length).toBe(2)
  })

  it('hang while hang is on, until the signal aborts', async () => {
    const { simulation, transport } = await bench(6)
    transport.controls.hang(true)
    const controller = new AbortController()
    const reason = new Error('given up')
    const connecting = transport.connect(target, controller.signal).catch((error: unknown) => error)
    await simulation.advance(600_000)
    controller.abort(reason)
    expect(await connecting).toBe(reason)
    await expect(transport.connect(target, controller.signal)).rejects.toBe(reason)
  })

  it('do not come about when the signal aborts meanwhile', async () => {
    const { simulation, transport } = await bench(6)
    const controller = new AbortController()
    const connecting = transport.connect(target, controller.signal).catch(() => 'aborted')
    controller.abort()
    expect(await connecting).toBe('aborted')
    await simulation.advance(10)
    expect(transport.controls.connections().length).toBe(1)
    expect(simulation.pending()).toEqual([])
  })
})

describe('HTTP/1.1', () => {
  it('takes one request at a time, one after the other', async () => {
    const { simulation, server, get, connection } = await bench(7, { protocol: 'http/1.1' })
    expect(connection.maxStreams).toBe(1)
    server.onRequest = (request, reply) => {
      expect(request.peer.protocol).toBe('http/1.1')
      reply.head(200, {})
      reply.write(Buffer.from(request.path))
      reply.end()
    }
    const first = get('/1')
    expect(() => get('/2')).toThrow('one request at a time')
    await simulation.runUntil(() => first.over)
    const second = get('/2')
    await simulation.runUntil(() => second.over)
    expect([first.body, second.body]).toEqual(['/1', '/2'])
  })

  it('an abort, or an rst by the server, ends the connection', async () => {
    for (const by of ['client', 'server']) {
      const { simulation, server, get, closes } = await bench(7, { protocol: 'http/1.1' })
      const response = get()
      await simulation.runUntil(() => server.exchanges.length === 1)
      const { reply, log } = server.at(0)
      if (by === 'client') response.exchange.abort()
      else reply.rst()
      await simulation.advance(10)
      expect(closes).toEqual([by === 'client' ? 'closed' : 'closed: socket hang up'])
      expect(response.log).toEqual(by === 'client' ? [] : ['error ECONNRESET'])
      expect(log).toEqual(['closed'])
    }
  })

  it('going away means closing after the response', async () => {
    const { simulation, server, get, closes } = await bench(7, { protocol: 'http/1.1' })
    const response = get()
    await simulation.runUntil(() => server.exchanges.length === 1)
    const { reply, request } = server.at(0)
    request.peer.goaway()
    await simulation.advance(10)
    expect(closes).toEqual([])
    reply.head(200, {})
    reply.end()
    await simulation.advance(10)
    expect([response.log, closes]).toEqual([['head 200', 'end'], ['closed']])
  })
})

describe('one seed', () => {
  const faults = { kill: 0.05, goaway: 0.05, freeze: 0.02, refuse: 0.2 }

  /** A client that pools badly, against a server that streams, under random faults: 60 requests. */
  async function chaos(seed: number): Promise<{ simulation: Simulation; seen: Set<string> }> {
    const simulation = simulate(seed)
    const { clock, random, trace } = simulation
    const seen = new Set<string>()
    const handler: Handler = (_, reply) => {
      let left = integer(random, 0, 5)
      let closed = false
      reply.onClose(() => {
        closed = true
      })
      reply.head(200, {})
      const next = (): void => {
        if (closed) return
        if (left-- === 0) reply.end()
        else if (reply.write(Buffer.from(`${'é'.repeat(integer(random, 1, 600))}\n`)))
          clock.timer(integer(random, 0, 4), next)
      }
      reply.onDrain(next)
      next()
    }
    const network = random.fork('network')
    const transport = memoryTransport({ handler, clock, random: network, faults, windowBytes: 1000, trace })
    simulation.describe(transport.controls.pending)
    const fetch = async (index: number): Promise<void> => {
      for (;;) {
        const connection = await connect()
        if (connection === undefined) continue
        const outcome = await new Promise<string>(resolve => {
          const timer = clock.timer(5000, () => {
            exchange.abort()
            void connection.close()
            resolve('timeout')
          })
          const done = (outcome: string): void => {
            timer.cancel()
            resolve(outcome)
          }
          const exchange = connection.request(
            { method: 'GET', path: `/${index}`, headers: {} },
            {
              head() {},
              data() {
                if (chance(random, 0.3)) {
                  exchange.pause()
                  clock.timer(integer(random, 0, 5), () => exchange.resume())
                }
              },
              end: () => done('end'),
              error: cause => done((cause as Error & { code: string }).code),
            },
          )
        })
        trace.add(`${index} ${outcome}`)
        seen.add(outcome)
        if (outcome === 'end') return
      }
    }
    let shared: Connection | undefined
    const connect = async (): Promise<Connection | undefined> => {
      if (shared !== undefined && chance(random, 0.8)) return shared
      shared = await transport.connect(target, never).catch(() => {
        seen.add('refused')
        return undefined
      })
      const mine = shared
      mine?.onClose(why => {
        seen.add(why)
        if (shared === mine) shared = undefined
      })
      return mine
    }
    await simulation.run(async () => {
      for (let index = 0; index < 60; index += 6) {
        await Promise.all([0, 1, 2, 3, 4, 5].map(offset => fetch(index + offset)))
      }
      transport.controls.setFaults({})
      transport.close()
    })
    await simulation.advance(10)
    expect(simulation.pending()).toEqual([])
    return { simulation, seen }
  }

  it('F5: gives one run with every fault, down to the chunk; another seed another', async () => {
    const hashes = new Set<string>()
    const seen = new Set<string>()
    const ran = await forEachSeed(
      async seed => {
        const one = await chaos(seed)
        const two = await chaos(seed)
        expect(two.simulation.trace.hash).toBe(one.simulation.trace.hash)
        expect(two.simulation.steps).toBe(one.simulation.steps)
        hashes.add(one.simulation.trace.hash)
        for (const outcome of one.seen) seen.add(outcome)
      },
      { seeds: 40 },
    )
    expect(hashes.size).toBe(ran)
    if (ran >= 40) {
      const outcomes = ['ECONNRESET', 'ERR_HTTP2_STREAM_ERROR', 'closed', 'end', 'goaway', 'refused', 'timeout']
      for (const outcome of outcomes) expect(seen).toContain(outcome)
    }
  })

  it.each([
    [{ latency: 1 }, TypeError],
    [{ protocol: 'h3' }, TypeError],
    [{ chunking: 'some' }, TypeError],
    [{ maxStreams: 0 }, RangeError],
    [{ windowBytes: 0 }, RangeError],
    [{ latencyMs: -1 }, RangeError],
    [{ latencyMs: [2, 1] }, TypeError],
    [{ faults: { kil: 1 } }, TypeError],
    [{ faults: { kill: 2 } }, RangeError],
    [{ random: undefined }, TypeError],
  ])('X6: refuses options that it does not know or can not take: %j', (options, error) => {
    const { clock, random } = simulate(1)
    const given = { handler: () => undefined, clock, random, ...options } as unknown as MemoryTransportOptions
    expect(() => memoryTransport(given)).toThrow(error)
  })
})
