import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { clusterServiceVersions, loadData } from '@wherry/data'
import { forEachSeed, integer, type Random, seededRandom, shuffle } from '@wherry/testing'
import { describe, expect, it } from 'vitest'
import { Catalog } from '../catalog.ts'
import { imageReference } from '../registry/reference.ts'
import { digestOf } from '../registry/verified.ts'
import { dockerConfigOf } from '../testkit/registry.ts'
import { indexOf, manyReleases, releaseOf } from '../testkit/releases.ts'
import { StandInRegistry } from '../testkit/stand-in-registry.ts'
import { CatalogIndex } from './catalog-index.ts'
import { headOf, upgradePath } from './channel.ts'
import { indexCommand } from './command.ts'
import { type Addition, add, addAll, prune, remove, setDefault } from './edit.ts'
import { type Metadata, pointerOf } from './release.ts'

const stable = { package: 'etcd', name: 'stable' }
const [base] = clusterServiceVersions({ count: 1, managedFields: false }) as Iterable<unknown> as [Metadata]
const etcd = (minor: number): Metadata => releaseOf(base, 'etcd', minor)
const bundle = (minor: number) => ({ metadata: etcd(minor), digest: digestOf(`etcd ${minor}`) })
const releaseNamed = (name: string, version: string) => ({
  metadata: { metadata: { name }, spec: { version, replaces: 'etcd.v1.0.0' } },
})
const text = (index: CatalogIndex): string => index.toBytes().toString()

describe('an index', () => {
  it('has the metadata of the head, and a small pointer to each other release', () => {
    const index = [0, 1, 2].reduce((before, minor) => add(before, stable, bundle(minor)), new CatalogIndex())
    const channel = index.channel(stable)
    expect(channel?.head).toBe('etcd.v1.2.0')
    const { icon: _, description: __, ...spec } = etcd(2).spec as Record<string, unknown>
    const { 'alm-examples': ___, ...annotations } = etcd(2).metadata.annotations ?? {}
    const { metadata, ...rest } = etcd(2)
    const head = { ...rest, metadata: { ...metadata, annotations }, spec }
    expect(JSON.parse(channel?.metadata.toString() ?? '')).toEqual(JSON.parse(JSON.stringify(head)))
    expect(channel?.releases.map(one => one.digest)).toEqual([0, 1, 2].map(minor => bundle(minor).digest))
    for (const one of channel?.releases ?? []) expect(JSON.stringify(one).length).toBeLessThan(400)
  })

  it('leaves the icon, the description and the examples of the head to its bundle', () => {
    const large = { icon: [{ base64data: 'x'.repeat(50_000) }], description: 'y'.repeat(5000) }
    const { metadata, spec } = etcd(0)
    const annotations = { ...metadata.annotations, 'alm-examples': 'z'.repeat(5000), kept: 'kept' }
    const whole = { ...etcd(0), metadata: { ...metadata, annotations }, spec: { ...spec, ...large } }
    const index = add(new CatalogIndex(), stable, { ...bundle(0), metadata: whole })
    const head = JSON.parse(`${index.channel(stable)?.metadata}`)
    expect(JSON.stringify(head)).not.toMatch(/xxx|yyy|zzz/)
    expect(head.metadata.annotations.kept).toBe('kept')
    expect(head.spec.version).toBe('1.0.0')
    expect(whole.spec.description).toHaveLength(5000)
  })

  it('is the same after it was written and read', () => {
    const { clusterServiceVersions } = loadData()
    const index = indexOf(manyReleases(clusterServiceVersions, 60))
    expect(CatalogIndex.parse(index.toBytes())).toEqual(index)
  })

  it('has the same bytes in whichever order releases come, and whatever came and went', () => {
    const inOrder = [0, 1, 2, 3].reduce((before, minor) => add(before, stable, bundle(minor)), new CatalogIndex())
    let other = new CatalogIndex()
    for (const minor of [3, 1, 0]) other = add(other, stable, bundle(minor))
    other = add(other, { package: 'a', name: 'b' }, bundle(1))
    other = add(other, stable, bundle(2))
    other = remove(other, { package: 'a', name: 'b' }, 'etcd.v1.1.0')
    expect(text(other)).toBe(text(inOrder))
  })

  it('of a newer format is refused by its version, and of another one by its name', () => {
    const bytes = Buffer.from(text(new CatalogIndex()).replace('/v2', '/v3'))
    const newer = 'the index has the format catalog.example.com/v3; this program reads versions up to v2'
    expect(() => CatalogIndex.parse(bytes)).toThrow(newer)
    expect(() => CatalogIndex.parse(Buffer.from('{}\n'))).toThrow('the index has the format "none"')
  })

  it('of version 1 is read: it has no default channels, and releases that say nothing of what they need', () => {
    const digest = bundle(0).digest
    const release = { name: 'etcd.v1.0.0', version: '1.0.0', digest, summary: 'etcd' }
    const channel = { package: 'etcd', name: 'stable', releases: [release], head: 'etcd.v1.0.0' }
    const lines = [{ format: 'catalog.example.com/v1' }, channel, { metadata: {} }, { channels: 1 }]
    const index = CatalogIndex.parse(Buffer.from(lines.map(line => `${JSON.stringify(line)}\n`).join('')))
    expect(index.channel(stable)?.releases).toEqual([release])
    expect(index.defaultChannel('etcd')).toBe('stable')
    expect(text(index)).toContain('"format":"catalog.example.com/v2"')
    expect(CatalogIndex.parse(index.toBytes())).toEqual(index)
  })

  it('has what each release owns and needs, so that it can be resolved without a bundle', () => {
    const metadata = (name: string, spec: object): Metadata => ({
      metadata: { name },
      spec: { version: '1.0.0', ...spec },
    })
    const backups = { name: 'backups.etcd.example.com', version: 'v1beta2', kind: 'Backup' }
    const metrics = { name: 'pods', group: 'metrics.example.com', version: 'v1', kind: 'PodMetrics' }
    const etcd = {
      ...{
        digest: bundle(0).digest,
        metadata: metadata('etcd.v1.0.0', { customresourcedefinitions: { owned: [backups] } }),
      },
    }
    const vault = {
      digest: bundle(1).digest,
      metadata: metadata('vault.v1.0.0', {
        customresourcedefinitions: { owned: null, required: [backups] },
        apiservicedefinitions: { required: [metrics] },
      }),
      dependencies: [
        { type: 'olm.package', value: { packageName: 'certs', version: '>=1.0.0 <2.0.0' } },
        { type: 'olm.gvk', value: { group: 'arcade.example.com', kind: 'Game', version: 'v1' } },
        { type: 'olm.constraint', value: { failureMessage: 'x' } },
      ],
    }
    const of = (name: string) => ({ package: name, name: 'stable' })
    const index = CatalogIndex.parse(add(add(new CatalogIndex(), of('etcd'), etcd), of('vault'), vault).toBytes())
    expect(index.release('vault', 'vault.v1.0.0')).toMatchObject({
      needs: ['Backup.etcd.example.com/v1beta2', 'Game.arcade.example.com/v1', 'PodMetrics.metrics.example.com/v1'],
      packages: { certs: '>=1.0.0 <2.0.0' },
    })
    const owners = (kind: string) =>
      index.channels.flatMap(({ releases }) => releases.filter(one => one.owns?.includes(kind)).map(one => one.name))
    expect(owners('Backup.etcd.example.com/v1beta2')).toEqual(['etcd.v1.0.0'])
    expect(owners('Game.arcade.example.com/v1')).toEqual([])
    const wrong = { type: 'olm.package', value: { packageName: 'certs', version: 'newest' } }
    expect(() => add(index, of('x'), { ...etcd, dependencies: [wrong] })).toThrow('packages {"certs":"newest"}')
  })

  it('has a default channel of each package: the one that was set, while it is there, or the only one', () => {
    const alpha = { package: 'etcd', name: 'alpha' }
    let index = add(new CatalogIndex(), stable, bundle(0))
    expect(index.defaultChannel('etcd')).toBe('stable')
    index = add(index, alpha, bundle(0))
    expect(index.defaultChannel('etcd')).toBeUndefined()
    index = setDefault(setDefault(index, stable), alpha)
    index = CatalogIndex.parse(setDefault(index, stable).toBytes())
    expect(index.defaultChannel('etcd')).toBe('stable')
    expect(() => setDefault(index, { package: 'etcd', name: 'beta' })).toThrow('there is no channel etcd/beta')
    index = remove(index, stable, 'etcd.v1.0.0')
    expect(index.defaultChannel('etcd')).toBe('alpha')
    const lost = Buffer.from(text(index).replace('"channels":1', '"channels":1,"defaults":{"etcd":"stable"}'))
    expect(() => CatalogIndex.parse(lost)).toThrow('the default channel stable of etcd is not there')
  })

  it('has the default channel that the newest release of the package names, if it is there', () => {
    const of = (minor: number, defaultChannel?: string): Addition => {
      return { ...bundle(minor), package: 'etcd', channels: ['alpha', 'stable'], defaultChannel }
    }
    const index = addAll(new CatalogIndex(), [of(1, 'alpha'), of(2, 'stable'), of(0, 'alpha')])
    expect(index.defaultChannel('etcd')).toBe('stable')
    const older = { ...of(0, 'alpha'), ...releaseNamed('etcd.v1.0.1', '1.0.1') }
    expect(addAll(index, [older]).defaultChannel('etcd')).toBe('stable')
    expect(addAll(index, [of(3, 'nonsense')]).defaultChannel('etcd')).toBe('stable')
    expect(addAll(index, [of(3)]).defaultChannel('etcd')).toBe('stable')
    expect(addAll(index, [of(3, 'alpha')]).defaultChannel('etcd')).toBe('alpha')
  })

  it('says where a bundle is, if that is not the repository of the index', () => {
    const elsewhere = { ...bundle(0), image: 'registry.example.com:5000/org/etcd-bundle' }
    const index = CatalogIndex.parse(add(new CatalogIndex(), stable, elsewhere).toBytes())
    expect(index.release('etcd', 'etcd.v1.0.0')?.image).toBe(elsewhere.image)
    for (const image of ['etcd', `${elsewhere.image}:latest`, 'http://registry.example.com/x']) {
      expect(() => add(index, stable, { ...bundle(1), image })).toThrow(`has the image "${image}"`)
    }
  })

  it('is pruned to the packages that are named', () => {
    const of = (name: string) => ({ package: name, name: 'stable' })
    const index = ['a', 'b', 'c'].reduce((before, name) => add(before, of(name), bundle(0)), new CatalogIndex())
    expect(prune(index, ['a', 'c']).channels.map(one => one.package)).toEqual(['a', 'c'])
    expect(() => prune(index, ['a', 'd', 'e'])).toThrow('there is no package d, e')
  })

  it('that was cut anywhere is refused', () => {
    const bytes = indexOf([0, 1, 2].map(minor => ({ channel: stable, metadata: etcd(minor) }))).toBytes()
    for (let end = 0; end < bytes.length; end += 97) {
      expect(() => CatalogIndex.parse(bytes.subarray(0, end))).toThrow()
    }
    const lines = bytes.toString().split('\n')
    for (let end = 1; end < lines.length - 1; end++) {
      const part = Buffer.from(`${lines.slice(0, end).join('\n')}\n`)
      expect(() => CatalogIndex.parse(part)).toThrow('the index has')
    }
  })

  it.each([
    ['"head":"etcd.v1.2.0"', '"head":"etcd.v1.1.0"', 'etcd.v1.1.0 is not the head of the channel etcd/stable'],
    ['"version":"1.1.0"', '"version":"one"', 'the release etcd.v1.1.0 has the version "one"'],
    ['"digest":"sha256:', '"digest":"md5:', 'has the digest "md5:'],
    ['"name":"etcd.v1.1.0"', '"name":"etcd.v1.0.0"', 'the channel etcd/stable has a release twice'],
  ])('that contradicts itself is refused: %s', (from, to, message) => {
    const whole = text(indexOf([0, 1, 2].map(minor => ({ channel: stable, metadata: etcd(minor) }))))
    expect(() => CatalogIndex.parse(Buffer.from(whole.replace(from, to)))).toThrow(message)
  })
})

describe('a change', () => {
  const index = [0, 1].reduce((before, minor) => add(before, stable, bundle(minor)), new CatalogIndex())

  it('that takes the head asks for the metadata of the next one by its name', () => {
    expect(() => remove(index, stable, 'etcd.v1.1.0')).toThrow(
      'the head of etcd/stable becomes etcd.v1.0.0: its whole metadata is needed',
    )
    expect(text(remove(index, stable, 'etcd.v1.1.0', etcd(0)))).toBe(text(add(new CatalogIndex(), stable, bundle(0))))
  })

  it('is refused for a name that is there, or is not', () => {
    expect(() => add(index, stable, bundle(1))).toThrow('etcd.v1.1.0 is in etcd/stable already')
    const [alpha, other] = [
      { package: 'etcd', name: 'alpha' },
      { ...bundle(1), digest: bundle(0).digest },
    ]
    expect(() => add(index, alpha, other)).toThrow('etcd.v1.1.0 of the package etcd has two digests')
    const twice = index.with({
      ...alpha,
      releases: [{ ...index.channel(stable)?.releases[1], digest: other.digest }],
      head: 'etcd.v1.1.0',
      metadata: Buffer.from('{}'),
    } as never)
    expect(() => CatalogIndex.parse(twice.toBytes())).toThrow('etcd.v1.1.0 of the package etcd has two digests')
    expect(() => remove(index, stable, 'nonsense')).toThrow('etcd/stable has no release nonsense')
  })

  it('is refused for a digest and a range that say nothing', () => {
    const annotations = { 'olm.skipRange': 'from here on' }
    const metadata = { ...etcd(2), metadata: { name: 'etcd.v1.2.0', annotations } }
    expect(() => add(index, stable, { ...bundle(2), metadata })).toThrow('has the skipRange "from here on"')
    expect(() => add(index, stable, { ...bundle(2), digest: 'latest' })).toThrow('has the digest "latest"')
  })
})

/** A release, and which versions its range has: from the first to before the second. */
interface Made {
  readonly metadata: Metadata
  readonly range: readonly [number, number] | undefined
}

/** Releases of minor versions from 0 on that replace and skip each other anyhow. */
function graph(random: Random): Made[] {
  const count = integer(random, 1, 12)
  const name = (): string => `etcd.v1.${integer(random, 0, count)}.0`
  return Array.from({ length: count }, (_, minor) => {
    const { spec, metadata } = etcd(minor)
    const from = integer(random, 0, count - 1)
    const range = integer(random, 0, 3) === 0 ? ([from, from + integer(random, 1, 4)] as const) : undefined
    const { replaces: before, ...rest } = spec
    return {
      range,
      metadata: {
        metadata: {
          ...metadata,
          annotations: range === undefined ? {} : { 'olm.skipRange': `>=1.${range[0]}.0 <1.${range[1]}.0` },
        },
        spec: {
          ...rest,
          ...(before !== undefined && integer(random, 0, 3) > 0 && { replaces: name() }),
          skips: Array.from({ length: integer(random, 0, 2) }, name),
        },
      },
    }
  })
}

/** Where one comes by upgrades, found in whole bundles: from the highest version down, the first one that names it. */
function pathOverBundles(all: readonly Made[], installed: number): string[] {
  const path = [`etcd.v1.${installed}.0`]
  for (;;) {
    const from = path.at(-1) as string
    const minor = Number(from.split('.')[2])
    const next = all.findLast(({ metadata: { metadata, spec }, range: [low, high] = [0, 0] }) => {
      const isNamed = [spec.replaces ?? '', ...(spec.skips ?? [])].includes(from)
      return !path.includes(metadata.name) && (isNamed || (low <= minor && minor < high))
    })
    if (next === undefined) return path.slice(1)
    path.push(next.metadata.metadata.name)
  }
}

it('the upgrade path from pointers is that of whole bundles, for random graphs', async () => {
  let [graphs, steps] = [0, 0]
  await forEachSeed(
    seed => {
      const random = seededRandom(seed)
      const all = graph(random)
      const made = shuffle(random, all).map(({ metadata }) => ({ channel: stable, metadata }))
      // Where each release is left for another one, there is no head, and no channel.
      if (headOf(made.map(({ metadata }) => pointerOf({ metadata, digest: digestOf('') }))) === undefined) return
      graphs += 1
      const index = CatalogIndex.parse(indexOf(made).toBytes())
      const { releases = [] } = index.channel(stable) ?? {}
      for (let minor = 0; minor <= all.length; minor++) {
        const installed = { name: `etcd.v1.${minor}.0`, version: `1.${minor}.0` }
        const path = upgradePath(releases, installed).map(({ name }) => name)
        expect(path).toEqual(pathOverBundles(all, minor))
        steps += path.length
      }
    },
    { seeds: 300 },
  )
  expect(steps).toBeGreaterThan(graphs)
})

describe('the command', () => {
  it('changes an index, pushes it, and refuses in one line what it cannot do', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'wherry-index-'))
    try {
      const file = join(folder, 'index')
      let written = ''
      const env: Record<string, string> = { DOCKER_CONFIG: folder }
      const write = (line: string): void => {
        written += line
      }
      const run = (args: string[]): Promise<void> => indexCommand(args, { env, write })
      for (const minor of [0, 1]) await writeFile(join(folder, `${minor}.yaml`), JSON.stringify(etcd(minor)))
      const read = async (): Promise<string> => readFile(file, 'utf8')
      await run(['create', file])
      await expect(run(['create', file])).rejects.toThrow('EEXIST')
      for (const minor of [0, 1]) {
        await run(['add', file, 'etcd/stable', join(folder, `${minor}.yaml`), bundle(minor).digest])
      }
      const both = [0, 1].reduce((before, minor) => add(before, stable, bundle(minor)), new CatalogIndex())
      expect(await read()).toBe(text(both))
      await run(['remove', file, 'etcd/stable', 'etcd.v1.0.0'])
      expect(await read()).toBe(text(remove(both, stable, 'etcd.v1.0.0')))
      await expect(run(['remove', file, 'etcd', 'etcd.v1.0.0'])).rejects.toThrow('etcd is no PACKAGE/CHANNEL')
      await run(['add', file, 'go/stable', join(folder, '1.yaml'), bundle(1).digest])
      await run(['add', file, 'go/alpha', join(folder, '1.yaml'), bundle(1).digest])
      await run(['default', file, 'go/stable'])
      await run(['prune', file, 'go'])
      const index = CatalogIndex.parse(await readFile(file))
      expect(index.channels.map(one => `${one.package}/${one.name}`)).toEqual(['go/alpha', 'go/stable'])
      expect(index.defaultChannel('go')).toBe('stable')
      const dependencies = join(folder, 'dependencies.yaml')
      await writeFile(dependencies, 'dependencies: [{ type: olm.package, value: { packageName: a, version: "1" } }]')
      await run(['add', file, 'etcd/stable', join(folder, '0.yaml'), bundle(0).digest, dependencies])
      const { packages } = CatalogIndex.parse(await readFile(file)).release('etcd', 'etcd.v1.0.0') ?? {}
      expect(packages).toEqual({ a: '1' })
      await writeFile(dependencies, 'dependencies: [a]')
      const broken = run(['add', file, 'etcd/stable', join(folder, '1.yaml'), bundle(1).digest, dependencies])
      await expect(broken).rejects.toThrow('has no list of dependencies')

      const registry = await StandInRegistry.start('basic')
      try {
        const image = `${registry.host}/catalogs/community`
        await writeFile(join(folder, 'ca.pem'), registry.ca)
        env.REGISTRY_CA = join(folder, 'ca.pem')
        await expect(run(['push', file, `${image}:latest`])).rejects.toThrow('refuses requests without credentials')
        const auths = { [image]: registry.credentials, [registry.host]: { username: 'other', password: 'x' } }
        await writeFile(join(folder, 'config.json'), JSON.stringify({ auths }))
        await run(['push', file, `${image}:latest`])
        const { ca } = registry
        const catalog = new Catalog()
        catalog.configure(imageReference(`${image}:latest`), { ca, dockerConfig: dockerConfigOf(registry) })
        await catalog.poll()
        expect(written).toBe(`${image}@${catalog.digest}\n`)
        expect(catalog.index).toEqual(CatalogIndex.parse(await readFile(file)))
        await catalog.close()
        await expect(run(['push', file, written.trim()])).rejects.toThrow('names a digest')
      } finally {
        await registry.close()
      }
      await expect(run(['publish', file])).rejects.toThrow('node index.ts create FILE')
    } finally {
      await rm(folder, { recursive: true, force: true })
    }
  })
})
