import { once } from 'node:events'
import { Agent, get, type IncomingMessage, type ServerResponse } from 'node:http'
import { connect, type Socket } from 'node:net'
import { text } from 'node:stream/consumers'
import type { Clock, Timer } from '@wherry/client'
import { systemClock } from '@wherry/client/internal'
import { startApiServer } from '@wherry/testing'
import { afterEach, expect, it, vi } from 'vitest'
import { type Answer, BoundedServer, type BoundedServerOptions } from './bounded-server.ts'

const open: BoundedServer[] = []
const clients: Socket[] = []

afterEach(async () => {
  for (const client of clients.splice(0)) client.destroy()
  for (const server of open.splice(0)) await server.close()
})

async function started(answer: Answer, options: Partial<BoundedServerOptions> = {}): Promise<BoundedServer> {
  const none = { tls: undefined, maxConnections: 100, requestTimeoutMs: 600_000, writeTimeoutMs: 600_000 }
  const onError = (error: unknown): never => {
    throw error
  }
  const server = new BoundedServer({ answer, onError, clock: systemClock(), ...none, ...options })
  open.push(server)
  await server.listen('127.0.0.1', 0)
  return server
}

/** A client that reads nothing until it is resumed. Resets are part of the game. */
async function client(server: BoundedServer): Promise<Socket> {
  const socket = connect(server.port, '127.0.0.1').on('error', () => {})
  clients.push(socket.pause())
  await once(socket, 'connect')
  return socket
}

/** All that a client received before its connection ended, be it by a reset. */
async function receivedBy(socket: Socket): Promise<string> {
  let received = ''
  socket.resume().on('data', bytes => {
    received += bytes
  })
  await new Promise(resolve => socket.once('close', resolve))
  return received
}

/** A clock that stands until it is advanced. */
class HandClock implements Clock {
  #time = 0
  readonly #timers = new Set<{ readonly at: number; readonly fn: () => void }>()

  get timers(): number {
    return this.#timers.size
  }

  now(): number {
    return this.#time
  }

  monotonic(): number {
    return this.#time
  }

  timer(ms: number, fn: () => void): Timer {
    const timer = { at: this.#time + ms, fn }
    this.#timers.add(timer)
    return { cancel: () => this.#timers.delete(timer) }
  }

  turn(): Promise<void> {
    return new Promise(resolve => setImmediate(resolve))
  }

  advance(ms: number): void {
    this.#time += ms
    for (const timer of [...this.#timers]) {
      if (timer.at > this.#time) continue
      this.#timers.delete(timer)
      timer.fn()
    }
  }
}

const requestFor = (path: string): string => `GET ${path} HTTP/1.1\r\nhost: x\r\n\r\n`
const manyRequests = requestFor('/metrics').repeat(5000)
const ok = async (_: IncomingMessage, response: ServerResponse): Promise<void> => {
  response.end('ok')
}

/** More than the kernel takes for a peer that does not read. */
const large = Buffer.alloc(32 * 2 ** 20)

it.each([
  ['made at once', async () => {}],
  ['made in later turns', () => new Promise<void>(resolve => setImmediate(resolve))],
])(
  'C8: begins one answer for a client that pipelines thousands of requests and reads none, and cuts it off: %s',
  async (_, made) => {
    let begun = 0
    let heldBytes = 0
    const cut = Promise.withResolvers<void>()
    const server = await started(async (request, response) => {
      begun += 1
      request.socket.once('close', () => cut.resolve())
      await made()
      response.end(large)
      heldBytes = Math.max(heldBytes, request.socket.writableLength)
    })
    const socket = await client(server)
    socket.write(manyRequests)
    await cut.promise
    expect(begun).toBe(1)
    expect(heldBytes).toBeLessThan(2 * large.length)
  },
)

it.each([
  ['without a host', 'GET / HTTP/1.1\r\n\r\n'],
  ['with an unknown expectation', 'GET / HTTP/1.1\r\nhost: x\r\nexpect: more\r\n\r\n'],
])('C8: cuts off a client that pipelines requests %s behind an answer that it does not read', async (_, odd) => {
  const cut = Promise.withResolvers<void>()
  let begun = 0
  const server = await started(async (request, response) => {
    begun += 1
    request.socket.once('close', () => cut.resolve())
    response.end(large)
  })
  const socket = await client(server)
  socket.write(requestFor('/'))
  await once(socket, 'readable')
  socket.write(odd.repeat(5000))
  await cut.promise
  expect(begun).toBe(1)
})

it('C8: answers a few pipelined requests in order, each begun when the answer before it was written', async () => {
  let underWay = 0
  let most = 0
  const server = await started(async (request, response) => {
    underWay += 1
    most = Math.max(most, underWay)
    response.once('finish', () => {
      underWay -= 1
    })
    await new Promise(resolve => setImmediate(resolve))
    response.end(`<${request.url}>`)
  })
  const socket = await client(server)
  const paths = Array.from({ length: 16 }, (_, i) => `/${i}`)
  socket.write(`${paths.map(requestFor).join('')}GET /end HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n`)
  const answers = await receivedBy(socket)
  expect(answers.match(/<[^>]*>/g)).toEqual([...paths, '/end'].map(path => `<${path}>`))
  expect(most).toBe(1)
})

it('C8: begins nothing that was sent after the last request of a connection', async () => {
  let begun = 0
  const server = await started(async (_, response) => {
    begun += 1
    await new Promise(resolve => setImmediate(resolve))
    response.writeHead(200, { connection: 'close' }).end('ok')
  })
  const socket = await client(server)
  socket.write(requestFor('/').repeat(3))
  expect((await receivedBy(socket)).match(/HTTP\/1.1 200/g)).toHaveLength(1)
  expect(begun).toBe(1)
})

it('C8: closes the connection of whoever does not read an answer in time', async () => {
  const cut = Promise.withResolvers<void>()
  const server = await started(
    async (request, response) => {
      request.socket.once('close', () => cut.resolve())
      response.end(large)
    },
    { writeTimeoutMs: 20 },
  )
  const socket = await client(server)
  socket.write(requestFor('/'))
  await cut.promise
})

it.each([
  ['the end of a request', 'GET / HTTP/1.1\r\nhost: x\r\n'],
  ['the body of a request', 'POST / HTTP/1.1\r\nhost: x\r\ncontent-length: 10\r\n\r\n'],
  ['a request', ''],
])('C8: closes a connection on which %s does not come in time', async (_, sent) => {
  const read = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    request.resume().once('end', () => response.end('ok'))
  }
  const server = await started(read, { requestTimeoutMs: 20 })
  const socket = await client(server)
  if (sent !== '') socket.write(sent)
  expect(await receivedBy(socket)).toContain('HTTP/1.1 408 ')
})

it('C8: closes a connection on which a TLS handshake does not come in time', async () => {
  const api = await startApiServer({ isolate: false })
  const { certPem, keyPem } = await api.clientCertificate({ commonName: 'health' })
  await api.close()
  const server = await started(ok, { tls: { cert: certPem, key: keyPem }, requestTimeoutMs: 20 })
  await once((await client(server)).resume(), 'close')
})

it('C8: closes the oldest idle connection beyond the bound once it is a second old, and no connection with a request', async () => {
  const clock = new HandClock()
  const answered: (() => void)[] = []
  const asked = new Promise<void>(resolve => answered.push(resolve))
  let finish = (): void => {}
  const server = await started(
    async (_, response) => {
      answered.shift()?.()
      await new Promise<void>(resolve => {
        finish = resolve
      })
      response.end('ok')
    },
    { maxConnections: 3, clock },
  )
  const oldest = await client(server)
  oldest.write('GET / HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n')
  await asked
  const idle: Socket[] = []
  for (let i = 0; i < 4; i++) idle.push(await client(server))
  const closed = Promise.all(idle.slice(0, 2).map(socket => once(socket.resume(), 'close')))
  // The server has taken the fourth idle connection when it has set its timer.
  await vi.waitUntil(() => clock.timers === 1)
  clock.advance(999)
  expect(idle.map(socket => socket.destroyed)).toEqual([false, false, false, false])
  clock.advance(1)
  await closed
  finish()
  expect(await receivedBy(oldest)).toContain('HTTP/1.1 200 OK')
})

it('C8: a probe is answered among 900 connections that send nothing', async () => {
  const server = await started(ok)
  const flood = (count: number) => Promise.all(Array.from({ length: count }, () => client(server)))
  const before = flood(450)
  const probes = Array.from({ length: 10 }, () => {
    const probe = connect(server.port, '127.0.0.1').on('error', () => {})
    clients.push(probe)
    probe.write('GET / HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n')
    return receivedBy(probe)
  })
  await Promise.all([before, flood(450)])
  for (const probe of probes) expect(await probe).toContain('HTTP/1.1 200 OK')
})

it('C8: answers a client that keeps its connection on one connection, as often as it asks', async () => {
  const seen = new Set<Socket>()
  let asked = 0
  const server = await started(async (request, response) => {
    asked += 1
    seen.add(request.socket)
    response.end('a 1\n')
  })
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  try {
    for (let i = 0; i < 50; i++) {
      const [answer] = (await once(get({ port: server.port, agent }), 'response')) as [IncomingMessage]
      expect(await text(answer)).toBe('a 1\n')
    }
    expect(asked).toBe(50)
    expect(seen.size).toBe(1)
  } finally {
    agent.destroy()
  }
})

it('refuses a request of HTTP/1.1 without a host', async () => {
  const server = await started(ok)
  const socket = await client(server)
  socket.write('GET / HTTP/1.1\r\n\r\n')
  expect(await receivedBy(socket)).toContain('HTTP/1.1 400 Bad Request')
})
