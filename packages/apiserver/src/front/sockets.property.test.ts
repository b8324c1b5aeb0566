import { randomFillSync } from 'node:crypto'
import type { ClientHttp2Session } from 'node:http2'
import { connect as connectTcp } from 'node:net'
import { gzipSync } from 'node:zlib'
import fc from 'fast-check'
import { afterEach, beforeEach, expect, it } from 'vitest'
import type { Handler } from '../exchange.ts'
import { createCertificateAuthority } from './certificates.ts'
import { listen, type SocketFront } from './sockets.ts'
import { askHttp1, askHttp2, http2Client, until } from './testkit/clients.ts'

/** What the handler does with the next request. */
interface Plan {
  readonly chunks: readonly Uint8Array[]
  /** Waits for `onDrain` after a `false`, as it should; otherwise writes on all the same. */
  readonly polite: boolean
  readonly gzip: boolean
  /** Gives the event loop back before each chunk. */
  readonly slow: boolean
}

const plans = new Map<string, Plan>()
const closed = new Map<string, number>()

const handler: Handler = ({ path }, reply) => {
  reply.onClose(() => closed.set(path, (closed.get(path) ?? 0) + 1))
  const plan = plans.get(path)
  if (plan === undefined) {
    reply.head(404, {})
    reply.end()
    return
  }
  reply.head(200, plan.gzip ? { 'content-encoding': 'gzip' } : {})
  let at = 0
  const step = () => {
    while (at < plan.chunks.length) {
      const chunk = plan.chunks[at++] as Uint8Array
      const more = reply.write(chunk)
      if (!more && plan.polite) return
      if (plan.slow) {
        setImmediate(step)
        return
      }
    }
    if (at++ === plan.chunks.length) reply.end()
  }
  reply.onDrain(step)
  step()
}

let tls: SocketFront
let plain: SocketFront
let session: ClientHttp2Session
let ca: string
beforeEach(async () => {
  const authority = createCertificateAuthority()
  const { certPem, keyPem } = authority.issueServer()
  ca = authority.caPem
  tls = await listen({ handler, tls: { cert: certPem, key: keyPem } })
  plain = await listen({ handler })
  session = http2Client(tls.url, { ca })
})
afterEach(async () => {
  session.destroy()
  await Promise.all([tls.close(), plain.close()])
})

let id = 0
function plan(chunks: readonly Uint8Array[], rest: Omit<Plan, 'chunks'>): string {
  const path = `/${id++}`
  plans.set(path, { chunks, ...rest })
  return path
}

const size = fc.oneof(fc.integer({ min: 0, max: 100 }), fc.integer({ min: 0, max: 100_000 }))
const arbitraryPlan = fc.record({
  sizes: fc.array(size, { maxLength: 12 }),
  polite: fc.boolean(),
  gzip: fc.boolean(),
  slow: fc.boolean(),
})

it('F1: any body in any chunks arrives byte for byte on h2, https and http, compressed ones untouched', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(arbitraryPlan, { minLength: 1, maxLength: 4 }), async made => {
      await Promise.all(
        made.flatMap(({ sizes, ...rest }) => {
          let chunks = sizes.map(length => randomFillSync(new Uint8Array(length)))
          if (rest.gzip) chunks = chunks.map(chunk => new Uint8Array(gzipSync(chunk)))
          const body = Buffer.concat(chunks)
          const asks = [
            (path: string) => askHttp2(session, { path }),
            (path: string) => askHttp1(tls.url, { path, ca }),
            (path: string) => askHttp1(plain.url, { path }),
          ]
          return asks.map(async ask => {
            const path = plan(chunks, rest)
            const answer = await ask(path)
            expect([answer.status, answer.ending, answer.body.length]).toEqual([200, 'end', body.length])
            expect(answer.body.equals(body)).toBe(true)
            await until(() => closed.has(path))
            expect(closed.get(path)).toBe(1)
          })
        }),
      )
    }),
    { numRuns: 25 },
  )
  expect(tls.buffered() + plain.buffered()).toBe(0)
})

it('F1: a client that gives up at any byte calls onClose once, and costs the others nothing', async () => {
  await fc.assert(
    fc.asyncProperty(arbitraryPlan, fc.nat(150_000), fc.boolean(), async ({ sizes, ...rest }, most, reset) => {
      const chunks = sizes.map(length => new Uint8Array(length))
      const paths = [plan(chunks, rest), plan(chunks, rest), plan(chunks, rest)] as const
      const stream = session.request({ ':path': paths[0] })
      let got = 0
      stream.on('error', () => {})
      stream.on('data', (chunk: Buffer) => {
        got += chunk.length
        if (got >= most) stream.close(8)
      })
      const socket = connectTcp(plain.port, '127.0.0.1')
      let received = 0
      socket.on('error', () => {})
      socket.on('data', chunk => {
        received += chunk.length
        if (received < most) return
        if (reset) socket.resetAndDestroy()
        else socket.destroy()
      })
      socket.write(`GET ${paths[1]} HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n`)
      const other = await askHttp2(session, { path: paths[2] })
      expect([other.ending, other.body.length]).toEqual(['end', chunks.reduce((sum, { length }) => sum + length, 0)])
      await until(() => stream.closed && socket.destroyed && paths.every(path => closed.has(path)))
      expect(paths.map(path => closed.get(path))).toEqual([1, 1, 1])
    }),
    { numRuns: 40 },
  )
  await until(() => plain.connections() === 0)
  expect([tls.connections(), tls.buffered()]).toEqual([1, 0])
})
