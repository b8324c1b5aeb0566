import type { Handler, ServerReply, ServerRequest } from '@wherry/apiserver/exchange'
import { memoryTransport } from '@wherry/apiserver/front/memory'
import { chance, choose, forEachSeed, integer, type Random, simulate } from '@wherry/testing'
import { expect, it } from 'vitest'
import type { Lane } from '../requester.ts'
import type { Exchange } from '../transport.ts'
import { ConnectionPool } from './pool.ts'

/** What one request received, and what the server saw of it. */
interface Life {
  readonly id: string
  readonly lane: Lane
  readonly log: string[]
  aborted: boolean
  exchange: Exchange | undefined
  processed: number
}

const requests = 80

it('N14: on any network each request ends exactly once, no write is processed twice, no connection is overfilled', async () => {
  await forEachSeed(run, { seeds: 150 })
})

async function run(seed: number): Promise<void> {
  const simulation = simulate(seed, { limitMs: 1_800_000 })
  const { clock } = simulation
  const random = simulation.random.fork('test')
  const protocol = chance(random, 0.2) ? 'http/1.1' : 'h2'
  const maxStreams = choose(random, [1, 2, 5, 20, 100])
  const lives = new Map<string, Life>()
  const transport = memoryTransport({
    handler: server(lives, clock, simulation.random.fork('server')),
    clock,
    random: simulation.random.fork('network'),
    protocol,
    maxStreams,
    faults: choose(random, [{}, { kill: 0.03, goaway: 0.05, refuse: 0.1 }, { kill: 0.02, freeze: 0.01, goaway: 0.02 }]),
  })
  const pool = new ConnectionPool({
    target: new URL('https://server.test'),
    transport,
    environment: simulation.environment,
    maxHttp1Calls: 4,
  })

  await simulation.run(async () => {
    for (let i = 0; i < requests; i++) {
      begin(pool, lives, `${i}`, choose(random, ['call', 'write', 'stream'] as const))
      if (chance(random, 0.2)) await wait(clock, integer(random, 0, 2000))
      if (chance(random, 0.05)) transport.controls.goawayAll()
      if (chance(random, 0.02)) transport.controls.refuse(true)
      if (chance(random, 0.3)) transport.controls.refuse(false)
      const other = choose(random, [...lives.values()])
      if (chance(random, 0.1)) {
        other.aborted ||= other.log.every(line => !/^(end|error)/.test(line))
        other.exchange?.abort()
      }
      if (chance(random, 0.1)) other.exchange?.pause()
      if (chance(random, 0.3)) other.exchange?.resume()
    }
    for (const { exchange } of lives.values()) exchange?.resume()
    // Streams end within 20 s, dead connections within 45 s, and what waited for one of them meets another.
    await wait(clock, 300_000)
    for (const life of lives.values()) {
      const ends = life.log.filter(line => /^(end|error)/.test(line))
      expect(ends, `${life.id} ${life.lane}: ${life.log}`).toHaveLength(life.aborted ? 0 : 1)
      if (life.log.length > 0 && ends.length > 0) expect(life.log.at(-1)).toBe(ends[0])
      expect(life.log.filter(line => line.startsWith('head')).length).toBeLessThanOrEqual(1)
      expect(life.log.join(), 'a stream more than the server takes').not.toContain('PROTOCOL_ERROR')
      if (life.lane === 'write') expect(life.processed).toBeLessThanOrEqual(1)
      // What ended well is what the server said, whole and once.
      if (ends[0] === 'end') expect(life.log.filter(line => line.startsWith('data')).join('')).toBe(`data${life.id}`)
    }
    await pool.close()
  })
  expect(pool.connections).toBe(0)
  expect(simulation.environment.errors).toEqual([])
  transport.close()
  // A frozen server may still be at work on what thaws now.
  await simulation.advance(60_000)
  expect(simulation.pending()).toEqual([])
}

function begin(pool: ConnectionPool, lives: Map<string, Life>, id: string, lane: Lane): void {
  const log: string[] = []
  const life: Life = { id, lane, log, aborted: false, exchange: undefined, processed: 0 }
  lives.set(id, life)
  let body = ''
  const done = (line: string): void => {
    if (body !== '') log.push(`data${body}`)
    log.push(line)
  }
  const receive = (what: () => void): void => {
    expect(life.exchange, 'a handler was called before request() returned').toBeDefined()
    what()
  }
  life.exchange = pool.request(
    { lane, method: lane === 'write' ? 'POST' : 'GET', path: `/${id}`, headers: {} },
    {
      head: status => receive(() => log.push(`head ${status}`)),
      data: chunk =>
        receive(() => {
          body += Buffer.from(chunk).toString()
        }),
      end: () => receive(() => done('end')),
      error: cause => receive(() => done(`error ${cause.message} ${(cause.cause as Error | undefined)?.message}`)),
    },
  )
}

/** Answers each request with its id, after a while, in parts, or breaks it. */
function server(lives: ReadonlyMap<string, Life>, clock: Parameters<typeof wait>[0], random: Random): Handler {
  return (request: ServerRequest, reply: ServerReply) => {
    const life = lives.get(request.path.slice(1))
    if (life === undefined) throw new Error(`an unknown request: ${request.path}`)
    life.processed += 1
    let over = false
    reply.onClose(() => {
      over = true
    })
    void (async () => {
      await wait(clock, integer(random, 0, 200))
      if (over) return
      if (chance(random, 0.05)) {
        reply.rst()
        return
      }
      reply.head(200, {})
      for (const character of life.id) {
        reply.write(Buffer.from(character))
        await wait(clock, integer(random, 0, life.lane === 'stream' ? 8000 : 20))
      }
      reply.end()
    })()
  }
}

function wait(clock: { timer(ms: number, fn: () => void): unknown }, ms: number): Promise<void> {
  return new Promise(resolve => {
    clock.timer(ms, resolve)
  })
}
