import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gunzipSync, gzipSync, zstdCompressSync } from 'node:zlib'
import { loadData } from '@wherry/data'
import { seededRandom, shuffle } from '@wherry/testing'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { stringify } from 'yaml'
import { archiveOf } from '../../bundles/testkit/bundles.ts'
import { CatalogIndex, metadataBytes } from '../index/catalog-index.ts'
import { indexCommand } from '../index/command.ts'
import type { Metadata } from '../index/release.ts'
import { RealRegistry, registryBinary } from '../testkit/real-registry.ts'
import { dockerConfigOf, type ImageToPush, pushImage, type TestRegistry } from '../testkit/registry.ts'
import { StandInRegistry } from '../testkit/stand-in-registry.ts'
import { annotationsOf } from './annotations.ts'

const binary = await registryBinary()
const prefix = 'operators.operatorframework.io.bundle'

/** A layer of these files. */
async function layer(
  files: Readonly<Record<string, string>>,
  packed: 'tar' | 'gzip' | 'zstd' = 'gzip',
): Promise<Buffer> {
  const gzipped = await archiveOf(Object.entries(files))
  const tar = gunzipSync(gzipped)
  return packed === 'tar' ? tar : packed === 'gzip' ? gzipSync(tar) : zstdCompressSync(tar)
}

const annotations = (channels: string, of = 'etcd', more: object = {}): Record<string, string> => ({
  [`${prefix}.mediatype.v1`]: 'registry+v1',
  [`${prefix}.manifests.v1`]: 'manifests/',
  [`${prefix}.metadata.v1`]: 'metadata/',
  [`${prefix}.package.v1`]: of,
  [`${prefix}.channels.v1`]: channels,
  ...more,
})
const inFile = (of: object): Record<string, string> => ({ 'metadata/annotations.yaml': stringify({ annotations: of }) })

function csv(minor: number, of = 'etcd'): Metadata & { readonly kind: string } {
  const name = `${of}.v1.${minor}.0`
  const replaces = minor === 0 ? {} : { replaces: `${of}.v1.${minor - 1}.0` }
  return { kind: 'ClusterServiceVersion', metadata: { name }, spec: { version: `1.${minor}.0`, ...replaces } }
}
const manifests = (of: object): Record<string, string> => ({ 'manifests/operator.yaml': stringify(of) })

const kinds: [string, () => Promise<TestRegistry>][] = [
  ['the stand-in', () => StandInRegistry.start('bearer')],
  ...(binary === undefined ? [] : [['the real registry', () => RealRegistry.start(binary)] as (typeof kinds)[number]]),
]

describe.each(kinds)('add from an image, in %s', (_, start) => {
  let registry: TestRegistry
  let folder: string
  let file: string
  // One for all tests: each pushes what it reads, and none reads what another one has pushed.
  beforeAll(async () => {
    registry = await start()
  })
  afterAll(() => registry.close())
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'wherry-images-'))
    file = join(folder, 'index')
    await writeFile(join(folder, 'ca.pem'), registry.ca)
    await writeFile(join(folder, 'config.json'), dockerConfigOf(registry))
    await run('create', file)
  })
  afterEach(() => rm(folder, { recursive: true, force: true }))

  const run = (...args: string[]): Promise<void> =>
    indexCommand(args, { env: { DOCKER_CONFIG: folder, REGISTRY_CA: join(folder, 'ca.pem') }, write: () => {} })
  const index = async (): Promise<CatalogIndex> => CatalogIndex.parse(await readFile(file))
  const at = (name: string): string => `${registry.host}/${name}`

  it.each([
    ['docker, gzip', 'docker', 'gzip'],
    ['OCI, gzip', 'oci', 'gzip'],
    ['OCI, zstd', 'oci', 'zstd'],
    ['OCI, not compressed', 'oci', 'tar'],
  ] as const)('takes one of several layers: %s', async (_, as, packed) => {
    const depends = [{ type: 'olm.package', value: { packageName: 'certs', version: '>=1.0.0' } }]
    const more = { ...annotations('alpha,stable', 'etcd', { [`${prefix}.channel.default.v1`]: 'stable' }) }
    const layers = [
      // Upper layers replace, and remove, what lower ones have.
      await layer({ ...manifests(csv(9)), 'manifests/old.yaml': stringify(csv(8)), README: 'x' }, packed),
      await layer(inFile(annotations('old')), packed),
      await layer({ ...manifests(csv(1)), 'manifests/.wh.old.yaml': '' }, packed),
      await layer(
        {
          'metadata/.wh..wh..opq': '',
          ...inFile(more),
          'metadata/dependencies.yaml': stringify({ dependencies: depends }),
        },
        packed,
      ),
    ]
    const { manifest: digest } = await pushImage(registry, 'org/etcd-bundle', { layers, as, tag: 'v1.1.0' })
    await run('add', file, at('org/etcd-bundle:v1.1.0'))
    const found = await index()
    expect(found.channels.map(one => `${one.package}/${one.name}`)).toEqual(['etcd/alpha', 'etcd/stable'])
    expect(found.defaultChannel('etcd')).toBe('stable')
    const pointer = { name: 'etcd.v1.1.0', digest, image: at('org/etcd-bundle'), packages: { certs: '>=1.0.0' } }
    expect(found.release('etcd', 'etcd.v1.1.0')).toMatchObject(pointer)
    expect(JSON.parse(`${found.channel({ package: 'etcd', name: 'alpha' })?.metadata}`)).toEqual(csv(1))
  })

  it.each(['oci', 'docker'] as const)(
    'takes that of linux/amd64 where there is one for each platform: %s',
    async as => {
      const image = (minor: number): Promise<ImageToPush> =>
        Promise.all([layer(manifests(csv(minor)))]).then(layers => ({ layers, as, labels: annotations('stable') }))
      const none = { os: 'unknown', architecture: 'unknown' }
      const arm = { os: 'linux', architecture: 'arm64' }
      const amd = { os: 'linux', architecture: 'amd64' }
      const one = await pushImage(registry, 'org/a', { ...(await image(0)), platforms: [none, arm, amd], tag: 'v1' })
      const other = await pushImage(registry, 'org/b', { ...(await image(1)), platforms: [none, arm] })
      await run('add', file, at('org/a:v1'), at(`org/b@${other.index}`))
      expect((await index()).channel({ package: 'etcd', name: 'stable' })?.releases).toMatchObject([
        { name: 'etcd.v1.0.0', digest: one.manifest },
        { name: 'etcd.v1.1.0', digest: other.manifest },
      ])
      const empty = await pushImage(registry, 'org/c', { ...(await image(2)), platforms: [none] })
      await expect(run('add', file, at(`org/c@${empty.index}`))).rejects.toThrow('has no image')
    },
  )

  it('remove of the head reads the next one from its image, and needs none where the head stays', async () => {
    for (const minor of [0, 1, 2]) {
      const layers = [await layer(manifests(csv(minor, 'vault')))]
      const labels = annotations('stable', 'vault')
      await pushImage(registry, 'org/vault', { layers, as: 'oci', labels, tag: `v${minor}` })
    }
    await run('add', file, at('org/vault:v0'), at('org/vault:v1'))
    const before = await readFile(file)
    await run('add', file, at('org/vault:v2'))
    await run('remove', file, 'vault/stable', 'vault.v1.2.0')
    expect(await readFile(file)).toEqual(before)
    await run('remove', file, 'vault/stable', 'vault.v1.1.0')
    const channel = (await index()).channel({ package: 'vault', name: 'stable' })
    expect([channel?.head, JSON.parse(`${channel?.metadata}`)]).toEqual(['vault.v1.0.0', csv(0, 'vault')])
    await run('remove', file, 'vault/stable', 'vault.v1.0.0')
    expect((await index()).channels).toEqual([])
  })

  it('has a bundle under the name of another repository', async () => {
    const layers = [await layer(manifests(csv(0)))]
    const image = { layers, as: 'oci', labels: annotations('stable'), tag: 'v0' } as const
    const { manifest: digest } = await pushImage(registry, 'mirror/etcd', image)
    await run('add', file, at('mirror/etcd:v0'), '--as', 'registry.example.com/org/etcd')
    const pointer = { image: 'registry.example.com/org/etcd', digest }
    expect((await index()).release('etcd', 'etcd.v1.0.0')).toMatchObject(pointer)
  })

  it('--batch takes all real manifests in any order, or says of each image that it refuses why, and takes none', async () => {
    const { clusterServiceVersions } = loadData()
    const images: string[] = []
    for (const [i, object] of clusterServiceVersions.entries()) {
      const layers = [await layer(manifests(object)), await layer(inFile(annotations('stable', `package-${i}`)))]
      await pushImage(registry, `real/bundle-${i}`, { layers, as: i % 2 === 0 ? 'oci' : 'docker', tag: 'latest' })
      images.push(at(`real/bundle-${i}`))
    }
    for (const minor of [0, 1, 2, 3]) {
      const layers = [await layer(manifests(csv(minor)))]
      await pushImage(registry, 'org/etcd', { layers, as: 'oci', labels: annotations('stable'), tag: `v${minor}` })
      images.push(at(`org/etcd:v${minor}`))
    }
    const batch = join(folder, 'images')
    const before = await readFile(file)
    const broken = await pushImage(registry, 'org/broken', { layers: [Buffer.from('x')], as: 'docker', tag: 'v1' })
    await writeFile(batch, [...images, at('org/broken:v1'), at('org/none:v1'), 'no-registry/x'].join('\n'))
    const refused = await run('add', file, '--batch', batch).then(
      () => '',
      (error: Error) => error.message,
    )
    expect(refused.split('\n')).toEqual([
      expect.stringContaining(`${at('org/broken:v1')}: the bundle has a layer that is no tar`),
      expect.stringMatching(`^${at('org/none:v1')}: the registry .* answers 404`),
      expect.stringContaining('no-registry/x: no-registry/x is no image reference'),
    ])
    expect(broken.manifest).toContain('sha256:')
    expect(await readFile(file)).toEqual(before)

    const orders = [1, 2].map(seed => shuffle(seededRandom(seed), images))
    const results: Buffer[] = []
    for (const order of orders) {
      await writeFile(file, before)
      await writeFile(batch, `# all of them\n\n${order.join('\n')}\n`)
      await run('add', file, '--batch', batch)
      results.push(await readFile(file))
    }
    expect(results[0]).toEqual(results[1])
    const found = await index()
    expect(found.channels).toHaveLength(clusterServiceVersions.length + 1)
    expect(found.channel({ package: 'etcd', name: 'stable' })?.head).toBe('etcd.v1.3.0')
    for (const [i, object] of clusterServiceVersions.entries()) {
      const { head, metadata } = found.channel({ package: `package-${i}`, name: 'stable' }) ?? {}
      expect(head).toBe(object.metadata.name)
      expect(`${metadata}`).toBe(`${metadataBytes(JSON.parse(JSON.stringify(object)))}`)
    }
    await expect(run('add', file, '--batch', batch)).rejects.toThrow(/ is in .*\/stable already$/)
    await expect(run('prune', file, '--batch', batch)).rejects.toThrow('node index.ts create FILE')
  })

  it.each([
    [
      'two of one kind',
      { ...manifests(csv(0)), 'manifests/b.json': JSON.stringify(csv(1)) },
      'more than one ClusterServiceVersion',
    ],
    ['none', { 'manifests/a.yaml': 'kind: ConfigMap', 'docs/b.yaml': stringify(csv(0)) }, 'no ClusterServiceVersion'],
    ['YAML that is none', { 'manifests/a.yaml': 'kind: ClusterServiceVersion\na: [' }, 'manifests/a.yaml: '],
    [
      'one without a name',
      manifests({ kind: 'ClusterServiceVersion', spec: {} }),
      'manifests/operator.yaml is no ClusterServiceVersion',
    ],
    [
      'dependencies of another shape',
      { ...manifests(csv(0)), 'metadata/dependencies.yaml': 'dependencies: 1' },
      'has no list of dependencies',
    ],
    ['a path that goes up', { '../x': '' }, 'leaves the archive'],
  ])('refuses an image with manifests that have %s', async (_, files, message) => {
    const layers = [await layer(files)]
    await pushImage(registry, 'org/bad', { layers, as: 'oci', labels: annotations('stable'), tag: 'v1' })
    await expect(run('add', file, at('org/bad:v1'))).rejects.toThrow(message)
  })
})

describe('the annotations of a bundle image', () => {
  it('count before its labels', () => {
    const labels = annotations('old,older', 'other', { [`${prefix}.channel.default.v1`]: 'old' })
    expect(annotationsOf({ ...annotations(' new , newer,new') }, labels)).toEqual({
      package: 'etcd',
      channels: ['new', 'newer'],
      defaultChannel: 'old',
    })
  })

  it.each([
    ['package', { [`${prefix}.package.v1`]: '' }, 'neither its metadata/annotations.yaml nor its labels have'],
    ['channels', { [`${prefix}.channels.v1`]: ' , ' }, `${prefix}.channels.v1`],
    ['format', { [`${prefix}.mediatype.v1`]: 'helm' }, `it has ${prefix}.mediatype.v1 "helm", and not registry+v1`],
    ['folder', { [`${prefix}.manifests.v1`]: 'deploy/' }, '"deploy", and not manifests'],
  ])('are refused where they name another %s, or none', (_, more, message) => {
    expect(() => annotationsOf(annotations('stable', 'etcd', more), {})).toThrow(message)
  })
})
