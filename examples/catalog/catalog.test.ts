import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { clusterServiceVersions } from '@wherry/data'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { bundleType, Catalog, type CatalogOptions, indexType, type RegistryAccess } from './catalog.ts'
import { untilNextPoll } from './catalog-source.ts'
import { CatalogIndex } from './index/catalog-index.ts'
import { add } from './index/edit.ts'
import type { Metadata } from './index/release.ts'
import { IndexFile } from './index-file.ts'
import { Catalogs } from './operator.ts'
import { imageReference } from './registry/reference.ts'
import { type Image, Repository } from './registry/repository.ts'
import { digestOf } from './registry/verified.ts'
import { dockerConfigOf, push, pushImage } from './testkit/registry.ts'
import { releaseOf } from './testkit/releases.ts'
import { StandInRegistry } from './testkit/stand-in-registry.ts'

const [base] = clusterServiceVersions({ count: 1, managedFields: false }) as Iterable<unknown> as [Metadata]
const repository = 'catalogs/community'
const stable = { package: 'etcd', name: 'stable' }

let registry: StandInRegistry
let catalog: Catalog
let index: CatalogIndex

beforeEach(async () => {
  registry = await StandInRegistry.start('basic')
  catalog = new Catalog()
  index = new CatalogIndex()
})
afterEach(async () => {
  await catalog.close()
  await registry.close()
})

function configure({ options = {}, to = repository }: { options?: RegistryAccess; to?: string } = {}): void {
  const { ca } = registry
  catalog.configure(imageReference(`${registry.host}/${to}:latest`), {
    ca,
    dockerConfig: dockerConfigOf(registry),
    ...options,
  })
}

const publish = (content: Buffer = index.toBytes(), to = repository) =>
  push(registry, to, { content, mediaType: indexType, tag: 'latest' })

/** A release with a bundle of so many bytes. Gives the digest of its blob. */
async function release(minor: number, bytes = 1000): Promise<string> {
  const content = Buffer.alloc(bytes, `${minor} `)
  const { manifest: digest, blob } = await push(registry, repository, { content, mediaType: bundleType })
  index = add(index, stable, { metadata: releaseOf(base, 'etcd', minor), digest })
  return blob
}

/** The only layer of a bundle. */
const layerOf = (bundle: Image | undefined): Buffer | undefined => bundle?.layers.values().next().value
const bundle = async (name: string) => layerOf(await catalog.bundle('etcd', name))

/** How often blobs and manifests were fetched since the last call. */
const fetched = (): number => registry.requests.splice(0).filter(one => one.startsWith('GET ')).length

async function restart(options: CatalogOptions): Promise<void> {
  await catalog.close()
  catalog = new Catalog(options)
}

describe('the index', () => {
  it('is not fetched again while the image has it: a poll is one HEAD request', async () => {
    await release(0)
    await publish()
    configure()
    expect(await catalog.poll()).toBe(true)
    registry.requests.length = 0
    expect(await catalog.poll()).toBe(false)
    expect(registry.requests).toEqual([`HEAD /v2/${repository}/manifests/latest`])
  })

  const failures: [string, string, () => Promise<unknown>][] = [
    ['half an index', 'INVALID_INDEX', () => publish(index.toBytes().subarray(0, 3000))],
    ['an index of another format', 'UNSUPPORTED_FORMAT', () => publish(Buffer.from('{"format":"other/v9"}\n'))],
    [
      'a corrupt blob',
      'WrongDigest',
      async () => registry.corrupt((await publishNext()).blob, one => one.fill(0, 9, 10)),
    ],
    [
      'a blob that was cut',
      'WrongDigest',
      async () => registry.corrupt((await publishNext()).blob, one => one.subarray(9)),
    ],
    ['a registry that is gone', 'RegistryUnavailable', () => registry.stop()],
    [
      'a password that is good no more',
      'Unauthorized',
      async () => {
        registry.credentials = { username: 'puller', password: 'other' }
      },
    ],
    [
      'an image of another kind',
      'InvalidManifest',
      () => push(registry, repository, { content: Buffer.from('x'), mediaType: 'text/html', tag: 'latest' }),
    ],
  ]
  const publishNext = async () => {
    await release(1)
    return publish()
  }

  it.each(failures)('serves on after %s: %s', async (_, reason, fail) => {
    await release(0)
    const { manifest } = await publish()
    configure()
    await catalog.poll()
    const before = catalog.index
    await fail()
    const error = await catalog.poll().catch((error: unknown) => error)
    expect([(error as { reason?: string }).reason, (error as { code?: string }).code]).toContain(reason)
    expect(catalog.index).toBe(before)
    expect(catalog.digest).toBe(manifest)
  })

  it('that is larger than allowed is refused', async () => {
    await release(0)
    await publish()
    await restart({ maxIndexBytes: 1000 })
    configure()
    await expect(catalog.poll()).rejects.toMatchObject({ reason: 'TooLarge' })
    expect(catalog.index).toBeUndefined()
  })

  it('of another image takes over once it is read, and until then bundles come from the old one', async () => {
    await release(0)
    await publish()
    configure()
    await catalog.poll()
    configure({ to: 'catalogs/other' })
    await expect(catalog.poll()).rejects.toMatchObject({ reason: 'NotFound' })
    expect(await bundle('etcd.v1.0.0')).toHaveLength(1000)
    const { manifest } = await publish(new CatalogIndex().toBytes(), 'catalogs/other')
    expect(await catalog.poll()).toBe(true)
    expect(catalog.digest).toBe(manifest)
    expect(await bundle('etcd.v1.0.0')).toBeUndefined()
  })
})

describe('the file of the index', () => {
  let folder: string
  let path: string
  const reported: Error[] = []
  const again = (): Catalog => {
    catalog = new Catalog({}, new IndexFile(path, error => reported.push(error)))
    configure()
    return catalog
  }

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'wherry-catalog-'))
    path = join(folder, 'indexes', 'games_community')
    reported.length = 0
    await release(0)
    await publish()
    await again().poll()
    await catalog.close()
  })
  afterEach(() => rm(folder, { recursive: true }))

  it('serves after a restart without a registry, and is not fetched again once that is back', async () => {
    await registry.stop()
    await expect(again().poll()).rejects.toMatchObject({ reason: 'RegistryUnavailable' })
    expect(catalog.index).toEqual(index)
    await registry.start()
    registry.requests.length = 0
    expect(await catalog.poll()).toBe(false)
    expect(registry.requests.filter(one => one.startsWith('GET '))).toEqual([])
    expect((await bundle('etcd.v1.0.0'))?.length).toBe(1000)
    expect(reported).toEqual([])
  })

  it.each([
    ['has changed since', (text: string) => text.replace('etcd.v1.0.0', 'etcd.v1.0.1'), 1],
    ['was cut', (text: string) => text.slice(0, 200), 1],
    ['is empty', () => '', 1],
    ['is of another repository', (text: string) => text.replace('"catalogs/community"', '"catalogs/other"'), 0],
  ])('that %s is not served', async (_, change, errors) => {
    await writeFile(path, change(await readFile(path, 'utf8')))
    await registry.stop()
    await expect(again().poll()).rejects.toMatchObject({ reason: 'RegistryUnavailable' })
    expect(catalog.index).toBeUndefined()
    expect(reported).toHaveLength(errors)
  })

  it('that can not be written is reported, and the index serves all the same', async () => {
    await rm(path)
    await mkdir(join(path, 'x'), { recursive: true })
    expect(await again().poll()).toBe(true)
    expect(catalog.index).toEqual(index)
    expect(reported.map(({ message }) => message.split(':')[0])).toEqual(['EISDIR', expect.any(String)])
  })
})

describe('bundles', () => {
  it('are fetched when they are first asked for, once for all requests', async () => {
    await release(0)
    await publish()
    configure()
    await catalog.poll()
    fetched()
    const both = await Promise.all([bundle('etcd.v1.0.0'), bundle('etcd.v1.0.0')])
    expect(both[0]).toBe(both[1])
    expect(await bundle('etcd.v1.0.0')).toBe(both[0])
    // A manifest, which asks for the password first or not, and a blob.
    expect(fetched()).toBeLessThanOrEqual(3)
    expect(await bundle('nonsense')).toBeUndefined()
  })

  it('take no more memory than allowed', async () => {
    for (let minor = 0; minor < 5; minor++) await release(minor, 1000)
    await publish()
    await restart({ cacheBytes: 4500 })
    configure()
    await catalog.poll()
    for (let minor = 0; minor < 5; minor++) {
      expect(await bundle(`etcd.v1.${minor}.0`)).toHaveLength(1000)
      expect(catalog.cachedBytes).toBeLessThanOrEqual(4500)
    }
    fetched()
    await bundle('etcd.v1.4.0')
    expect(fetched()).toBe(0)
    await bundle('etcd.v1.0.0')
    expect(fetched()).toBe(2)
  })

  it('of one name in two packages are two', async () => {
    await release(0)
    const content = Buffer.from('of another package')
    const { manifest: digest } = await push(registry, repository, { content, mediaType: bundleType })
    index = add(index, { package: 'other', name: 'stable' }, { metadata: releaseOf(base, 'etcd', 0), digest })
    await publish()
    configure()
    await catalog.poll()
    expect(await bundle('etcd.v1.0.0')).toHaveLength(1000)
    expect(layerOf(await catalog.bundle('other', 'etcd.v1.0.0'))).toEqual(content)
    expect(digestOf((await catalog.bundle('other', 'etcd.v1.0.0'))?.manifest ?? '')).toBe(digest)
    expect(await catalog.bundle('none', 'etcd.v1.0.0')).toBeUndefined()
  })

  it('that are images of other repositories are fetched there, and sixteen of them are kept open', async () => {
    const layers = ['one', 'two', 'one'].map(text => Buffer.from(text))
    const at = (i: number): string => `others/bundle-${i}`
    for (let i = 0; i < 20; i++) {
      const { manifest: digest } = await pushImage(registry, at(i), { layers, as: 'oci', labels: { of: `${i}` } })
      const metadata = { metadata: { name: `b.v1.0.${i}` }, spec: { version: `1.0.${i}` } }
      index = add(index, { package: `b${i}`, name: 'stable' }, { metadata, digest, image: `${registry.host}/${at(i)}` })
    }
    await publish()
    configure()
    await catalog.poll()
    const closed = vi.spyOn(Repository.prototype, 'close')
    registry.requests.length = 0
    for (let i = 0; i < 20; i++) {
      const found = await catalog.bundle(`b${i}`, `b.v1.0.${i}`)
      expect([...(found?.layers.values() ?? [])].map(String)).toEqual(['one', 'two'])
      expect(digestOf(found?.manifest ?? '')).toBe(index.release(`b${i}`, `b.v1.0.${i}`)?.digest)
    }
    expect(registry.requests.filter(one => !one.startsWith('GET /v2/others/bundle-'))).toEqual([])
    expect(closed).toHaveBeenCalledTimes(4)
    await catalog.close()
    expect(closed).toHaveBeenCalledTimes(21)
    closed.mockRestore()
  })

  it('that are no images of layers are refused', async () => {
    const { manifest: digest } = await push(registry, repository, { content: Buffer.from('x'), mediaType: 'text/html' })
    index = add(index, stable, { metadata: releaseOf(base, 'etcd', 0), digest })
    await publish()
    configure()
    await catalog.poll()
    await expect(bundle('etcd.v1.0.0')).rejects.toThrow('has a layer of the type text/html')
  })

  it('that are corrupt are refused, and not kept', async () => {
    const blob = await release(0)
    await publish()
    configure()
    await catalog.poll()
    await registry.corrupt(blob, () => Buffer.from('x'))
    await expect(bundle('etcd.v1.0.0')).rejects.toMatchObject({ reason: 'WrongDigest' })
    await registry.corrupt(blob, () => Buffer.alloc(1000, '0 '))
    expect(await bundle('etcd.v1.0.0')).toHaveLength(1000)
  })

  it('that trickle end after their time, and are fetched again', async () => {
    await release(0)
    await publish()
    await restart({ bundleTimeoutMs: 1000 })
    configure()
    await catalog.poll()
    registry.slow = 'body'
    await expect(bundle('etcd.v1.0.0')).rejects.toMatchObject({ reason: 'TooSlow' })
    registry.slow = undefined
    expect(await bundle('etcd.v1.0.0')).toHaveLength(1000)
  })

  it('that are being fetched come, whatever is configured meanwhile', async () => {
    await release(0)
    await publish()
    configure()
    await catalog.poll()
    registry.onAuthorization = () => configure({ options: { timeoutMs: 20_000 } })
    expect(await bundle('etcd.v1.0.0')).toHaveLength(1000)
  })

  it('are fetched with a rotated password', async () => {
    await release(0)
    await publish()
    configure()
    await catalog.poll()
    registry.credentials = { username: 'puller', password: 'rotated' }
    await expect(bundle('etcd.v1.0.0')).rejects.toMatchObject({ reason: 'Unauthorized' })
    configure()
    expect(await bundle('etcd.v1.0.0')).toHaveLength(1000)
  })
})

describe('a bundle that fails', () => {
  let catalogs: Catalogs
  let blob: string
  let sent: (key: { namespace: string; name: string }) => void
  const ask = async () =>
    layerOf(await catalogs.bundle({ namespace: 'games', name: 'community' }, 'etcd', 'etcd.v1.0.0'))

  beforeEach(async () => {
    catalogs = new Catalogs()
    sent = vi.spyOn(catalogs.bundles, 'send').mockImplementation(() => {})
    vi.spyOn(catalogs.bundles, 'connections', 'get').mockReturnValue(1)
    blob = await release(0)
    await publish()
    const { ca } = registry
    const served = catalogs.open('games/community')
    served.configure(imageReference(`${registry.host}/${repository}:latest`), {
      ca,
      dockerConfig: dockerConfigOf(registry),
    })
    await served.poll()
    await registry.corrupt(blob, () => Buffer.from('x'))
  })
  afterEach(() => catalogs.close())

  it('is reported once, and again when a bundle comes', async () => {
    for (let i = 0; i < 3; i++) await expect(ask()).rejects.toMatchObject({ reason: 'WrongDigest' })
    expect(sent).toHaveBeenCalledTimes(1)
    expect(catalogs.lastBundle('games/community')).toMatchObject({ failure: { reason: 'WrongDigest' } })
    await registry.corrupt(blob, () => Buffer.alloc(1000, '0 '))
    for (let i = 0; i < 2; i++) expect(await ask()).toHaveLength(1000)
    expect(sent).toHaveBeenCalledTimes(2)
    expect(catalogs.lastBundle('games/community')).toEqual({ failure: undefined })
  })

  it('is not reported once its catalog has gone', async () => {
    const asked = expect(ask()).rejects.toMatchObject({ reason: 'WrongDigest' })
    await catalogs.remove('games/community', () => {})
    await asked
    expect(sent).not.toHaveBeenCalled()
    expect(catalogs.lastBundle('games/community')).toBeUndefined()
  })
})

it('polls are at startingAt, and every interval before and after', () => {
  const startingAt = '2026-01-01T00:00:10Z'
  const next = (now: string) => untilNextPoll({ image: '', poll: { intervalMs: 60_000, startingAt } }, Date.parse(now))
  expect(next('2026-01-01T00:00:00Z')).toBe(10_000)
  expect(next('2026-01-01T00:00:10Z')).toBe(60_000)
  expect(next('2026-01-01T00:00:11Z')).toBe(59_000)
  expect(next('2025-12-31T23:59:09Z')).toBe(1000)
})
