import { inspect } from 'node:util'
import type { Handler } from '@wherry/apiserver/exchange'
import { type CertificateAuthority, createCertificateAuthority } from '@wherry/apiserver/front/certificates'
import { type ListenOptions, listen, type SocketFront } from '@wherry/apiserver/front/sockets'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { type ClusterAccess, fromUrl } from '../credentials/access.ts'
import { fromKubeConfig, type KubeConfigLike } from '../credentials/kubeconfig.ts'
import { StillClock } from '../credentials/testkit/clock.ts'
import { type Files, files } from '../credentials/testkit/files.ts'
import { type Environment, systemEnvironment } from '../environment.ts'
import { NodeTransport } from './node-transport.ts'
import { ConnectionPool } from './pool.ts'
import { type SentRequest, send } from './testkit/scripted.ts'

/** Waits for a condition, however busy the machine is. */
function until(holds: () => unknown): Promise<unknown> {
  return vi.waitFor(holds, { interval: 5 })
}

const secret = 'SECRET-TOKEN'
let at: Files
let authority: CertificateAuthority
let front: SocketFront | undefined
let pools: ConnectionPool[] = []

beforeEach(async () => {
  at = await files()
  authority = createCertificateAuthority()
})
afterEach(async () => {
  await Promise.all(pools.map(pool => pool.close()))
  pools = []
  await front?.close()
  front = undefined
  await at.remove()
})

/** What a pool said besides: warnings, errors, log lines, metrics. */
interface Said {
  readonly environment: Environment
  readonly all: unknown[]
}

function listener(): Said {
  const all: unknown[] = []
  const receive =
    (what: string) =>
    (...said: unknown[]): void => {
      all.push([what, ...said])
    }
  return {
    all,
    environment: systemEnvironment({
      onWarning: receive('warning'),
      onError: receive('error'),
      log: receive('log'),
      metrics: { count: receive('count'), gauge: receive('gauge'), observe: receive('observe') },
    }),
  }
}

async function serve(handler: Handler, more: Partial<ListenOptions['tls']> = {}): Promise<URL> {
  const { certPem, keyPem } = authority.issueServer()
  front = await listen({ handler, tls: { cert: certPem, key: keyPem, ...more } })
  return new URL(front.url)
}

function opened(access: ClusterAccess, environment: Environment = systemEnvironment()): ConnectionPool {
  const { server: target, credentials, proxyUrl, tlsServerName, skipTlsVerify } = access
  const transport = new NodeTransport({ credentials, proxyUrl, tlsServerName, skipTlsVerify })
  const pool = new ConnectionPool({ target, transport, environment, credentials })
  pools.push(pool)
  return pool
}

async function over(received: SentRequest): Promise<SentRequest> {
  await until(() => expect(received.log.some(line => /^(end|error)/.test(line))).toBe(true))
  return received
}

describe('an access', () => {
  it('X7: a token file that changes is picked up by the first 401, and the request is repeated', async () => {
    let valid = 'Bearer one'
    const seen: string[] = []
    const url = await serve((request, reply) => {
      seen.push(`${request.headers.authorization}`)
      reply.head(request.headers.authorization === valid ? 200 : 401, {})
      reply.end()
    })
    const tokenFile = await at.write('token', 'one')
    const pool = opened(fromUrl(url, { tokenFile, ca: authority.caPem, clock: new StillClock() }))
    expect((await over(send(pool, 'call', '/a'))).log).toEqual(['head 200', 'end'])
    valid = 'Bearer two'
    await at.write('token', 'two')
    const received = Array.from({ length: 10 }, (_, i) => send(pool, i % 2 === 0 ? 'write' : 'call', `/${i}`))
    for (const one of received) expect((await over(one)).log).toEqual(['head 200', 'end'])
    expect(seen.filter(token => token === 'Bearer two')).toHaveLength(10)
  })

  it('X7: new connections show a reissued client certificate', async () => {
    const seen: string[] = []
    const url = await serve(
      (request, reply) => {
        seen.push(`${request.peer.certificate?.commonName}`)
        reply.head(200, {})
        reply.end()
      },
      { clientCa: authority.caPem },
    )
    const issue = async (commonName: string): Promise<void> => {
      const { certPem, keyPem } = authority.issueClient({ commonName })
      await at.write('cert', certPem)
      await at.write('key', keyPem)
    }
    await issue('alice')
    const config: KubeConfigLike = {
      getCurrentContext: () => 'c',
      getContextObject: () => null,
      getCurrentCluster: () => ({
        name: 'c',
        server: url.href,
        caData: Buffer.from(authority.caPem).toString('base64'),
      }),
      getCurrentUser: () => ({ name: 'u', certFile: `${at.directory}/cert`, keyFile: `${at.directory}/key` }),
      applyToHTTPSOptions: () => Promise.resolve(),
    }
    const clock = new StillClock()
    const pool = opened(fromKubeConfig(config, { clock }))
    await over(send(pool, 'call', '/a'))
    await issue('bob')
    clock.advance(60_000)
    await over(send(pool, 'call', '/b'))
    await over(send(pool, 'call', '/c'))
    expect(seen).toEqual(['alice', 'bob', 'bob'])
    expect(front?.accepted()).toBe(2)
  })

  it('X9: a certificate that was renewed before its key is an error that ends nothing, and is taken once the key is there', async () => {
    const url = await serve(
      (_, reply) => {
        reply.head(200, {})
        reply.end()
      },
      { clientCa: authority.caPem },
    )
    const [old, renewed] = ['old', 'renewed'].map(commonName => authority.issueClient({ commonName }))
    await at.write('cert', `${renewed?.certPem}`)
    await at.write('key', `${old?.keyPem}`)
    const config: KubeConfigLike = {
      getCurrentContext: () => 'c',
      getContextObject: () => null,
      getCurrentCluster: () => ({
        name: 'c',
        server: url.href,
        caData: Buffer.from(authority.caPem).toString('base64'),
      }),
      getCurrentUser: () => ({ name: 'u', certFile: `${at.directory}/cert`, keyFile: `${at.directory}/key` }),
      applyToHTTPSOptions: () => Promise.resolve(),
    }
    const access = fromKubeConfig(config, { clock: new StillClock() })
    const pool = opened(access)
    const refused = await over(send(pool, 'call', '/a'))
    expect(refused.log).toEqual(['error CONNECT_FAILED'])
    expect(refused.errors[0]).toMatchObject({ cause: { code: 'TLS_MATERIAL_INVALID' } })
    expect(inspect(refused.errors, { depth: 9, showHidden: true })).not.toContain('BEGIN')
    // Nobody was dialled: a socket that nobody listens to would end the process, or stay.
    expect(front?.accepted()).toBe(0)
    await at.write('key', `${renewed?.keyPem}`)
    expect((await over(send(pool, 'call', '/b'))).log).toEqual(['head 200', 'end'])
  })

  it('X9: bad TLS material and a server that nobody runs are an error, and no uncaught one', async () => {
    const access = fromUrl('https://127.0.0.1:1', { cert: 'no PEM', key: 'no PEM', token: secret })
    const refused = await over(send(opened(access), 'call', '/a'))
    expect(refused.errors[0]).toMatchObject({ code: 'CONNECT_FAILED', cause: { code: 'TLS_MATERIAL_INVALID' } })
  })

  it('X6: an authority that is no PEM, such as a path, is an error that says so', async () => {
    const refused = await over(send(opened(fromUrl('https://127.0.0.1:1', { ca: '/etc/ca.crt' })), 'call', '/a'))
    const message = "the certificate authority can't be used: it is no PEM (pass the file's content, not its path)"
    expect(refused.errors[0]).toMatchObject({ cause: { code: 'TLS_MATERIAL_INVALID', message } })
  })

  it('X2: one that skips verification takes any certificate', async () => {
    const url = await serve((_, reply) => {
      reply.head(200, {})
      reply.end()
    })
    const pool = opened({ ...fromUrl(url, { token: secret }), skipTlsVerify: true })
    expect((await over(send(pool, 'call', '/a'))).log).toEqual(['head 200', 'end'])
  })

  it('X3: no token is in any error, warning, log line or metric, however requests fail', async () => {
    let n = 0
    const url = await serve((request, reply) => {
      n += 1
      if (request.path === '/rst') reply.rst()
      else if (request.path === '/destroy') request.peer.destroy()
      else if (request.path === '/hang') return
      else {
        reply.head(401, { 'x-long': n > 2 ? 'x'.repeat(300_000) : '' })
        reply.end()
      }
    })
    const { environment, all } = listener()
    const good = fromUrl(url, { token: secret, ca: authority.caPem })
    const tokenFile = await at.write('token', secret)
    const accesses: ClusterAccess[] = [
      good,
      fromUrl(url, { token: secret }), // an authority that is not known
      fromUrl('https://127.0.0.1:1', { token: secret }), // nobody listens
      fromUrl(url, { tokenFile, key: secret, cert: secret }), // no PEM
      { ...good, proxyUrl: `http://user:${secret}@127.0.0.1:1` },
      { ...good, server: new URL('http://10.0.0.1') },
    ]
    const errors: Error[] = []
    for (const access of accesses) {
      const pool = opened(access, environment)
      const sent = ['/rst', '/destroy', '/401', '/hang'].map(path => send(pool, 'call', path))
      for (const received of sent.slice(0, 3)) await over(received)
      await pool.close()
      errors.push(...sent.flatMap(received => received.errors))
    }
    for (const proxyUrl of [`socks5://user:${secret}@127.0.0.1:1`, `no URL ${secret}`, `${secret}:x@127.0.0.1:1`]) {
      try {
        opened({ ...good, proxyUrl }, environment)
      } catch (error) {
        errors.push(error as Error)
      }
    }
    expect(errors.length).toBeGreaterThan(20)
    const text = inspect([errors, all, pools], { depth: 20, showHidden: true, maxArrayLength: null })
    expect(text).toContain('CONNECTION_LOST')
    expect(text).not.toContain(secret)
    expect(text).not.toContain(Buffer.from(`user:${secret}`).toString('base64'))
    expect(JSON.stringify([errors, all, errors.map(error => [error.message, error.stack])])).not.toContain(secret)
  })
})
