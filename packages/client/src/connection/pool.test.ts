import { type Simulation, simulate } from '@wherry/testing'
import { afterEach, describe, expect, it } from 'vitest'
import type { Credentials } from '../credentials/credentials.ts'
import type { MetricLabels } from '../environment.ts'
import { ConnectionPool, type PoolOptions } from './pool.ts'
import { answer, ScriptedTransport, type SentRequest, send } from './testkit/scripted.ts'

const at = new URL('https://server.test')
let open: ConnectionPool[] = []

interface Bench {
  readonly simulation: Simulation
  readonly transport: ScriptedTransport
  readonly pool: ConnectionPool
  /** Runs until nothing is left to do now. */
  readonly settle: () => Promise<void>
  readonly advance: (ms: number) => Promise<void>
}

function bench(options: Partial<PoolOptions> = {}): Bench {
  const simulation = simulate(1)
  const transport = new ScriptedTransport(() => simulation.clock.monotonic())
  const pool = new ConnectionPool({ target: at, transport, environment: simulation.environment, ...options })
  open.push(pool)
  return {
    simulation,
    transport,
    pool,
    settle: () => simulation.settle(),
    advance: ms => simulation.advance(ms),
  }
}

function streams(pool: ConnectionPool, count: number): SentRequest[] {
  return Array.from({ length: count }, (_, i) => send(pool, 'stream', `/watch/${i}`))
}

afterEach(async () => {
  await Promise.all(open.map(pool => pool.close()))
  open = []
})

describe('placing', () => {
  it('never calls a handler before request() has returned', async () => {
    const { pool, settle } = bench()
    await pool.close()
    const received = send(pool, 'call', '/late')
    expect(received.log).toEqual([])
    await settle()
    expect(received.log).toEqual(['error CLIENT_CLOSED'])
  })

  it('N11: opens as many connections as streams need, never more than the server allows on one', async () => {
    const { pool, transport, settle } = bench()
    streams(pool, 1000)
    await settle()
    expect(transport.open).toHaveLength(1000)
    expect(transport.connections.map(({ peak }) => peak).every(peak => peak <= 90)).toBe(true)
    expect(transport.connections.length).toBeLessThanOrEqual(12)
  })

  it('heeds a bound on streams that the server lowers later', async () => {
    const { pool, transport, settle } = bench()
    streams(pool, 1)
    await settle()
    const [first] = transport.connections
    if (first !== undefined) first.maxStreams = 3
    transport.maxStreams = 3
    for (let i = 0; i < 6; i++) send(pool, 'call', `/${i}`)
    await settle()
    expect(first?.peak).toBe(3)
    expect(transport.connections.every(({ peak }) => peak <= 3)).toBe(true)
    expect(transport.open).toHaveLength(7)
  })

  it('N11: a call finds room at once on connections that watches have filled', async () => {
    const { pool, transport, settle } = bench()
    streams(pool, 90)
    await settle()
    expect(transport.connections).toHaveLength(1)
    send(pool, 'call', '/get')
    expect(transport.at('/get').connection.id).toBe(0)
  })

  it('N11: writes have a connection of their own, that neither watches nor reads enter', async () => {
    const { pool, transport, settle } = bench()
    streams(pool, 100)
    send(pool, 'call', '/get')
    send(pool, 'write', '/lease')
    await settle()
    const { connection } = transport.at('/lease')
    expect([...connection.open]).toHaveLength(1)
    streams(pool, 300)
    for (let i = 0; i < 300; i++) send(pool, 'call', `/get/${i}`)
    await settle()
    expect([...connection.open].map(({ request }) => request.path)).toEqual(['/lease'])
  })

  it('serves waiting calls before waiting streams, each in their order', async () => {
    const { pool, transport, settle } = bench({ maxHttp1Calls: 2 })
    transport.maxStreams = 1
    for (let i = 0; i < 5; i++) send(pool, 'call', `/call/${i}`)
    streams(pool, 20)
    await settle()
    const paths = (): string[] => transport.open.map(({ request }) => request.path)
    expect(paths().filter(path => path.startsWith('/call'))).toEqual(['/call/0', '/call/1'])
    expect(paths().filter(path => path.startsWith('/watch'))).toHaveLength(20)
    answer(transport.at('/call/0'))
    expect(transport.at('/call/2')).toBeDefined()
    expect(paths()).not.toContain('/call/3')
  })

  it("puts the target's own path before each request's", async () => {
    const { pool, transport, settle } = bench({ target: new URL('https://proxy.test/k8s/clusters/c1/') })
    send(pool, 'call', '/api/v1/pods?limit=1')
    await settle()
    expect(transport.at('/k8s/clusters/c1/api/v1/pods?limit=1')).toBeDefined()
  })

  it('closes a connection that was idle for 60 s', async () => {
    const { pool, transport, settle, advance } = bench()
    send(pool, 'call', '/get')
    await settle()
    answer(transport.at('/get'))
    await advance(59_000)
    expect(pool.connections).toBe(1)
    await advance(2_000)
    expect(pool.connections).toBe(0)
    expect(transport.connections[0]?.closed).toBe(true)
  })

  it('idleMs 0 closes it at once, Infinity never', async () => {
    for (const idleMs of [0, Number.POSITIVE_INFINITY]) {
      const { pool, transport, settle, advance } = bench({ idleMs })
      send(pool, 'call', '/get')
      await settle()
      answer(transport.at('/get'))
      await advance(idleMs === 0 ? 30_001 : 3_600_000)
      expect(pool.connections).toBe(idleMs === 0 ? 0 : 1)
    }
  })

  it('a connection is idle from its last request on, not from its first', async () => {
    const { pool, transport, settle, advance } = bench()
    for (let i = 0; i < 5; i++) {
      send(pool, 'call', '/get')
      await settle()
      answer(transport.at('/get'))
      await advance(50_000)
    }
    expect(transport.connections).toHaveLength(1)
    await advance(11_000)
    expect(pool.connections).toBe(0)
  })

  it('keeps a busy connection however long its stream is', async () => {
    const { pool, transport, settle, advance } = bench()
    const [received] = streams(pool, 1)
    await settle()
    await advance(600_000)
    expect(received?.log).toEqual([])
    expect(transport.connections).toHaveLength(1)
  })
})

describe('handlers', () => {
  it('X9: a handler that throws ends its own exchange, and gets its error', async () => {
    const { pool, transport, settle } = bench()
    const log: string[] = []
    pool.request(
      { lane: 'call', method: 'GET', path: '/throws', headers: {} },
      {
        head: () => {
          throw new Error('mine')
        },
        data: () => log.push('data'),
        end: () => log.push('end'),
        error: cause => log.push(cause.message),
      },
    )
    const other = send(pool, 'call', '/other')
    await settle()
    const request = transport.at('/throws')
    request.head(200, {})
    request.data(Buffer.from('x'))
    answer(transport.at('/other'))
    expect(log).toEqual(['mine'])
    expect(other.log).toEqual(['head 200', 'end'])
  })

  it('X9: what an end or error handler throws goes to onError', async () => {
    const { pool, transport, settle, simulation } = bench()
    const handlers = {
      head: () => {},
      data: () => {},
      end: () => {
        throw new Error('in end')
      },
      error: () => {
        throw 'no Error'
      },
    }
    pool.request({ lane: 'call', method: 'GET', path: '/a', headers: {} }, handlers)
    pool.request({ lane: 'call', method: 'GET', path: '/b', headers: {} }, handlers)
    await settle()
    answer(transport.at('/a'))
    transport.at('/b').error(new Error('broken'))
    expect(simulation.environment.errors.map(({ error }) => error.message)).toEqual([
      'in end',
      'something that is no Error was thrown: "no Error"',
    ])
  })

  it('pauses a request that was paused before it had a connection', async () => {
    const { pool, transport, settle } = bench()
    const { exchange } = send(pool, 'stream', '/w')
    exchange.pause()
    await settle()
    expect(transport.at('/w').paused).toBe(true)
    exchange.resume()
    expect(transport.at('/w').paused).toBe(false)
  })

  it('calls nothing after abort(), whatever comes', async () => {
    const { pool, transport, settle } = bench()
    const received = send(pool, 'stream', '/w')
    await settle()
    const request = transport.at('/w')
    received.exchange.abort()
    received.exchange.abort()
    request.head(200, {})
    request.error(new Error('broken'))
    expect(received.log).toEqual([])
  })

  it('opens no connection for what was aborted while it waited', async () => {
    const { pool, transport, settle, advance } = bench()
    transport.refusal = new Error('ECONNREFUSED')
    send(pool, 'call', '/first')
    await settle()
    const attempts = transport.attempts
    send(pool, 'call', '/second').exchange.abort()
    await advance(10_000)
    expect(transport.attempts).toBe(attempts)
  })
})

describe('resets', () => {
  it('are paced: streams aborted at once are reset a quarter at once, the rest one a millisecond', async () => {
    const { pool, transport, settle, advance } = bench()
    const received = streams(pool, 90)
    await settle()
    for (const { exchange } of received) exchange.abort()
    const [connection] = transport.connections
    expect(connection?.resets).toHaveLength(25)
    expect([...(connection?.open ?? [])].every(({ paused }) => paused)).toBe(true)
    await advance(100)
    const resets = connection?.resets ?? []
    expect(resets).toHaveLength(90)
    const start = resets[0] ?? 0
    for (let i = 25; i < 90; i++) expect((resets[i] ?? 0) - start).toBeGreaterThanOrEqual(i - 25)
  })

  it('a stream that waits for its reset takes up its room until then', async () => {
    const { pool, transport, settle, advance } = bench()
    const received = streams(pool, 90)
    await settle()
    for (const { exchange } of received) exchange.abort()
    streams(pool, 90)
    await advance(2_000)
    expect(transport.connections.map(({ peak }) => peak).every(peak => peak <= 90)).toBe(true)
    expect(transport.open).toHaveLength(90)
  })

  it('a stream that ends while it waits for its reset is not reset any more', async () => {
    const { pool, transport, settle, advance } = bench()
    const received = streams(pool, 40)
    await settle()
    for (const { exchange } of received) exchange.abort()
    for (const request of transport.open) request.end()
    await advance(1_000)
    expect(transport.connections[0]?.resets).toHaveLength(25)
  })
})

describe('PING', () => {
  it('R21: a connection quiet for 30 s is PINGed, and dropped with all its streams 15 s later', async () => {
    const { pool, transport, settle, advance } = bench()
    const received = streams(pool, 3)
    await settle()
    const [connection] = transport.connections
    if (connection !== undefined) connection.alive = false
    await advance(29_000)
    expect(connection?.pings).toBe(0)
    await advance(1_500)
    expect(connection?.pings).toBe(1)
    await advance(14_000)
    expect(received.map(({ log }) => log)).toEqual([[], [], []])
    await advance(1_000)
    expect(received.map(({ log }) => log)).toEqual(Array(3).fill(['error PING_TIMEOUT']))
    expect(connection?.closed).toBe(true)
    expect(pool.connections).toBe(0)
  })

  it('R21: an answered PING keeps the connection, and the next one follows 30 s later', async () => {
    const { pool, transport, settle, advance } = bench()
    const [received] = streams(pool, 1)
    await settle()
    await advance(91_000)
    expect(transport.connections[0]?.pings).toBe(3)
    expect(received?.log).toEqual([])
  })

  it('R21: a connection that brings bytes is not PINGed', async () => {
    const { pool, transport, settle, advance } = bench()
    streams(pool, 1)
    await settle()
    for (let i = 0; i < 10; i++) {
      await advance(20_000)
      transport.at('/watch/0').data(Buffer.from('x'))
    }
    expect(transport.connections[0]?.pings).toBe(0)
  })

  it('R21: bytes that come in place of the answer are one', async () => {
    const { pool, transport, settle, advance } = bench()
    const [received] = streams(pool, 1)
    await settle()
    const [connection] = transport.connections
    if (connection !== undefined) connection.alive = false
    await advance(35_000)
    transport.at('/watch/0').data(Buffer.from('x'))
    await advance(20_000)
    expect(received?.log).toEqual(['data x'])
  })
})

describe('GOAWAY', () => {
  it('N14: new requests take a new connection at once; those under way go on, without an error', async () => {
    const { pool, transport, settle } = bench()
    const [watch] = streams(pool, 1)
    await settle()
    transport.at('/watch/0').head(200, {})
    transport.connections[0]?.goaway()
    send(pool, 'call', '/get')
    await settle()
    expect(transport.at('/get').connection.id).toBe(1)
    transport.at('/watch/0').data(Buffer.from('still'))
    expect(watch?.log).toEqual(['head 200', 'draining', 'data still'])
    expect(transport.connections[0]?.closed).toBe(false)
    transport.at('/watch/0').end()
    expect(watch?.log).toEqual(['head 200', 'draining', 'data still', 'end'])
    expect(transport.connections[0]?.closed).toBe(true)
  })

  it('repeats what the server did not process, writes too, without a call of a handler', async () => {
    const { pool, transport, settle } = bench()
    const received = send(pool, 'write', '/create', { body: Buffer.from('{}') })
    await settle()
    transport.connections[0]?.goaway(transport.at('/create'))
    await settle()
    const again = transport.at('/create')
    expect(again.connection.id).toBe(1)
    expect(again.request.body).toEqual(Buffer.from('{}'))
    answer(again, 201)
    expect(received.log).toEqual(['head 201', 'end'])
  })

  it('never repeats what may have been processed', async () => {
    const { pool, transport, settle, advance } = bench()
    const write = send(pool, 'write', '/create')
    const read = send(pool, 'call', '/get')
    await settle()
    for (const connection of transport.connections) connection.die()
    await advance(10_000)
    expect(write.log).toEqual(['error CONNECTION_LOST'])
    expect(read.log).toEqual(['error CONNECTION_LOST'])
    expect(write.errors[0]?.cause).toMatchObject({ message: 'connection reset' })
    expect(transport.open).toEqual([])
  })

  it('never repeats what was answered in part, even if it is called unprocessed', async () => {
    const { pool, transport, settle, advance } = bench()
    const received = send(pool, 'call', '/get')
    await settle()
    const request = transport.at('/get')
    request.head(200, {})
    transport.connections[0]?.goaway(request)
    await advance(10_000)
    expect(received.log).toEqual(['head 200', 'draining', 'error CONNECTION_LOST'])
  })

  it('X8: gives up on a server that refuses again and again, after 5 attempts with growing waits', async () => {
    const { pool, transport, settle, advance } = bench()
    const received = send(pool, 'write', '/create')
    await settle()
    let refused = 0
    for (let i = 0; i < 200 && received.log.length === 0; i++) {
      for (const request of transport.open) {
        refused += 1
        request.error(Object.assign(new Error('refused'), { unprocessed: true }))
      }
      await advance(20)
    }
    expect(refused).toBe(5)
    expect(received.log).toEqual(['error CONNECTION_LOST'])
  })

  it('HTTP/1.1: repeats a read once when a kept-alive connection ends before the answer, never a write', async () => {
    const { pool, transport, settle, advance } = bench()
    transport.maxStreams = 1
    for (const lane of ['call', 'write'] as const) {
      send(pool, lane, '/first')
      await settle()
      answer(transport.at('/first'))
      const second = send(pool, lane, '/second')
      transport.at('/second').connection.die()
      await advance(100)
      if (lane === 'write') expect(second.log).toEqual(['error CONNECTION_LOST'])
      else {
        transport.at('/second').connection.die()
        await advance(100)
        expect(second.log).toEqual(['error CONNECTION_LOST'])
      }
      expect(transport.open).toEqual([])
    }
  })
})

describe('a server that is down', () => {
  it('fails all waiting requests, with the cause, and does not hammer it', async () => {
    const { pool, transport, settle, advance } = bench()
    transport.refusal = Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' })
    const first = [send(pool, 'call', '/a'), send(pool, 'call', '/b'), send(pool, 'stream', '/w')]
    await settle()
    expect(first.map(({ log }) => log)).toEqual(Array(3).fill(['error CONNECT_FAILED']))
    expect(first[0]?.errors[0]?.cause).toMatchObject({ code: 'ECONNREFUSED' })
    const before = transport.attempts
    for (let i = 0; i < 1000; i++) {
      send(pool, 'call', `/more/${i}`)
      await advance(10)
    }
    expect(transport.attempts - before).toBeLessThan(20)
    expect(transport.attempts - before).toBeGreaterThan(5)
  })

  it('fails requests that come while it is down within 2 s', async () => {
    const { pool, transport, advance } = bench()
    transport.refusal = new Error('ECONNREFUSED')
    for (let i = 0; i < 100; i++) {
      send(pool, 'call', `/${i}`)
      await advance(100)
    }
    const last = send(pool, 'call', '/last')
    await advance(2_001)
    expect(last.log).toEqual(['error CONNECT_FAILED'])
  })

  it('serves requests that came a moment before it came back', async () => {
    const { pool, transport, settle, advance } = bench()
    transport.refusal = new Error('ECONNREFUSED')
    send(pool, 'call', '/a')
    await settle()
    const received = send(pool, 'call', '/b')
    transport.refusal = undefined
    await advance(200)
    answer(transport.at('/b'))
    expect(received.log).toEqual(['head 200', 'end'])
  })

  it('gives up opening a connection after connectTimeoutMs', async () => {
    const { pool, transport, advance } = bench({ connectTimeoutMs: 5_000 })
    transport.hangs = true
    const received = send(pool, 'call', '/a')
    await advance(4_999)
    expect(received.log).toEqual([])
    await advance(2)
    expect(received.log).toEqual(['error CONNECT_TIMEOUT'])
    expect(transport.givenUp).toBe(1)
  })

  it('X8: a server that allows no streams is as one that refuses, until it allows some', async () => {
    const { pool, transport, settle, advance } = bench()
    transport.maxStreams = 0
    for (let i = 0; i < 10; i++) {
      const received = send(pool, 'call', '/a')
      await advance(2000)
      expect(received.log).toEqual(['error CONNECT_FAILED'])
    }
    expect(transport.attempts).toBeLessThanOrEqual(10)
    expect(transport.connections.every(({ closed }) => closed)).toBe(true)
    transport.maxStreams = 1
    const received = send(pool, 'call', '/a')
    await advance(2000)
    answer(transport.at('/a'))
    await settle()
    expect(received.log).toEqual(['head 200', 'end'])
  })

  it('X8: connections that are accepted and dropped at once are not opened without a pause', async () => {
    const { pool, transport, advance } = bench()
    for (let i = 0; i < 500; i++) {
      send(pool, 'call', `/${i}`)
      await advance(10)
      for (const connection of transport.connections) connection.die()
    }
    expect(transport.attempts).toBeLessThan(20)
  })
})

describe('close', () => {
  it('X8: close() ends what its credentials have under way, such as a plugin', async () => {
    const closes: string[] = []
    const credentials = Object.assign(new Rotating(), { close: () => closes.push('closed') })
    const { pool } = bench({ credentials })
    await pool.close()
    await pool.close()
    expect(closes).toEqual(['closed'])
  })

  it('R23: fails requests that are under way or wait before it returns, then calls nothing, and is idempotent', async () => {
    const { pool, transport, settle } = bench()
    const watch = send(pool, 'stream', '/w')
    await settle()
    transport.hangs = true
    const waiting = send(pool, 'write', '/create')
    const closing = pool.close()
    expect([watch.log, waiting.log]).toEqual([['error CLIENT_CLOSED'], ['error CLIENT_CLOSED']])
    expect(pool.close()).toBe(closing)
    await closing
    expect(transport.connections.every(({ closed }) => closed)).toBe(true)
    expect(transport.givenUp).toBe(1)
    expect(pool.connections).toBe(0)
  })

  it('R23: leaves no timer', async () => {
    const { pool, transport, settle, simulation } = bench()
    streams(pool, 60).forEach(({ exchange }, i) => {
      if (i % 2 === 0) exchange.abort()
    })
    transport.refusal = undefined
    await settle()
    for (const { exchange } of streams(pool, 60)) exchange.abort()
    await pool.close()
    expect(simulation.pending()).toEqual([])
  })
})

/** A pool that keeps its metrics, a line for each counter and the last value of each gauge. */
function measured(options: Partial<PoolOptions> = {}): {
  readonly simulation: Simulation
  readonly transport: ScriptedTransport
  readonly pool: ConnectionPool
  readonly counts: string[]
} {
  const simulation = simulate(4)
  const counts: string[] = []
  const transport = new ScriptedTransport(() => simulation.clock.monotonic())
  const metrics = {
    gauge() {},
    observe() {},
    count: (name: string, labels?: Readonly<Record<string, string>>) => {
      if (!name.startsWith('rest_client')) counts.push([name, ...Object.values(labels ?? {})].join(' '))
    },
  }
  const environment = { clock: simulation.clock, random: () => 0, onError() {}, onWarning() {}, log() {}, metrics }
  const pool = new ConnectionPool({ target: at, transport, environment, ...options })
  open.push(pool)
  return { simulation, transport, pool, counts }
}

describe('metrics', () => {
  it('count connects, retries, resets, PINGs without an answer and refreshes', async () => {
    const { simulation, transport, pool, counts } = measured({ credentials: new Rotating() })
    transport.refusal = new Error('ECONNREFUSED')
    send(pool, 'call', '/a')
    await simulation.settle()
    expect(counts).toEqual(['wherry_client_connects_total failure'])
    transport.refusal = undefined
    send(pool, 'call', '/a')
    await simulation.advance(100)
    expect(counts.slice(1)).toEqual(['wherry_client_connects_total success'])
    transport.at('/a').error(Object.assign(new Error('refused'), { unprocessed: true }))
    expect(counts.slice(2)).toEqual(['wherry_client_retries_total'])
    await simulation.advance(100)
    transport.at('/a').head(401, {})
    await simulation.settle()
    expect(counts.slice(3)).toEqual(['wherry_client_credential_refreshes_total', 'wherry_client_resets_total'])
    for (const connection of transport.connections) connection.alive = false
    await simulation.advance(46_000)
    expect(counts.slice(5)).toEqual(['wherry_client_ping_timeouts_total'])
  })

  it('report each request once under client-go’s names, watches among them, until its answer begins', async () => {
    const { simulation } = bench()
    const seen: string[] = []
    const labelled = (name: string, labels: MetricLabels | undefined): string | undefined =>
      name.startsWith('rest_client')
        ? `${name.slice('rest_client_'.length)} ${Object.values(labels ?? {}).join(' ')}`
        : undefined
    const metrics = {
      count: (name: string, labels?: MetricLabels) => seen.push(labelled(name, labels) ?? ''),
      observe: (name: string, value: number, labels?: MetricLabels) => seen.push(`${labelled(name, labels)} ${value}`),
      gauge() {},
    }
    const { clock } = simulation
    const transport = new ScriptedTransport(() => clock.monotonic())
    const environment = { clock, random: () => 0, onError() {}, onWarning() {}, log() {}, metrics }
    const credentials = new Rotating()
    const pool = new ConnectionPool({ target: at, transport, environment, credentials })
    open.push(pool)
    const reported = (): string[] => seen.splice(0).filter(each => each !== '')
    const host = at.host

    const watch = send(pool, 'stream', '/watch')
    await simulation.advance(250)
    transport.at('/watch').head(200, {})
    transport.at('/watch').data(Buffer.from('x'))
    expect(reported()).toEqual([`requests_total GET ${host} 200`, `request_duration_seconds GET ${host} 0.25`])
    watch.exchange.abort()
    send(pool, 'write', '/post', { method: 'POST' })
    await simulation.advance(10)
    transport.at('/post').error(new Error('broken'))
    send(pool, 'call', '/late').exchange.abort()
    expect(reported().filter(each => each.startsWith('requests_total'))).toEqual([
      `requests_total POST ${host} <error>`,
      `requests_total GET ${host} <error>`,
    ])
    // A request that is repeated with new credentials counts once.
    send(pool, 'call', '/renewed')
    await simulation.settle()
    transport.at('/renewed').head(401, {})
    await simulation.settle()
    expect(reported()).toEqual([])
    transport.at('/renewed').head(200, {})
    transport.at('/renewed').end()
    expect(reported()).toEqual([`requests_total GET ${host} 200`, `request_duration_seconds GET ${host} 0`])
  })

  it('N11: report how many streams and connections are open', async () => {
    const gauges = new Map<string, number>()
    const { pool, transport, settle, advance } = bench({
      environment: {
        ...simulate(2).environment,
      },
    })
    await pool.close()
    const simulation = simulate(3)
    const measured = new ConnectionPool({
      target: at,
      transport,
      environment: {
        clock: simulation.clock,
        random: () => 0,
        onError() {},
        onWarning() {},
        log() {},
        metrics: {
          count() {},
          observe() {},
          gauge: (name, value, labels) => gauges.set(`${name} ${labels?.lane}`, value),
        },
      },
    })
    open.push(measured)
    const [first] = streams(measured, 95)
    await simulation.settle()
    expect(gauges.get('wherry_client_streams stream')).toBe(95)
    expect(gauges.get('wherry_client_connections stream')).toBe(2)
    first?.exchange.abort()
    expect(gauges.get('wherry_client_streams stream')).toBe(94)
    for (const connection of transport.connections) connection.die()
    expect(gauges.get('wherry_client_streams stream')).toBe(0)
    expect(gauges.get('wherry_client_connections stream')).toBe(0)
    await Promise.all([settle(), advance(0)])
  })
})

/** Credentials with a token that the test changes. */
class Rotating implements Credentials {
  token = 'old'
  next: string | Error = 'new'
  refreshes = 0
  material = 'cert 1'
  headers(): Record<string, string> {
    return { authorization: `Bearer ${this.token}` }
  }
  tls(): Record<string, never> {
    return {}
  }
  digest(): string {
    return this.material
  }
  async refresh(): Promise<boolean> {
    this.refreshes += 1
    await Promise.resolve()
    if (this.next instanceof Error) throw this.next
    const changed = this.next !== this.token
    this.token = this.next
    return changed
  }
}

describe('credentials', () => {
  it('X7: a 401 refreshes once however many requests saw it, and each is repeated once', async () => {
    const credentials = new Rotating()
    const { pool, transport, settle } = bench({ credentials })
    const received = [...streams(pool, 20), send(pool, 'write', '/create'), send(pool, 'call', '/late')]
    await settle()
    const late = transport.at('/late')
    for (const request of transport.open) if (request !== late) request.head(401, {})
    await settle()
    late.head(401, {})
    late.end()
    await settle()
    expect(credentials.refreshes).toBe(1)
    expect(transport.open).toHaveLength(22)
    for (const request of transport.open) {
      expect(request.request.headers.authorization).toBe('Bearer new')
      answer(request)
    }
    expect(received.map(({ log }) => log)).toEqual(Array(22).fill(['head 200', 'end']))
  })

  it('X7: a second 401 goes to the caller', async () => {
    const credentials = new Rotating()
    const { pool, transport, settle } = bench({ credentials })
    const received = send(pool, 'call', '/get')
    await settle()
    answer(transport.at('/get'), 401)
    await settle()
    answer(transport.at('/get'), 401)
    await settle()
    expect(received.log).toEqual(['head 401', 'end'])
    expect(credentials.refreshes).toBe(1)
  })

  it('X7: a 401 that no refresh helps goes to the caller whole, though it came before the refresh ended', async () => {
    for (const next of ['old', new Error('plugin failed')]) {
      const credentials = new Rotating()
      credentials.next = next
      const { pool, transport, settle, simulation } = bench({ credentials })
      const received = [send(pool, 'call', '/get'), send(pool, 'call', '/late')]
      await settle()
      for (const request of transport.open) {
        request.head(401, {})
        request.data(Buffer.from('Unauthorized'))
        request.end()
        await settle()
      }
      expect(received.map(({ log }) => log)).toEqual(Array(2).fill(['head 401', 'data Unauthorized', 'end']))
      expect(credentials.refreshes).toBe(1)
      expect(simulation.environment.errors).toHaveLength(next instanceof Error ? 1 : 0)
    }
  })

  it('X7: new TLS material takes new connections; requests under way on old ones go on', async () => {
    const credentials = new Rotating()
    const { pool, transport, settle } = bench({ credentials })
    const [watch] = streams(pool, 1)
    await settle()
    transport.at('/watch/0').head(200, {})
    credentials.material = 'cert 2'
    send(pool, 'call', '/get')
    await settle()
    expect(transport.at('/get').connection.id).toBe(1)
    transport.at('/watch/0').data(Buffer.from('x'))
    expect(watch?.log).toEqual(['head 200', 'draining', 'data x'])
  })

  it.each(['10.0.0.1', '::ffff:10.0.0.1', 'fe80::1', '2001:db8::127.0.0.1', 'an unknown address'])(
    'X2: sends no token unencrypted to another machine, wherever a name or a proxy has led the connection: %s',
    async address => {
      const { pool, transport, settle } = bench({
        credentials: new Rotating(),
        target: new URL('http://dev.localhost'),
      })
      transport.readableBy = address
      const received = send(pool, 'call', '/get')
      await settle()
      expect(received.log).toEqual(['error INSECURE_TOKEN'])
      expect([transport.attempts, transport.open]).toEqual([1, []])
      expect(JSON.stringify([received.errors[0], received.errors[0]?.message])).not.toContain('old')
    },
  )

  it.each(['127.0.0.1', '127.1.2.3', '::1', '::ffff:127.0.0.1', undefined])(
    'X2: sends it to this machine, whatever its name is, and where it is encrypted: %s',
    async address => {
      const { pool, transport, settle } = bench({ credentials: new Rotating(), target: new URL('http://example.com') })
      transport.readableBy = address
      send(pool, 'call', '/get')
      await settle()
      expect(transport.at('/get').request.headers.authorization).toBe('Bearer old')
    },
  )

  it.each(['a\nb', 'caf\u0113'])(
    'X3: a header that can not be sent is an error before any connection: %j',
    async token => {
      const credentials = new Rotating()
      credentials.token = token
      const { pool, transport, settle } = bench({ credentials })
      const received = send(pool, 'call', '/get')
      await settle()
      expect(received.log).toEqual(['error INVALID_HEADER'])
      expect(transport.attempts).toBe(0)
      expect(received.errors[0]?.message).toBe("the header authorization has a character that can't be sent")
      credentials.token = 'old'
      send(pool, 'call', '/again')
      await settle()
      expect(transport.at('/again').request.headers.authorization).toBe('Bearer old')
    },
  )
})

describe('options', () => {
  it('X6: are checked when given', () => {
    const bad = (options: object): (() => unknown) => {
      const { simulation, transport } = bench()
      return () => new ConnectionPool({ target: at, transport, environment: simulation.environment, ...options })
    }
    expect(bad({ idleMs: -1 })).toThrow(RangeError)
    expect(bad({ pingAfterMs: Number.NaN })).toThrow(RangeError)
    expect(bad({ connectTimeoutMs: '5' })).toThrow(TypeError)
    expect(bad({ maxHttp1Calls: 0.5 })).toThrow(RangeError)
    expect(bad({ target: 'https://x' })).toThrow(TypeError)
    expect(bad({ target: new URL('ftp://x') })).toThrow(RangeError)
    expect(bad({ transport: {} })).toThrow(TypeError)
    expect(bad({ whatever: 1 })).toThrow(expect.objectContaining({ code: 'INVALID_OPTION' }))
  })
})
