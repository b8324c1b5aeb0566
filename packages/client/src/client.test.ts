import { readFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startApiServer } from '@wherry/testing'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { Client, type ClientOptions, type ClientSettings } from './client.ts'
import { fromUrl } from './credentials/access.ts'
import { configMaps, namespaces } from './resources/core.ts'
import { inMemory } from './verbs/bench.fixture.ts'
import { version } from './version.ts'

afterEach(() => {
  vi.unstubAllEnvs()
})

describe('Client', () => {
  it('does nothing until it is called, and its close is idempotent', async () => {
    let connects = 0
    const transport = {
      connect: () => {
        connects += 1
        return Promise.reject(new Error('no'))
      },
    }
    const client = new Client({ url: 'https://example.invalid', transport })
    expect([connects, client.connections, client.namespace]).toEqual([0, 0, undefined])
    await client.close()
    await client.close()
    await client[Symbol.asyncDispose]()
    await expect(client.get(namespaces, { name: 'a' })).rejects.toMatchObject({ code: 'CLIENT_CLOSED' })
    await expect(client.watch(namespaces).next()).rejects.toMatchObject({ code: 'CLIENT_CLOSED' })
    expect(connects).toBe(0)
  })

  it('connects by what KUBECONFIG says, over TLS, and knows the context’s namespace', async () => {
    const server = await startApiServer()
    const folder = await mkdtemp(join(tmpdir(), 'client-'))
    const path = join(folder, 'config')
    await server.writeKubeconfig(path)
    vi.stubEnv('KUBECONFIG', path)
    const client = await Client.connect({ fieldManager: 'me' })
    expect(client.namespace).toBe('default')
    expect(await client.get(namespaces, { name: 'default' })).toMatchObject({ kind: 'Namespace' })
    expect(client.connections).toBe(1)
    await client.close()
    await server.close()
    await rm(folder, { recursive: true })
  })

  it('X2: does not take a certificate that nobody vouches for', async () => {
    const server = await startApiServer()
    const client = new Client({ url: server.url, token: server.token })
    await expect(client.get(namespaces, { name: 'default' })).rejects.toMatchObject({ code: 'CONNECT_FAILED' })
    await client.close()
    await server.close()
  })

  it('X2: skips that only where the kubeconfig says so, and warns once', async () => {
    const server = await startApiServer()
    const warnings: string[] = []
    const access = { ...fromUrl(server.url, { token: server.token }), skipTlsVerify: true }
    const client = new Client({ access, environment: { onWarning: message => void warnings.push(message) } })
    for (let i = 0; i < 3; i++) expect(await client.get(namespaces, { name: 'default' })).toBeDefined()
    expect(warnings).toEqual(['the certificate of the API server is not verified'])
    await client.close()
    await server.close()
  })

  it('X2: a token is not sent in the clear to another machine', () => {
    const make = () => new Client({ url: 'http://apiserver.example', token: 't' })
    expect(make).toThrow(expect.objectContaining({ code: 'INSECURE_TOKEN' }))
  })

  it.each<[string, Record<string, unknown>]>([
    ['no target', {}],
    ['no URL', { url: 'apiserver' }],
    ['another scheme', { url: 'ftp://x' }],
    ['a login in the URL', { url: 'https://a:b@x' }],
    ['both access and url', { url: 'https://x', access: fromUrl('https://x') }],
    ['both access and token', { token: 't', access: fromUrl('https://x') }],
    ['access that is none', { access: { server: 'https://x' } }],
    ['an unknown option', { url: 'https://x', retries: 1 }],
    ['a timeout that is none', { url: 'https://x', timeoutMs: 0 }],
    ['half a clock', { url: 'https://x', environment: { clock: { now() {} } } }],
    ['a listener that is none', { url: 'https://x', environment: { onError: 1 } }],
    ['half of the metrics', { url: 'https://x', environment: { metrics: {} } }],
    ['a transport that is none', { url: 'https://x', transport: {} }],
    ['a user agent of two lines', { url: 'https://x', userAgent: 'a\nb' }],
    ['a user agent that no header takes', { url: 'https://x', userAgent: 'a\u540d' }],
    ['a token of two lines', { url: 'https://x', token: 'a\nb' }],
    ['a token that no header takes', { url: 'https://x', token: '\u0161' }],
    ['impersonation of nobody', { url: 'https://x', impersonate: { groups: ['g'] } }],
    ['impersonation with an unknown field', { url: 'https://x', impersonate: { user: 'u', group: 'g' } }],
    ['impersonated groups that are no list', { url: 'https://x', impersonate: { user: 'u', groups: 'g' } }],
    ['an impersonated group of no name', { url: 'https://x', impersonate: { user: 'u', groups: [''] } }],
    ['impersonated extra that is no list', { url: 'https://x', impersonate: { user: 'u', extra: { a: 'b' } } }],
    ['impersonated extra of two lines', { url: 'https://x', impersonate: { user: 'u', extra: { a: ['b\nc'] } } }],
    ['impersonated extra twice', { url: 'https://x', impersonate: { user: 'u', extra: { a: ['b'], A: ['c'] } } }],
    ['idleMs below 0', { url: 'https://x', idleMs: -1 }],
  ])('X6: refuses %s', (_, options) => {
    expect(() => new Client(options as unknown as ClientOptions)).toThrow(
      expect.objectContaining({ code: 'INVALID_OPTION' }),
    )
  })

  it('X6: refuses options before it looks for a cluster', async () => {
    vi.stubEnv('KUBECONFIG', '/there/is/no/such/file')
    const settings = { kubeconfig: 'f' } as ClientSettings
    const refused = { code: 'INVALID_OPTION', option: 'client.kubeconfig' }
    await expect(Client.connect(settings)).rejects.toMatchObject(refused)
  })

  it.each(['access', 'url', 'token', 'tokenFile', 'ca', 'cert', 'key', 'proxyUrl', 'tlsServerName'])(
    'X6: connect refuses %s, which it would not use',
    async name => {
      vi.stubEnv('KUBECONFIG', '/there/is/no/such/file')
      const connected = Client.connect({ [name]: name === 'access' ? {} : 'https://x' } as ClientSettings)
      await expect(connected).rejects.toThrow(
        `client.${name} is not for connect, which takes the cluster of KUBECONFIG`,
      )
      await expect(Client.connect({ [name]: undefined } as ClientSettings)).rejects.toThrow(
        "can't be read as a kubeconfig",
      )
    },
  )

  it('measures requests under client-go’s names', async () => {
    const bench = await inMemory()
    const key = { name: 'none', namespace: 'default' }
    await bench.run(() => bench.client.get(configMaps, key))
    const host = new URL(bench.server.url).host
    expect(bench.environment.metric('rest_client_requests_total', { method: 'GET', host, code: '404' })).toBe(1)
    await bench.close()
  })

  it('has the version of its package.json', () => {
    const text = readFileSync(new URL('../package.json', import.meta.url), 'utf8')
    expect(JSON.parse(text)).toMatchObject({ version })
  })
})
