import { once } from 'node:events'
import { connect as connectHttp2 } from 'node:http2'
import { Agent, request as httpsRequest } from 'node:https'
import { connect } from 'node:net'
import { connect as connectTls, type TLSSocket } from 'node:tls'
import { createCertificateAuthority } from '@wherry/apiserver/front/certificates'
import type { Timer } from '@wherry/client'
import { systemEnvironment } from '@wherry/client/internal'
import { recordedEnvironment, systemClock, Trace } from '@wherry/testing/internal'
import { describe, expect, it, vi } from 'vitest'
import { type TestCertificates, testCertificates } from '../testkit/on-a-server.ts'
import { longestBodyBytes } from './body.ts'
import { type AnswerHook, WebhookServer, type WebhookServerOptions } from './webhook-server.ts'

const echo: AnswerHook = async body => ({ status: 200, text: `${body.length}` })
const environment = systemEnvironment()

interface Parts {
  readonly server: WebhookServer
  readonly certificates: TestCertificates
  readonly port: number
}

/** A server of the path `/validate/a`. */
async function serving(
  options: Partial<WebhookServerOptions>,
  body: (parts: Parts) => Promise<void>,
  hook: AnswerHook = echo,
): Promise<void> {
  const certificates = await testCertificates()
  const hooks = new Map([['/validate/a', hook]])
  const base = { hooks, certificates, environment, host: '127.0.0.1', port: 0, clientCa: undefined, http2: false }
  const server = new WebhookServer({ ...base, ...options })
  await server.listen()
  try {
    await body({ server, certificates, port: server.port })
  } finally {
    await server.close()
  }
  expect([server.port, certificates.listeners]).toEqual([0, 0])
}

interface Asked {
  readonly path?: string
  readonly method?: string
  readonly type?: string
  readonly agent?: Agent
  readonly tls?: { readonly key: string; readonly cert: string }
}

async function ask({ port, certificates }: Parts, body: Buffer, asked: Asked = {}): Promise<string> {
  const { path = '/validate/a?timeout=5s', method = 'POST', type = 'application/json', agent, tls } = asked
  const request = httpsRequest({
    ...{ host: '127.0.0.1', port, path, method, ca: certificates.caPem, ...tls },
    headers: { 'content-type': type, 'content-length': body.length },
    agent: agent ?? false,
  })
  request.end(body)
  const [response] = (await once(request, 'response')) as [AsyncIterable<Buffer> & { statusCode: number }]
  const chunks: Buffer[] = []
  for await (const chunk of response) chunks.push(chunk)
  return `${response.statusCode} ${Buffer.concat(chunks)}`
}

const small = Buffer.from('{}')

describe('the webhook server', () => {
  it('takes a body of 7 MiB, and answers 413 to one of 8', () =>
    serving({}, async parts => {
      expect(await ask(parts, Buffer.alloc(longestBodyBytes, ' '))).toBe(`200 ${longestBodyBytes}`)
      expect(await ask(parts, Buffer.alloc(8 * 1024 * 1024, ' '))).toContain('413 ')
      expect(await ask(parts, small)).toBe('200 2')
    }))

  it('names what it does not serve', () =>
    serving({}, async parts => {
      expect(await ask(parts, small, { path: '/validate/b' })).toBe('404 there is no webhook of that path')
      expect(await ask(parts, small, { method: 'PUT' })).toBe('405 a webhook takes POST')
      expect(await ask(parts, small, { type: 'text/plain' })).toBe('415 a webhook takes application/json')
    }))

  it('takes TLS 1.2, and nothing older', () =>
    serving({}, async ({ port, certificates }) => {
      const of = async (version: 'TLSv1.1' | 'TLSv1.2'): Promise<string | null> => {
        // OpenSSL's own bound refuses it too: this holds that nobody loosens both.
        const ciphers = 'ALL@SECLEVEL=0'
        const versions = { minVersion: version, maxVersion: version, ciphers } as const
        const socket = connectTls({ host: '127.0.0.1', port, ca: certificates.caPem, ...versions })
        try {
          await once(socket, 'secureConnect')
          return socket.getProtocol()
        } catch {
          return 'refused'
        } finally {
          socket.destroy()
        }
      }
      expect([await of('TLSv1.2'), await of('TLSv1.1')]).toEqual(['TLSv1.2', 'refused'])
    }))

  it('takes up a new certificate for new connections, and drops none that is open', () =>
    serving({}, async parts => {
      const agent = new Agent({ keepAlive: true, maxSockets: 1 })
      const shown = async (): Promise<string> => {
        const { port, certificates } = parts
        const socket = connectTls({ host: '127.0.0.1', port, ca: certificates.caPem })
        await once(socket, 'secureConnect')
        const { fingerprint256 } = socket.getPeerCertificate()
        socket.destroy()
        return fingerprint256
      }
      const sockets = (): TLSSocket[] => Object.values(agent.freeSockets).flat() as unknown as TLSSocket[]
      expect(await ask(parts, small, { agent })).toBe('200 2')
      const [open] = sockets()
      const before = await shown()
      expect(await shown()).toBe(before)
      parts.certificates.renew()
      expect(await shown()).not.toBe(before)
      expect(await ask(parts, small, { agent })).toBe('200 2')
      expect(sockets()).toEqual([open])
      agent.destroy()
    }))

  it('reports a certificate that it can not use, and serves with the one before', async () => {
    const errors: Error[] = []
    const reporting = systemEnvironment({ onError: error => void errors.push(error) })
    await serving({ environment: reporting }, async parts => {
      const { certificates } = parts
      const good = certificates.current()
      let now = good
      const source = { current: () => now, onChange: certificates.onChange }
      const server = new WebhookServer({
        ...{ hooks: new Map([['/validate/a', echo]]), certificates: source, environment: reporting },
        ...{ host: '127.0.0.1', port: 0, clientCa: undefined, http2: false },
      })
      await server.listen()
      now = { cert: 'broken', key: good.key }
      certificates.renew()
      expect(errors).toHaveLength(1)
      expect(`${errors[0]?.message}`).not.toContain('PRIVATE')
      expect(await ask({ ...parts, port: server.port }, small)).toBe('200 2')
      await server.close()
    })
  })

  it('with clientCa refuses clients without a certificate of that authority', async () => {
    const [ours, others] = [createCertificateAuthority(), createCertificateAuthority()]
    await serving({ clientCa: ours.caPem }, async parts => {
      const as = async ({ certPem, keyPem }: { certPem: string; keyPem: string }): Promise<string> =>
        ask(parts, small, { tls: { cert: certPem, key: keyPem } })
      expect(await as(ours.issueClient({ commonName: 'apiserver' }))).toBe('200 2')
      await expect(as(others.issueClient({ commonName: 'apiserver' }))).rejects.toThrow()
      await expect(ask(parts, small)).rejects.toThrow()
      parts.certificates.renew()
      await expect(ask(parts, small)).rejects.toThrow()
      expect(await as(ours.issueClient({ commonName: 'apiserver' }))).toBe('200 2')
    })
  })

  it('answers requests under way before it closes, and takes no others', async () => {
    const { promise, resolve } = Promise.withResolvers<void>()
    const begun = Promise.withResolvers<void>()
    const slow: AnswerHook = async () => {
      begun.resolve()
      await promise
      return { status: 200, text: 'late' }
    }
    const agent = new Agent({ keepAlive: true })
    await serving(
      {},
      async parts => {
        const asked = ask(parts, small, { agent })
        await begun.promise
        const closed = parts.server.close()
        await expect(ask(parts, small)).rejects.toThrow('ECONNREFUSED')
        resolve()
        expect(await asked).toBe('200 late')
        await closed
      },
      slow,
    )
    agent.destroy()
  })

  it('waits at its end for no connection that has sent nothing', async () => {
    const ended: Promise<unknown>[] = []
    await serving({}, async parts => {
      const { port, certificates } = parts
      const bare = connect({ host: '127.0.0.1', port })
      const secure = connectTls({ host: '127.0.0.1', port, ca: certificates.caPem })
      for (const socket of [bare, secure]) socket.on('error', () => {})
      await Promise.all([once(bare, 'connect'), once(secure, 'secureConnect')])
      expect(await ask(parts, small)).toBe('200 2')
      ended.push(once(bare, 'close'), once(secure, 'close'))
    })
    await Promise.all(ended)
    // A handshake that never ends is given up after 30 s: nothing has waited for that.
  }, 20_000)

  it('offers HTTP/2 only if it is asked to, and ends its sessions', async () => {
    const offered = async (http2: boolean): Promise<string | false | null> => {
      let protocol: string | false | null = null
      await serving({ http2 }, async ({ port, certificates }) => {
        const socket = connectTls({
          host: '127.0.0.1',
          port,
          ca: certificates.caPem,
          ALPNProtocols: ['h2', 'http/1.1'],
        })
        await once(socket, 'secureConnect')
        protocol = socket.alpnProtocol
        socket.destroy()
      })
      return protocol
    }
    expect([await offered(false), await offered(true)]).toEqual(['http/1.1', 'h2'])
    await serving({ http2: true }, async parts => {
      expect(await ask(parts, small)).toBe('200 2')
      const session = connectHttp2(`https://127.0.0.1:${parts.port}`, { ca: parts.certificates.caPem })
      const headers = { ':method': 'POST', ':path': '/validate/a', 'content-type': 'application/json' }
      const stream = session.request(headers)
      stream.end(small)
      stream.resume()
      const [response] = (await once(stream, 'response')) as [{ ':status'?: number }]
      expect(response[':status']).toBe(200)
      const ended = once(session, 'close')
      await parts.server.close()
      await ended
    })
  })

  it('ends a request over HTTP/2 if its body takes more than 30 s', async () => {
    const due: (() => void)[] = []
    const timer = (ms: number, fn: () => void): Timer => {
      if (ms !== 30_000) return environment.clock.timer(ms, fn)
      due.push(fn)
      return { cancel: () => {} }
    }
    const clock = { ...environment.clock, timer }
    await serving({ http2: true, environment: { ...environment, clock } }, async parts => {
      const session = connectHttp2(`https://127.0.0.1:${parts.port}`, { ca: parts.certificates.caPem })
      const headers = { ':method': 'POST', ':path': '/validate/a', 'content-type': 'application/json' }
      const stream = session.request(headers)
      stream.on('error', () => {})
      stream.write('{')
      await vi.waitFor(() => expect(due).toHaveLength(1))
      const closed = once(stream, 'close')
      due[0]?.()
      await closed
      // The server has no request under way, so it closes at once.
      const ended = once(session, 'close')
      await parts.server.close()
      await ended
    })
  }, 20_000)

  it('measures requests as controller-runtime does', async () => {
    const recorded = recordedEnvironment(systemClock(), Math.random, new Trace(false))
    await serving({ environment: recorded }, async parts => {
      await ask(parts, small)
      await ask(parts, small, { type: 'text/plain' })
      const webhook = '/validate/a'
      const metric = (name: string, labels: object): unknown =>
        recorded.metric(`controller_runtime_webhook_${name}`, { webhook, ...labels })
      await parts.server.close()
      expect(metric('requests_total', { code: '200' })).toBe(1)
      expect(metric('requests_total', { code: '415' })).toBe(1)
      expect(metric('requests_in_flight', {})).toBe(0)
      expect(metric('latency_seconds', {})).toBeGreaterThan(0)
    })
  })
})
