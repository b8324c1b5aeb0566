import { setImmediate as turn } from 'node:timers/promises'
import { rootCertificates } from 'node:tls'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { TestProxy } from '../testkit/proxy.ts'
import { RealRegistry, registryBinary } from '../testkit/real-registry.ts'
import { push, type TestRegistry } from '../testkit/registry.ts'
import { type Authentication, StandInRegistry } from '../testkit/stand-in-registry.ts'
import { authoritiesOf } from './authorities.ts'
import { challengeOf } from './challenge.ts'
import { credentialsIn } from './credentials.ts'
import { imageReference } from './reference.ts'
import { Repository } from './repository.ts'
import { type RegistryOptions, RegistryRequests } from './requests.ts'
import { digestOf } from './verified.ts'

const binary = await registryBinary()
const mediaType = 'application/vnd.example.test'
const maxBytes = 1 << 20
const content = Buffer.alloc(300_000, 'content ')

const opened: Repository[] = []
function open(registry: TestRegistry, options: RegistryOptions = {}): Repository {
  const { host, ca, credentials } = registry
  const repository = new Repository({ host, repository: 'catalogs/community' }, { ca, credentials, ...options })
  opened.push(repository)
  return repository
}
const put = (registry: TestRegistry, of: Buffer = content, tag = 'latest') =>
  push(registry, 'catalogs/community', { content: of, mediaType, tag })

const closeAll = (): Promise<unknown> => Promise.all(opened.splice(0).map(one => one.close()))
afterEach(closeAll)

const kinds: [string, () => Promise<TestRegistry>][] = [
  ...(['none', 'basic', 'bearer'] as Authentication[]).map((kind): (typeof kinds)[number] => [
    `the stand-in, ${kind}`,
    () => StandInRegistry.start(kind),
  ]),
  ...(binary === undefined ? [] : [['the real registry', () => RealRegistry.start(binary)] as (typeof kinds)[number]]),
]

describe.each(kinds)('%s', (name, start) => {
  let registry: TestRegistry
  beforeEach(async () => {
    registry = await start()
  })
  afterEach(() => registry.close())

  it('gives the digest of a tag, and what it stands for', async () => {
    const { manifest: digest } = await put(registry)
    const repository = open(registry)
    expect(await repository.resolve('latest')).toBe(digest)
    expect(digestOf(await repository.fetch({ digest, mediaType, maxBytes }))).toBe(digestOf(content))
    const { manifest: next } = await put(registry, Buffer.from('next'))
    expect(await repository.resolve('latest')).toBe(next)
    expect(digestOf(await repository.fetch({ digest, mediaType, maxBytes }))).toBe(digestOf(content))
  })

  it('has an empty blob, too', async () => {
    const { manifest: digest } = await put(registry, Buffer.alloc(0))
    expect(await open(registry).fetch({ digest, mediaType, maxBytes })).toHaveLength(0)
  })

  it('refuses a blob that has changed, or was cut', async () => {
    const { manifest: digest, blob } = await put(registry)
    const repository = open(registry)
    await registry.corrupt(blob, bytes => Buffer.concat([bytes.subarray(1), Buffer.from('x')]))
    await expect(repository.fetch({ digest, mediaType, maxBytes })).rejects.toMatchObject({ reason: 'WrongDigest' })
    await registry.corrupt(blob, bytes => bytes.subarray(0, 1000))
    await expect(repository.fetch({ digest, mediaType, maxBytes })).rejects.toMatchObject({ code: 'REGISTRY' })
  })

  it('refuses blobs that are larger than allowed, also if the manifest says otherwise', async () => {
    const { manifest: digest, blob } = await put(registry)
    const repository = open(registry)
    const tooLarge = { reason: 'TooLarge' }
    await expect(repository.fetch({ digest, mediaType, maxBytes: 1000 })).rejects.toMatchObject(tooLarge)
    await registry.corrupt(blob, bytes => Buffer.concat([bytes, Buffer.alloc(2 * maxBytes)]))
    await expect(repository.fetch({ digest, mediaType, maxBytes })).rejects.toMatchObject(tooLarge)
  })

  it('names a blob that is not there, or has another type', async () => {
    const { manifest: digest } = await put(registry)
    const repository = open(registry)
    await expect(repository.resolve('nonsense')).rejects.toMatchObject({ reason: 'NotFound' })
    const missing = { digest: digestOf('nonsense'), mediaType, maxBytes }
    await expect(repository.fetch(missing)).rejects.toMatchObject({ reason: 'NotFound' })
    const invalid = { reason: 'InvalidManifest' }
    await expect(repository.fetch({ digest, mediaType: 'text/html', maxBytes })).rejects.toMatchObject(invalid)
  })

  it('says that it is gone, and is found when it is back', async () => {
    const { manifest } = await put(registry)
    const repository = open(registry)
    expect(await repository.resolve('latest')).toBe(manifest)
    await registry.stop()
    await expect(repository.resolve('latest')).rejects.toMatchObject({ reason: 'RegistryUnavailable' })
    await registry.start()
    expect(await repository.resolve('latest')).toBe(manifest)
  })

  it('is not believed without its CA', async () => {
    await put(registry)
    const repository = open(registry, { ca: undefined })
    await expect(repository.resolve('latest')).rejects.toThrow('self-signed certificate')
  })

  it('is reached through a proxy', async () => {
    const { manifest } = await put(registry)
    const proxy = await TestProxy.start()
    const repository = open(registry, { proxy: proxy.url })
    expect(await repository.resolve('latest')).toBe(manifest)
    expect(proxy.targets).toContain(registry.host)
    await closeAll()
    await proxy.close()
  })

  it.each([
    ['its own host', (host: string) => `other.example.com,${host}`, []],
    ['a network that has its host', () => '10.0.0.0/8,127.0.0.0/8', []],
    ['another host', () => '.example.com', ['proxied']],
    ['another network', () => '10.0.0.0/8', ['proxied']],
    ['all hosts', () => '*', []],
  ])('with %s in noProxy, is reached past the proxy or through it', async (_, noProxy, proxied) => {
    const { manifest } = await put(registry)
    const proxy = await TestProxy.start()
    const repository = open(registry, { proxy: proxy.url, noProxy: noProxy(registry.host) })
    expect(await repository.resolve('latest')).toBe(manifest)
    expect([...new Set(proxy.targets)]).toEqual(proxied.map(() => registry.host))
    await closeAll()
    await proxy.close()
  })

  it('takes a pushed image, by its tag and by its digest', async () => {
    const repository = open(registry)
    const tagged = await repository.push({ content, mediaType, tag: 'pushed' })
    const untagged = await repository.push({ content: Buffer.from('x'), mediaType })
    expect(await repository.resolve('pushed')).toBe(tagged)
    expect(await repository.fetch({ digest: tagged, mediaType, maxBytes })).toEqual(content)
    expect(`${await repository.fetch({ digest: untagged, mediaType, maxBytes })}`).toBe('x')
  })

  if (!name.endsWith('none')) {
    it('lets nobody in without the right password', async () => {
      await put(registry)
      const refused = { reason: 'Unauthorized' }
      await expect(open(registry, { credentials: undefined }).resolve('latest')).rejects.toMatchObject(refused)
      const credentials = { username: 'puller', password: 'wrong' }
      await expect(open(registry, { credentials }).resolve('latest')).rejects.toMatchObject(refused)
      await expect(open(registry, { credentials }).push({ content, mediaType })).rejects.toMatchObject(refused)
    })
  }
})

it('a poll keeps the connection, and takes no more than 1 KiB', async () => {
  const [registry, proxy] = [await StandInRegistry.start('none'), await TestProxy.start()]
  try {
    await put(registry)
    const repository = open(registry, { proxy: proxy.url })
    await repository.resolve('latest')
    await turn()
    const before = proxy.bytes
    await repository.resolve('latest')
    expect(proxy.targets).toEqual([registry.host])
    expect(proxy.bytes - before).toBeLessThan(1024)
  } finally {
    await closeAll()
    await proxy.close()
    await registry.close()
  }
})

describe('tokens', () => {
  let registry: StandInRegistry
  beforeEach(async () => {
    registry = await StandInRegistry.start('bearer')
  })
  afterEach(() => registry.close())

  it('are asked for once, and again when they are refused', async () => {
    const { manifest: digest } = await put(registry)
    const repository = open(registry)
    registry.requests.length = 0 // those of the push
    const tokens = (): number => registry.requests.filter(one => one === 'GET /token').length
    for (let i = 0; i < 3; i++) await repository.resolve('latest')
    expect(tokens()).toBe(1)
    registry.revoke()
    expect(digestOf(await repository.fetch({ digest, mediaType, maxBytes }))).toBe(digestOf(content))
    expect(tokens()).toBe(2)
  })

  it.each([
    ['no JSON', 'hunter2'],
    ['no token', '{"token":7}'],
    ['null', 'null'],
    ['more than 64 KiB', JSON.stringify({ token: 'x'.repeat(1 << 20) })],
  ])('are bounded, and are not quoted: %s', async (_, answer) => {
    await put(registry)
    registry.tokenAnswer = Buffer.from(answer)
    const reported = { reason: 'Unauthorized', message: `the registry ${registry.host} gives no token` }
    await expect(open(registry).resolve('latest')).rejects.toMatchObject(reported)
  })

  it.each(['token', 'https://', 'https://a b/token'])('that are to be had at %j are named as no URL', async realm => {
    await put(registry)
    registry.realm = realm
    const message = `the registry ${registry.host} asks for a token of "${realm}", which is no URL`
    await expect(open(registry).resolve('latest')).rejects.toMatchObject({ reason: 'InvalidUrl', message })
  })

  it('are not sent to a storage elsewhere', async () => {
    const { manifest: digest } = await put(registry)
    const storage = await StandInRegistry.start('none')
    await put(storage)
    const reported: (string | undefined)[] = []
    storage.onAuthorization = value => reported.push(value)
    registry.redirectBlobsTo = `https://${storage.host}`
    const repository = open(registry, { ca: `${registry.ca}\n${storage.ca}` })
    try {
      expect(digestOf(await repository.fetch({ digest, mediaType, maxBytes }))).toBe(digestOf(content))
      expect(reported).toEqual([undefined])
      registry.redirectBlobsTo = `http://${storage.host}`
      await expect(repository.fetch({ digest, mediaType, maxBytes })).rejects.toThrow('leads to http://')
    } finally {
      await storage.close()
    }
  })
})

it('a proxy and a registry that are no URLs are named', async () => {
  const invalid = (text: string) => ({ reason: 'InvalidUrl', message: expect.stringContaining(text) })
  const of = { host: '127.0.0.1:99999', repository: 'catalogs/community' }
  expect(() => new Repository(of, { proxy: 'http://' })).toThrow(
    expect.objectContaining(invalid('the proxy is "http://", which is no URL')),
  )
  const repository = new Repository(of)
  opened.push(repository)
  const reported = invalid('the image is at "https://127.0.0.1:99999/v2/')
  await expect(repository.resolve('latest')).rejects.toMatchObject(reported)
})

it('a redirect to an invalid URL is named', async () => {
  const registry = await StandInRegistry.start('none')
  try {
    const { manifest: digest } = await put(registry)
    registry.redirectBlobsTo = 'https://[half'
    const fetched = open(registry).fetch({ digest, mediaType, maxBytes })
    const message = expect.stringMatching(/^the registry .* leads to "https:\/\/\[half\/v2\/.*", which is no URL$/)
    await expect(fetched).rejects.toMatchObject({ reason: 'InvalidUrl', message })
  } finally {
    await closeAll()
    await registry.close()
  }
})

it.each([
  ['example.com/a/b:v1', { host: 'example.com', repository: 'a/b', reference: 'v1' }],
  ['127.0.0.1:5000/a', { host: '127.0.0.1:5000', repository: 'a', reference: 'latest' }],
  [`localhost/a:v1@${digestOf('')}`, { host: 'localhost', repository: 'a', reference: digestOf('') }],
])('%s is an image reference', (text, expected) => expect(imageReference(text)).toEqual(expected))

it.each(['a/b', 'example.com', 'example.com/A', 'example.com/a@sha256:1', 'https://example.com/a', 'example.com/../a'])(
  '%s is no image reference',
  text => expect(() => imageReference(text)).toThrow(`${text} is no image reference`),
)

const at = (host: string, repository = 'catalogs/community') => ({ host, repository })

it('of a pull secret, the longest key that fits a repository names its user', () => {
  const keys = [
    'a.example',
    'a.example/catalogs',
    'https://a.example/catalogs/community',
    'a.example/cat',
    'b.example/x',
  ]
  const config = JSON.stringify({ auths: Object.fromEntries(keys.map(key => [key, { username: key }])) })
  const user = (host: string, repository: string) => credentialsIn(config, { host, repository })?.username
  expect(user('a.example', 'catalogs/community')).toBe('https://a.example/catalogs/community')
  expect(user('a.example', 'catalogs/other/one')).toBe('a.example/catalogs')
  expect(user('a.example', 'catalogs-of-others')).toBe('a.example')
  expect(user('b.example', 'y')).toBeUndefined()
})

it('Docker Hub is asked at its registry, and as the user of docker login', () => {
  for (const text of ['docker.io/org/x:1', 'index.docker.io/org/x:1', 'registry-1.docker.io/org/x:1']) {
    const image = imageReference(text)
    expect(image).toEqual({ host: 'docker.io', repository: 'org/x', reference: '1' })
    expect(new RegistryRequests(image.host).url('org/x').href).toBe('https://registry-1.docker.io/v2/org/x')
    for (const key of ['https://index.docker.io/v1/', 'docker.io', 'index.docker.io/v1/']) {
      const config = JSON.stringify({ auths: { [key]: { username: 'me' } } })
      expect(credentialsIn(config, image)?.username).toBe('me')
      expect(credentialsIn(config, { host: 'quay.io', repository: 'org/x' })).toBeUndefined()
    }
  }
  expect(imageReference('docker.io/alpine').repository).toBe('library/alpine')
})

it('certificates of a CA that are not parted by a line break are all trusted, and none is an error', () => {
  const [a = '', b = ''] = rootCertificates.map(one => one.trim())
  expect(authoritiesOf(a + b)).toEqual([a, b])
  expect(authoritiesOf(`# one\n${a}\n${b}\n`)).toEqual([a, b])
  for (const ca of ['', 'x', a.slice(0, 200), '-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----'])
    expect(() => new RegistryRequests('a.example', { ca })).toThrow(
      expect.objectContaining({ reason: 'InvalidCaBundle' }),
    )
})

it('challenges and pull secrets are read', () => {
  expect(challengeOf('Bearer realm="https://a/t",service="b",scope="repository:c:pull,push"')).toEqual({
    scheme: 'bearer',
    realm: 'https://a/t',
    parameters: { service: 'b', scope: 'repository:c:pull,push' },
  })
  expect(challengeOf('Negotiate')).toBeUndefined()
  const auth = Buffer.from('user:a:b').toString('base64')
  const config = JSON.stringify({ auths: { 'a.example': { auth }, 'b.example': { username: 'u', password: 'p' } } })
  expect(credentialsIn(config, at('a.example'))).toEqual({ username: 'user', password: 'a:b' })
  expect(credentialsIn(config, at('b.example'))).toEqual({ username: 'u', password: 'p' })
  expect(credentialsIn(config, at('c.example'))).toBeUndefined()
})

it.each(['{"auths":{"a.example":{"password":"hunter2"', '"hunter2"', 'null', 'hunter2'])(
  'a pull secret that can’t be read is not quoted: %s',
  config => {
    const error = (() => {
      try {
        return credentialsIn(config, at('a.example'))
      } catch (thrown) {
        return thrown
      }
    })()
    expect(error).toMatchObject({ reason: 'InvalidPullSecret', message: 'the pull secret is no Docker configuration' })
    expect((error as Error).cause).toBeUndefined()
  },
)

it.each(['{}', '{"auths":null}', '{"auths":{"a.example":null}}'])('the pull secret %s names no user', config =>
  expect(credentialsIn(config, at('a.example'))).toBeUndefined(),
)
