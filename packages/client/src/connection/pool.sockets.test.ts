import type { AddressInfo } from 'node:net'
import type { Handler, ServerReply } from '@wherry/apiserver/exchange'
import { createCertificateAuthority } from '@wherry/apiserver/front/certificates'
import { listen, type SocketFront } from '@wherry/apiserver/front/sockets'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { systemClock } from '../clock.ts'
import { systemEnvironment } from '../environment.ts'
import { NodeTransport } from './node-transport.ts'
import { ConnectionPool } from './pool.ts'
import { type SentRequest, send } from './testkit/scripted.ts'

/** Waits for a condition, however busy the machine is. */
function until(holds: () => unknown): Promise<unknown> {
  return vi.waitFor(holds, { interval: 5 })
}

const clock = systemClock()
let front: SocketFront | undefined
let pool: ConnectionPool | undefined

afterEach(async () => {
  await pool?.close()
  await front?.close()
})

/** A server on sockets and a pool that leads to it. */
async function started(
  handler: Handler,
  options: { readonly protocol?: 'h2' | 'http/1.1' } = {},
): Promise<{
  readonly pool: ConnectionPool
  readonly front: SocketFront
}> {
  const authority = createCertificateAuthority()
  const { certPem, keyPem } = authority.issueServer()
  front = await listen({ handler, tls: { cert: certPem, key: keyPem } })
  const credentials = {
    headers: () => ({}),
    tls: () => ({ ca: authority.caPem }),
    digest: () => '',
    refresh: () => Promise.resolve(false),
  }
  pool = new ConnectionPool({
    target: new URL(front.url),
    transport: new NodeTransport({ credentials, ...options }),
    environment: systemEnvironment(),
    credentials,
  })
  return { pool, front }
}

/** Streams that are fed together, and gets that are answered at once. */
function watchesAndGets(): {
  readonly handler: Handler
  readonly watches: Set<ServerReply>
  readonly feed: () => void
} {
  const watches = new Set<ServerReply>()
  let n = 0
  return {
    watches,
    feed: () => {
      n += 1
      for (const reply of watches) reply.write(Buffer.from(`${n}\n`))
    },
    handler: (request, reply) => {
      reply.head(200, {})
      if (request.path.startsWith('/watch')) {
        watches.add(reply)
        reply.onClose(() => watches.delete(reply))
      } else {
        reply.write(Buffer.from('got'))
        reply.end()
      }
    },
  }
}

const events = (received: SentRequest): number => received.log.join('').split('\n').length - 1

describe.each(['h2', 'http/1.1'] as const)('over sockets, %s', protocol => {
  // On HTTP/1.1 each watch is a connection and a TLS handshake of its own: 200 are enough there.
  const count = protocol === 'h2' ? 1000 : 200
  it(`N11: ${count} open watches and 200 gets a second at once starve neither`, async () => {
    const { handler, watches, feed } = watchesAndGets()
    const { pool, front } = await started(handler, { protocol })
    const open = Array.from({ length: count }, (_, i) => send(pool, 'stream', `/watch/${i}`))
    const get = async (): Promise<void> => {
      const received = send(pool, 'call', '/get')
      await until(() => expect(received.log).toEqual(['head 200', 'data got', 'end']))
    }
    // The first gets are sent while the watches are still being opened.
    const early = get()
    await vi.waitFor(() => expect(watches.size).toBe(count), { interval: 20 })
    await early
    const gets: Promise<void>[] = []
    let rounds = 0
    await new Promise<void>(resolve => {
      const tick = (): void => {
        for (let i = 0; i < 10; i++) gets.push(get())
        feed()
        rounds += 1
        if (rounds === 40) resolve()
        else clock.timer(50, tick)
      }
      tick()
    })
    await Promise.all(gets)
    await until(() => expect(open.every(received => events(received) === rounds)).toBe(true))
    expect(open.filter(({ errors }) => errors.length > 0)).toEqual([])
    expect(gets).toHaveLength(400)
    expect(front.accepted()).toBeLessThanOrEqual(protocol === 'h2' ? 14 : count + 32)
  })

  it('GOAWAY: watches go on, new requests are answered, and no handler gets an error', async () => {
    const { handler, watches, feed } = watchesAndGets()
    const { pool, front } = await started(handler, { protocol })
    const watch = send(pool, 'stream', '/watch')
    await until(() => expect(watches.size).toBe(1))
    for (let i = 0; i < 30; i++) {
      front.goawayAll()
      const lane = i % 2 === 0 ? 'call' : 'write'
      // A write that crosses the close of an HTTP/1.1 connection is not ours to repeat.
      const received = send(pool, protocol === 'h2' ? lane : 'call', `/${i}`)
      await until(() => expect(received.log).toEqual(['head 200', 'data got', 'end']))
    }
    feed()
    await until(() => expect(events(watch)).toBe(1))
    expect(watch.errors).toEqual([])
  })

  it('R23: close() ends every socket', async () => {
    const { handler, watches } = watchesAndGets()
    const { pool, front } = await started(handler, { protocol })
    const open = Array.from({ length: 120 }, (_, i) => send(pool, 'stream', `/watch/${i}`))
    await until(() => expect(watches.size).toBe(120))
    await pool.close()
    expect(pool.connections).toBe(0)
    await until(() => expect(front.connections()).toBe(0))
    expect(open.every(({ log }) => log.at(-1) === 'error CLIENT_CLOSED')).toBe(true)
  })

  it('a server that is killed is an error to all; when it is back, requests are answered', async () => {
    const { handler, watches } = watchesAndGets()
    const { pool, front } = await started(handler, { protocol })
    const open = [send(pool, 'stream', '/watch/1'), send(pool, 'stream', '/watch/2')]
    await until(() => expect(watches.size).toBe(2))
    await front.refuse(true)
    front.destroyAll()
    await until(() => expect(open.every(({ errors }) => errors.length === 1)).toBe(true))
    expect(open.map(({ log }) => log.at(-1))).toEqual(Array(2).fill('error CONNECTION_LOST'))
    const down = send(pool, 'call', '/get')
    await until(() => expect(down.log).toEqual(['error CONNECT_FAILED']))
    expect(down.errors[0]?.cause).toMatchObject({ code: 'ECONNREFUSED' })
    await front.refuse(false)
    const up = send(pool, 'call', '/get')
    await until(() => expect(up.log).toEqual(['head 200', 'data got', 'end']))
  })
})

it('HTTP/1.1: a server that closes each connection after its answer loses no request', async () => {
  const { createServer } = await import('node:http')
  let answered = 0
  const server = createServer((request, response) => {
    request.resume()
    request.on('end', () => {
      answered += 1
      response.setHeader('connection', 'close')
      response.end('ok')
    })
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  const own = new ConnectionPool({
    target: new URL(`http://127.0.0.1:${port}`),
    transport: new NodeTransport(),
    environment: systemEnvironment(),
    maxHttp1Calls: 2,
  })
  const received = Array.from({ length: 60 }, (_, i) =>
    send(own, i % 2 === 0 ? 'write' : 'call', `/${i}`, { body: Buffer.from('{}') }),
  )
  await until(() => expect(received.every(({ log }) => log.length >= 3)).toBe(true))
  expect(received.map(({ log }) => log.at(-1))).toEqual(Array(60).fill('end'))
  expect(answered).toBe(60)
  await own.close()
  await new Promise<void>(resolve => {
    server.close(() => resolve())
  })
})
