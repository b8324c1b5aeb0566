import { once } from 'node:events'
import { get as getTls } from 'node:https'
import { connect } from 'node:net'
import { text } from 'node:stream/consumers'
import { systemEnvironment } from '@wherry/client/internal'
import { startApiServer } from '@wherry/testing'
import { recordedEnvironment, systemClock, Trace } from '@wherry/testing/internal'
import { afterEach, expect, it } from 'vitest'
import { HealthServer, type HealthServerOptions } from './health-server.ts'

const open: HealthServer[] = []
const environment = () => recordedEnvironment(systemClock(), Math.random, new Trace(false))

afterEach(async () => {
  for (const server of open.splice(0)) await server.close()
})

async function started(
  options: HealthServerOptions = {},
): Promise<(path: string, init?: RequestInit) => Promise<string>> {
  const server = new HealthServer({ environment: environment(), ...options })
  open.push(server)
  await server.start()
  return async (path, init) => {
    const answer = await fetch(`http://127.0.0.1:${server.port}${path}`, { ...init, headers: { connection: 'close' } })
    return `${answer.status} ${await answer.text()}`
  }
}

it('C8: says ok, or which check failed, and never why', async () => {
  const env = environment()
  let ready = false
  const ask = await started({
    environment: env,
    healthz: { ping: () => true },
    readyz: {
      caches: () => {
        if (!ready) throw new Error('secret of caches')
      },
      leases: async () => {},
    },
  })
  expect(await ask('/healthz')).toBe('200 ok')
  expect(await ask('/healthz?verbose')).toBe('200 [+]ping ok\nhealthz check passed\n')
  expect(await ask('/readyz')).toBe('500 [-]caches failed: reason withheld\n[+]leases ok\nreadyz check failed\n')
  expect(await ask('/readyz/leases')).toBe('200 ok')
  expect(await ask('/readyz?exclude=caches')).toBe('200 ok')
  expect(env.errors.map(({ error, context }) => `${context.phase} ${error.message}`)).toEqual([
    'readyz/caches secret of caches',
  ])
  ready = true
  expect(await ask('/readyz')).toBe('200 ok')
  for (const path of ['/', '/metrics', '/healthz/other', '/healthz/ping/x', '/constructor', '/__proto__', '//']) {
    expect(await ask(path), path).toBe('404 not found')
  }
  expect(await ask('/healthz', { method: 'POST' })).toBe('405 method not allowed')
  expect(await ask('/healthz', { method: 'HEAD' })).toBe('200 ')
})

it('C8: a check that takes too long has failed, and its signal is aborted', async () => {
  let stopped = false
  const hang = (signal: AbortSignal) =>
    new Promise(() => {
      signal.addEventListener('abort', () => {
        stopped = true
      })
    })
  const ask = await started({ healthz: { hang }, checkTimeoutMs: 20 })
  expect(await ask('/healthz')).toContain('500 [-]hang failed')
  expect(stopped).toBe(true)
})

it('C8, X9: shows metrics, and survives when there are none to be had', async () => {
  let text = async () => 'a 1\n'
  const ask = await started({ metrics: { contentType: 'text/plain; version=0.0.4', text: () => text() } })
  expect(await ask('/metrics')).toBe('200 a 1\n')
  text = () => Promise.reject(new Error('no'))
  expect(await ask('/metrics')).toBe('500 ')
  expect(await ask('/healthz')).toBe('200 ok')
})

it('C8: makes one text for requests of metrics that come together, and another for later ones', async () => {
  let texts = 0
  let made = Promise.withResolvers<void>()
  const asking = Promise.withResolvers<void>()
  let asked = 0
  const ask = await started({
    metrics: {
      contentType: 'text/plain',
      text: async () => {
        texts += 1
        await made.promise
        return `a ${texts}\n`
      },
    },
    authorize: () => {
      asked += 1
      if (asked === 20) asking.resolve()
      return 'allowed'
    },
  })
  const together = Array.from({ length: 20 }, () => ask('/metrics'))
  await asking.promise
  made.resolve()
  expect(await Promise.all(together)).toEqual(Array(20).fill('200 a 1\n'))
  made = Promise.withResolvers()
  made.resolve()
  expect(await ask('/metrics')).toBe('200 a 2\n')
})

it('C8: makes one text for all requests of metrics in one turn of the event loop', async () => {
  let texts = 0
  let turn = Promise.withResolvers<void>()
  const clock = { ...systemClock(), turn: () => turn.promise }
  const ask = await started({
    environment: { ...environment(), clock },
    metrics: { contentType: 'text/plain', text: async () => `a ${++texts}\n` },
  })
  expect(await ask('/metrics')).toBe('200 a 1\n')
  expect(await ask('/metrics')).toBe('200 a 1\n')
  turn.resolve()
  turn = Promise.withResolvers()
  expect(await ask('/metrics')).toBe('200 a 2\n')
})

it('C8: gives up a text that takes too long, and makes another for the next request', async () => {
  const begun = Promise.withResolvers<void>()
  const timers: (() => void)[] = []
  const timer = (_: number, fn: () => void) => {
    timers.push(fn)
    return { cancel: () => {} }
  }
  let text = (): Promise<string> => {
    begun.resolve()
    return new Promise(() => {})
  }
  const ask = await started({
    environment: { ...environment(), clock: { ...systemClock(), timer } },
    metrics: { contentType: 'text/plain', text: () => text() },
  })
  const first = ask('/metrics')
  await begun.promise
  text = async () => 'a 1\n'
  timers[0]?.()
  expect(await first).toBe('500 ')
  expect(await ask('/metrics')).toBe('200 a 1\n')
})

it('C8: makes one text for a client that pipelines thousands of requests for metrics, and cuts it off', async () => {
  let texts = 0
  const server = new HealthServer({
    metrics: {
      contentType: 'text/plain',
      text: async () => {
        texts += 1
        return 'a 1\n'
      },
    },
  })
  open.push(server)
  await server.start()
  const socket = connect(server.port, '127.0.0.1').on('error', () => {})
  socket.resume().write('GET /metrics HTTP/1.1\r\nhost: x\r\n\r\n'.repeat(10_000))
  await new Promise(resolve => socket.once('close', resolve))
  expect(texts).toBe(1)
})

it('X9: answers, and survives, if onError throws', async () => {
  const onError = (): never => {
    throw new Error('the logger is broken')
  }
  const failing = async (): Promise<never> => {
    throw new Error('no')
  }
  const ask = await started({
    environment: systemEnvironment({ onError }),
    metrics: { contentType: 'text/plain', text: failing },
    readyz: { caches: failing },
  })
  expect(await ask('/readyz')).toContain('500 [-]caches failed')
  expect(await ask('/metrics')).toBe('500 ')
})

it.each([undefined, null, 'yes', true])('C8: shows no metrics where authorize says %j', async said => {
  const ask = await started({
    metrics: { contentType: 'text/plain', text: async () => 'a 1\n' },
    authorize: (() => said) as never,
  })
  expect(await ask('/metrics')).toBe('403 forbidden')
})

it('takes a path with the host before it, as a proxy has it', async () => {
  const server = new HealthServer({ environment: environment() })
  open.push(server)
  await server.start()
  const answerTo = async (target: string): Promise<string> => {
    const socket = connect(server.port, '127.0.0.1')
    socket.write(`GET ${target} HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n`)
    return (await text(socket)).split('\r\n')[0] ?? ''
  }
  expect(await answerTo('http://x/healthz')).toBe('HTTP/1.1 200 OK')
  expect(await answerTo('*')).toBe('HTTP/1.1 404 Not Found')
})

it.each([
  ['plain', false],
  ['TLS', true],
])('C5: ends connections that have said nothing yet: %s', async (_, isTls) => {
  const api = await startApiServer({ isolate: false })
  const { certPem, keyPem } = await api.clientCertificate({ commonName: 'health' })
  await api.close()
  const server = new HealthServer({ ...(isTls && { tls: { cert: certPem, key: keyPem } }) })
  open.push(server)
  await server.start()
  const socket = connect(server.port, '127.0.0.1').on('error', () => {})
  await once(socket, 'connect')
  // As that comes before a handshake, the server has the one before it.
  const other = connect(server.port, '127.0.0.1').on('error', () => {})
  other.end('no handshake\r\n\r\n')
  await once(other.resume(), 'close')
  const ended = once(socket, 'close')
  await server.close()
  await ended
})

it('listens on loopback only, starts once, ends for good, and says when the port is taken', async () => {
  const server = new HealthServer()
  expect(server.port).toBe(0)
  open.push(server)
  await Promise.all([server.start(), server.start()])
  const second = new HealthServer({ port: server.port })
  open.push(second)
  await expect(second.start()).rejects.toMatchObject({ code: 'EADDRINUSE' })
  await Promise.all([server.close(), server.close(), second.close()])
  const third = new HealthServer()
  await third[Symbol.asyncDispose]()
  await expect(third.start()).rejects.toThrow('closed')
})

it('answers over TLS where it is given a certificate', async () => {
  const api = await startApiServer({ isolate: false })
  const { certPem, keyPem } = await api.clientCertificate({ commonName: 'health' })
  await api.close()
  const server = new HealthServer({ tls: { cert: certPem, key: keyPem } })
  open.push(server)
  await server.start()
  const status = await new Promise((resolve, reject) => {
    getTls({ port: server.port, path: '/healthz', rejectUnauthorized: false, agent: false }, answer => {
      answer.resume().on('end', () => resolve(answer.statusCode))
    }).on('error', reject)
  })
  expect(status).toBe(200)
})

it('X6: names a wrong option', () => {
  const wrong: [object, string][] = [
    [{ host: '' }, 'health.host'],
    [{ port: 65_536 }, 'health.port'],
    [{ port: '80' }, 'health.port'],
    [{ tls: { cert: '-----BEGIN ' } }, 'health.tls.key'],
    [{ tls: { cert: 'x', key: 'y' } }, 'health.tls.cert'],
    [{ tls: { cert: 1, key: 2 } }, 'health.tls.cert'],
    [{ metrics: {} }, 'health.metrics'],
    [{ metrics: { text: () => '' } }, 'health.metrics.contentType'],
    [{ metrics: { text: () => '', contentType: 1 } }, 'health.metrics.contentType'],
    [{ healthz: { a: 1 } }, 'health.healthz.a'],
    [{ readyz: { 'a/b': () => {} } }, 'health.readyz'],
    [{ readyz: 1 }, 'health.readyz'],
    [{ checkTimeoutMs: 0 }, 'health.checkTimeoutMs'],
    [{ environment: {} }, 'health.environment'],
    [{ other: 1 }, 'health.other'],
  ]
  for (const [options, option] of wrong) {
    expect(() => new HealthServer(options), option).toThrow(expect.objectContaining({ code: 'INVALID_OPTION', option }))
  }
})
