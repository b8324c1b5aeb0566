import { type Simulation, simulate } from '@wherry/testing'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { ConnectionPool, type PoolOptions } from './pool.ts'
import { answer, type ScriptedConnection, ScriptedTransport, send } from './testkit/scripted.ts'

let simulation: Simulation
let transport: ScriptedTransport
let pools: ConnectionPool[] = []

beforeEach(() => {
  simulation = simulate(9)
  transport = new ScriptedTransport(() => simulation.clock.monotonic())
})
afterEach(async () => {
  await Promise.all(pools.map(pool => pool.close()))
  pools = []
  expect(simulation.pending()).toEqual([])
})

function pool(options: Partial<PoolOptions> = {}): ConnectionPool {
  const target = new URL('https://server.test')
  const one = new ConnectionPool({ target, transport, environment: simulation.environment, ...options })
  pools.push(one)
  return one
}

function connection(n: number): ScriptedConnection {
  const one = transport.connections[n]
  if (one === undefined) throw new Error(`there is no connection ${n}`)
  return one
}

describe('on HTTP/1.1', () => {
  beforeEach(() => {
    transport.maxStreams = 1
  })

  it('an abort ends the connection, and the next request takes another', async () => {
    const one = pool()
    const { exchange } = send(one, 'call', '/a')
    await simulation.settle()
    exchange.abort()
    expect(connection(0).closed).toBe(true)
    expect(connection(0).resets).toEqual([0])
    expect(one.connections).toBe(0)
    send(one, 'call', '/b')
    await simulation.settle()
    expect(transport.at('/b').connection.id).toBe(1)
  })

  it('a request that can not be sent fails, and the connection carries the next one', async () => {
    const one = pool({ maxHttp1Calls: 1 })
    send(one, 'call', '/a')
    await simulation.settle()
    answer(transport.at('/a'))
    const refusal = new TypeError('Invalid character in the path of a request')
    vi.spyOn(connection(0), 'request').mockImplementationOnce(() => {
      throw refusal
    })
    const { log, errors } = send(one, 'call', '/b')
    const next = send(one, 'call', '/c')
    expect(log).toEqual([])
    await simulation.settle()
    answer(transport.at('/c'))
    expect(errors).toEqual([refusal])
    expect(next.log).toEqual(['head 200', 'end'])
    expect(transport.connections).toHaveLength(1)
  })

  it('an end, a break and an abort each make room for the next call', async () => {
    const one = pool({ maxHttp1Calls: 1 })
    const received = ['/a', '/b', '/c', '/d'].map(path => send(one, 'call', path))
    await simulation.settle()
    const paths = (): string[] => transport.open.map(({ request }) => request.path)
    answer(transport.at('/a'))
    expect(paths()).toEqual(['/b'])
    transport.at('/b').error(new Error('broken'))
    await simulation.settle()
    expect(paths()).toEqual(['/c'])
    received[2]?.exchange.abort()
    await simulation.settle()
    expect(paths()).toEqual(['/d'])
    answer(transport.at('/d'))
    // It was a GET on a kept-alive connection: once more, behind those that waited.
    expect(paths()).toEqual(['/b'])
    expect(transport.connections.map(({ closed }) => closed)).toEqual([true, true, false])
  })

  it('a connection that closes after its answer reports to no stream that the server goes away', async () => {
    const received = send(pool(), 'stream', '/w')
    await simulation.settle()
    connection(0).goaway()
    transport.at('/w').head(200, {})
    answer(transport.at('/w'))
    expect(received.log).not.toContain('draining')
    expect(connection(0).closed).toBe(true)
  })
})

describe('a GOAWAY', () => {
  it('ends a connection without requests at once', async () => {
    const one = pool()
    send(one, 'call', '/a')
    await simulation.settle()
    answer(transport.at('/a'))
    connection(0).goaway()
    expect([connection(0).closed, one.connections]).toEqual([true, 0])
  })

  it('is reported once, to requests that have an answer at once, to others with it', async () => {
    const one = pool()
    const [early, late] = [send(one, 'stream', '/early'), send(one, 'stream', '/late')]
    await simulation.settle()
    transport.at('/early').head(200, {})
    connection(0).goaway()
    connection(0).goaway()
    expect([early.log, late.log]).toEqual([['head 200', 'draining'], []])
    transport.at('/late').head(200, {})
    expect(late.log).toEqual(['head 200', 'draining'])
  })

  it('is not reported to requests without a handler, or that have left', async () => {
    const one = pool()
    const left = send(one, 'stream', '/left')
    const log: string[] = []
    const deaf = { head: () => log.push('head'), data() {}, end: () => log.push('end'), error() {} }
    one.request({ lane: 'stream', method: 'GET', path: '/deaf', headers: {} }, deaf)
    await simulation.settle()
    for (const request of transport.open) request.head(200, {})
    left.exchange.abort()
    connection(0).goaway()
    transport.at('/deaf').end()
    expect([left.log, log]).toEqual([['head 200'], ['head', 'end']])
  })

  it('the connection ends when its last stream is reset from this side', async () => {
    const one = pool()
    const received = Array.from({ length: 40 }, (_, i) => send(one, 'stream', `/${i}`))
    await simulation.settle()
    connection(0).goaway()
    for (const { exchange } of received) exchange.abort()
    expect(connection(0).closed).toBe(false)
    await simulation.advance(160)
    expect(connection(0).resets).toHaveLength(40)
    expect([connection(0).closed, one.connections]).toEqual([true, 0])
  })

  it('a handler that ends its stream when it is reported does no harm', async () => {
    const one = pool()
    const log: string[] = []
    const exchange = one.request(
      { lane: 'stream', method: 'GET', path: '/w', headers: {} },
      {
        head: () => log.push('head'),
        data() {},
        end: () => log.push('end'),
        error: cause => log.push(`error ${cause.message}`),
        draining: () => {
          log.push('draining')
          exchange.abort()
        },
      },
    )
    await simulation.settle()
    transport.at('/w').head(200, {})
    connection(0).goaway()
    await simulation.settle()
    expect(log).toEqual(['head', 'draining'])
    expect(connection(0).closed).toBe(true)
  })

  it('a draining handler that throws ends its own stream', async () => {
    const one = pool()
    const log: string[] = []
    one.request(
      { lane: 'stream', method: 'GET', path: '/w', headers: {} },
      {
        head() {},
        data() {},
        end() {},
        error: cause => log.push(cause.message),
        draining: () => {
          throw new Error('mine')
        },
      },
    )
    const other = send(one, 'stream', '/other')
    await simulation.settle()
    for (const request of transport.open) request.head(200, {})
    connection(0).goaway()
    expect(log).toEqual(['mine'])
    expect(other.log).toEqual(['head 200', 'draining'])
  })
})

describe('room', () => {
  it('is there again for a stream that waits when one is reset, and not before', async () => {
    transport.maxStreams = 20
    const one = pool()
    const received = Array.from({ length: 18 }, (_, i) => send(one, 'stream', `/${i}`))
    await simulation.settle()
    transport.hangs = true
    for (const { exchange } of received.slice(0, 10)) exchange.abort()
    for (let i = 0; i < 10; i++) send(one, 'stream', `/new/${i}`)
    // A quarter of 20 at once.
    expect(transport.open.filter(({ request }) => request.path.startsWith('/new'))).toHaveLength(5)
    await simulation.advance(2.5)
    expect(transport.open.filter(({ request }) => request.path.startsWith('/new'))).toHaveLength(7)
    await simulation.advance(100)
    expect(transport.open.filter(({ request }) => request.path.startsWith('/new'))).toHaveLength(10)
  })

  it('a call that leaves when its head comes gives it back', async () => {
    const one = pool()
    const exchange = one.request(
      { lane: 'call', method: 'GET', path: '/a', headers: {} },
      { head: () => exchange.abort(), data() {}, end() {}, error() {} },
    )
    await simulation.settle()
    transport.at('/a').head(200, {})
    expect(transport.open).toEqual([])
    expect(connection(0).resets).toEqual([0])
  })

  it('a request that begins with an answer, before request() has returned to the pool, is no trouble', async () => {
    const one = pool()
    send(one, 'call', '/first')
    await simulation.settle()
    const at = connection(0)
    const request = at.request.bind(at)
    at.request = (head, on) => {
      const exchange = request(head, on)
      if (head.path === '/now') answer(transport.at('/now'))
      return exchange
    }
    const log: string[] = []
    one.request(
      { lane: 'call', method: 'GET', path: '/now', headers: {} },
      { head: () => log.push('head'), data() {}, end: () => log.push('end'), error() {} },
    )
    await simulation.settle()
    expect(log).toEqual(['head', 'end'])
  })
})

describe('PING', () => {
  it('R21: an error of one without an answer says how long the server was silent', async () => {
    const received = send(pool({ pingAfterMs: 20_000, pingTimeoutMs: 5_000 }), 'stream', '/w')
    await simulation.settle()
    connection(0).alive = false
    await simulation.advance(25_001)
    expect(received.errors[0]).toMatchObject({
      code: 'PING_TIMEOUT',
      message: 'the server was silent for 25 s and did not answer a PING',
    })
  })

  it('an answer that comes when the connection is gone changes nothing', async () => {
    const one = pool()
    send(one, 'stream', '/w')
    await simulation.settle()
    let pong: () => void = () => {}
    connection(0).ping = () =>
      new Promise(resolve => {
        pong = resolve
      })
    await simulation.advance(30_000)
    connection(0).die()
    pong()
    await simulation.settle()
    expect(simulation.pending()).toEqual([])
    expect(one.connections).toBe(0)
  })

  it('X9: one that can not be sent, and a close that fails, are no trouble', async () => {
    const one = pool()
    const received = send(one, 'stream', '/w')
    await simulation.settle()
    connection(0).ping = () => Promise.reject(new Error('not sent'))
    connection(0).close = () => Promise.reject(new Error('not closed'))
    await simulation.advance(46_000)
    expect(received.log).toEqual(['error PING_TIMEOUT'])
    await one.close()
  })
})
