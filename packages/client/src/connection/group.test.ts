import { type Simulation, simulate } from '@wherry/testing'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { Credentials } from '../credentials/credentials.ts'
import type { Connection, Transport } from '../transport.ts'
import { ConnectionPool, type PoolOptions } from './pool.ts'
import { answer, ScriptedConnection, ScriptedTransport, send } from './testkit/scripted.ts'

let simulation: Simulation
let transport: ScriptedTransport
let pools: ConnectionPool[] = []

beforeEach(() => {
  simulation = simulate(7)
  transport = new ScriptedTransport(() => simulation.clock.monotonic())
})
afterEach(async () => {
  await Promise.all(pools.map(pool => pool.close()))
  pools = []
  // Whatever happened, nothing is left to happen.
  expect(simulation.pending()).toEqual([])
})

function pool(options: Partial<PoolOptions> = {}): ConnectionPool {
  const target = new URL('https://server.test:6443')
  const one = new ConnectionPool({ target, transport, environment: simulation.environment, ...options })
  pools.push(one)
  return one
}

const refusal = (): Error => Object.assign(new Error('refused'), { unprocessed: true })

/** Credentials that are known when the test says so. */
class Later implements Credentials {
  readonly asked: ((headers: Record<string, string>) => void)[] = []
  readonly failed: ((error: Error) => void)[] = []
  headers(): Promise<Record<string, string>> {
    return new Promise((resolve, reject) => {
      this.asked.push(resolve)
      this.failed.push(reject)
    })
  }
  tls(): Record<string, never> {
    return {}
  }
  digest(): string {
    return ''
  }
  refresh(): Promise<boolean> {
    return Promise.resolve(false)
  }
}

describe('while credentials are being read', () => {
  it('a request that is aborted is never sent', async () => {
    const credentials = new Later()
    const received = send(pool({ credentials }), 'call', '/a')
    received.exchange.abort()
    credentials.asked[0]?.({})
    await simulation.settle()
    expect([transport.attempts, received.log]).toEqual([0, []])
  })

  it('a pool that is closed fails the request at once, and it is never sent', async () => {
    const credentials = new Later()
    const one = pool({ credentials })
    const received = send(one, 'call', '/a')
    void one.close()
    expect(received.log).toEqual(['error CLIENT_CLOSED'])
    credentials.asked[0]?.({})
    await simulation.settle()
    expect([transport.attempts, received.log]).toEqual([0, ['error CLIENT_CLOSED']])
  })

  it('their failure is the error of the request, as it is', async () => {
    const credentials = new Later()
    const received = send(pool({ credentials }), 'call', '/a')
    credentials.failed[0]?.(Object.assign(new Error('no token'), { code: 'CREDENTIALS_UNREADABLE' }))
    await simulation.settle()
    expect([transport.attempts, received.log]).toEqual([0, ['error CREDENTIALS_UNREADABLE']])
  })

  it('credentials that throw at once are reported after request() has returned', async () => {
    const credentials = new Later()
    credentials.headers = () => {
      throw new Error('at once')
    }
    const received = send(pool({ credentials }), 'call', '/a')
    expect(received.log).toEqual([])
    await simulation.settle()
    expect(received.log).toEqual(['error at once'])
  })
})

describe('a request that was refused', () => {
  async function refused(): Promise<ReturnType<typeof send> & { readonly pool: ConnectionPool }> {
    const one = pool()
    const received = send(one, 'write', '/a')
    await simulation.settle()
    transport.at('/a').error(refusal())
    return { ...received, pool: one }
  }

  it('is not sent again once it is aborted', async () => {
    const { exchange, log } = await refused()
    exchange.abort()
    await simulation.advance(1_000)
    expect([transport.open, log]).toEqual([[], []])
  })

  it('fails at once when the pool is closed', async () => {
    const { pool: one, log } = await refused()
    void one.close()
    expect(log).toEqual(['error CLIENT_CLOSED'])
    await simulation.advance(1_000)
    expect(transport.open).toEqual([])
  })

  it('waits 50 to 100 ms, and twice as long each time', async () => {
    const sent: number[] = []
    await refused()
    let start = simulation.clock.monotonic()
    for (let i = 0; i < 4; i++) {
      await simulation.runUntil(() => transport.open.length > 0)
      sent.push(simulation.clock.monotonic() - start)
      start = simulation.clock.monotonic()
      transport.at('/a').error(refusal())
    }
    for (const [i, waited] of sent.entries()) {
      expect(waited).toBeGreaterThanOrEqual(50 * 2 ** i)
      expect(waited).toBeLessThanOrEqual(100 * 2 ** i)
    }
    await simulation.advance(10_000)
    expect(transport.open).toEqual([])
  })
})

describe('opening', () => {
  it('opens at most 16 connections at a time, and no more than are needed', async () => {
    transport.hangs = true
    transport.maxStreams = 1
    const one = pool()
    for (let i = 0; i < 90; i++) send(one, 'call', `/${i}`)
    await simulation.settle()
    // It expects 100 streams on each until the first one has said its limit.
    expect(transport.attempts).toBe(1)
    for (let i = 0; i < 2000; i++) send(one, 'stream', `/w/${i}`)
    await simulation.settle()
    expect(transport.attempts).toBe(16)
  })

  it('on HTTP/1.1 opens no more for calls than may be busy with them', async () => {
    transport.maxStreams = 1
    const one = pool({ maxHttp1Calls: 3 })
    for (let i = 0; i < 20; i++) send(one, 'call', `/${i}`)
    await simulation.settle()
    expect(transport.attempts).toBe(3)
    expect(transport.open.map(({ request }) => request.path)).toEqual(['/0', '/1', '/2'])
    send(one, 'write', '/write')
    await simulation.settle()
    expect(transport.open).toHaveLength(4)
    for (let i = 0; i < 20; i++) answer(transport.at(`/${i}`))
    expect(transport.attempts).toBe(4)
  })

  it('calls that wait for one of the sockets leave it to streams to open theirs', async () => {
    transport.maxStreams = 1
    const one = pool({ maxHttp1Calls: 1 })
    send(one, 'call', '/a')
    send(one, 'call', '/b')
    await simulation.settle()
    send(one, 'stream', '/w')
    await simulation.settle()
    expect(transport.open.map(({ request }) => request.path).sort()).toEqual(['/a', '/w'])
  })

  it('one attempt that fails leaves the others to serve the waiting requests', async () => {
    const outcomes: ((outcome: Connection | Error) => void)[] = []
    const own: Transport = {
      connect: () =>
        new Promise((resolve, reject) =>
          outcomes.push(outcome => (outcome instanceof Error ? reject(outcome) : resolve(outcome))),
        ),
    }
    const one = pool({ transport: own })
    const received = Array.from({ length: 150 }, (_, i) => send(one, 'stream', `/${i}`))
    await simulation.settle()
    expect(outcomes).toHaveLength(2)
    outcomes[0]?.(new Error('one fails'))
    await simulation.settle()
    expect(received.flatMap(({ log }) => log)).toEqual([])
    const connection = new ScriptedConnection(0, 1000, () => 0)
    outcomes[1]?.(connection)
    await simulation.settle()
    expect(connection.open.size).toBe(150)
  })

  it('a connection that comes after its time is closed', async () => {
    let come: (connection: Connection) => void = () => {}
    const own: Transport = {
      connect: () =>
        new Promise(resolve => {
          come = resolve
        }),
    }
    const one = pool({ transport: own, connectTimeoutMs: 1_000 })
    const received = send(one, 'call', '/a')
    await simulation.advance(1_500)
    const connection = new ScriptedConnection(0, 100, () => 0)
    come(connection)
    await simulation.settle()
    expect(connection.closed).toBe(true)
    expect(received.log).toEqual(['error CONNECT_TIMEOUT'])
    expect(received.errors[0]).toMatchObject({
      message: 'no connection to server.test:6443 within 1000 ms',
      unprocessed: true,
    })
  })

  it('an error says where to and why, and that nothing was processed', async () => {
    const why: [unknown, string][] = [
      [new Error('connect ECONNREFUSED'), 'connect ECONNREFUSED'],
      [Object.assign(new AggregateError([]), { code: 'ECONNREFUSED' }), 'ECONNREFUSED'],
      [new TypeError(''), 'TypeError'],
      ['text', 'unknown cause'],
    ]
    for (const [cause, text] of why) {
      transport.refusal = cause as Error
      const received = send(pool(), 'call', '/a')
      await simulation.settle()
      expect(received.errors[0]).toMatchObject({
        message: `no connection to server.test:6443: ${text}`,
        code: 'CONNECT_FAILED',
        unprocessed: true,
        cause,
      })
    }
  })

  it('the first connection that brings nothing is bad luck, the second in a row is waited for', async () => {
    const one = pool()
    const at: number[] = []
    for (let i = 0; i < 4; i++) {
      send(one, 'stream', `/${i}`)
      await simulation.runUntil(() => transport.open.length > 0)
      at.push(simulation.clock.monotonic())
      transport.open[0]?.connection.die()
    }
    const waited = at.slice(1).map((time, i) => time - (at[i] ?? 0))
    expect(waited[0]).toBe(0)
    expect(waited[1]).toBeGreaterThanOrEqual(50)
    expect(waited[2]).toBeGreaterThanOrEqual(100)
  })

  it('one that brought an answer makes all well again', async () => {
    const one = pool()
    for (let i = 0; i < 6; i++) {
      send(one, 'stream', `/${i}`)
      await simulation.settle()
      expect(transport.open).toHaveLength(1)
      if (i % 2 === 0) transport.open[0]?.head(200, {})
      transport.open[0]?.connection.die()
    }
    expect(simulation.clock.monotonic()).toBe(0)
  })
})

describe('an HTTP/1.1 connection that ends before the answer', () => {
  async function ended(used: boolean, lane: 'call' | 'write', method: string): Promise<number> {
    transport.maxStreams = 1
    const one = pool()
    if (used) {
      send(one, lane, '/first')
      await simulation.settle()
      answer(transport.at('/first'))
    }
    send(one, lane, '/second', { method })
    await simulation.settle()
    transport.at('/second').connection.die()
    await simulation.advance(1_000)
    return transport.open.length
  }

  it.each([
    [1, 'a GET on one that was used', true, 'call', 'GET'],
    [0, 'a GET on a fresh one: that is no race with its idle end', false, 'call', 'GET'],
    [0, 'another method', true, 'call', 'POST'],
    [0, 'a write', true, 'write', 'POST'],
  ] as const)('is repeated %i times: %s', async (times, _, used, lane, method) => {
    expect(await ended(used, lane, method)).toBe(times)
  })
})

describe('HTTP/1.1 connections that all end while they are idle', () => {
  it('cost a read nothing, though it is repeated on another that is not known to have ended', async () => {
    transport.maxStreams = 1
    const one = pool()
    const paths = ['/a', '/b', '/c']
    for (const path of paths) send(one, 'call', path)
    await simulation.settle()
    for (const path of paths) answer(transport.at(path))
    const received = send(one, 'call', '/read')
    const idle = transport.connections.slice(0, 3)
    for (const connection of idle) {
      // A request that is written to a connection that has ended is lost; only then does its end arrive.
      const lost = [...connection.open]
      connection.die()
      for (const request of lost) expect(request.request.path).toBe('/read')
    }
    await simulation.advance(1_000)
    expect(received.errors).toEqual([])
    answer(transport.at('/read'))
    expect(received.log.at(-1)).toBe('end')
  })

  it('are no reason to repeat a read for ever', async () => {
    transport.maxStreams = 1
    const one = pool()
    const paths = ['/a', '/b', '/c', '/d']
    for (const path of paths) send(one, 'call', path)
    await simulation.settle()
    for (const path of paths) answer(transport.at(path))
    const received = send(one, 'call', '/read')
    for (let sent = 1; sent <= 3; sent++) {
      expect(received.log).toEqual([])
      transport.at('/read').connection.die()
      await simulation.advance(1_000)
    }
    expect(received.log).toEqual(['error CONNECTION_LOST'])
    expect(transport.open).toEqual([])
  })
})

describe('a break', () => {
  it('has what the transport said as its cause', async () => {
    const one = pool()
    const received = [send(one, 'call', '/a'), send(one, 'call', '/b')]
    await simulation.settle()
    transport.at('/a').error(new Error('socket hang up'))
    await transport.connections[0]?.close()
    expect(received.map(({ errors }) => errors[0]?.message)).toEqual([
      'the request broke off: socket hang up',
      'the connection was closed',
    ])
    expect(received[0]?.errors[0]?.cause).toMatchObject({ message: 'socket hang up' })
  })

  it('a connection that takes no request though it is open is as good as gone', async () => {
    const one = pool()
    send(one, 'call', '/a')
    await simulation.settle()
    const [connection] = transport.connections
    if (connection !== undefined) connection.closed = true // without a word
    const received = send(one, 'call', '/b')
    expect(received.log).toEqual([])
    await simulation.settle()
    expect(received.log).toEqual(['error CONNECTION_LOST'])
    if (connection !== undefined) connection.closed = false
  })
})
