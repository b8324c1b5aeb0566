import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { clusterServiceVersions, loadData } from '@wherry/data'
import { forEachSeed, integer, type Random, seededRandom, shuffle } from '@wherry/testing'
import { describe, expect, it } from 'vitest'
import { digestOf } from '../registry/verified.ts'
import { indexOf, manyReleases, releaseOf } from '../testkit/releases.ts'
import { CatalogIndex } from './catalog-index.ts'
import { headOf, upgradePath } from './channel.ts'
import { indexCommand } from './command.ts'
import { add, remove } from './edit.ts'
import { type Metadata, pointerOf } from './release.ts'

const stable = { package: 'etcd', name: 'stable' }
const [base] = clusterServiceVersions({ count: 1, managedFields: false }) as Iterable<unknown> as [Metadata]
const etcd = (minor: number): Metadata => releaseOf(base, 'etcd', minor)
const bundle = (minor: number) => ({ metadata: etcd(minor), digest: digestOf(`etcd ${minor}`) })
const text = (index: CatalogIndex): string => index.toBytes().toString()

describe('an index', () => {
  it('has the whole metadata of the head, and a small pointer to each other release', () => {
    const index = [0, 1, 2].reduce((before, minor) => add(before, stable, bundle(minor)), new CatalogIndex())
    const channel = index.channel(stable)
    expect(channel?.head).toBe('etcd.v1.2.0')
    expect(JSON.parse(channel?.metadata.toString() ?? '')).toEqual(etcd(2))
    expect(channel?.releases.map(one => one.digest)).toEqual([0, 1, 2].map(minor => bundle(minor).digest))
    for (const one of channel?.releases ?? []) expect(JSON.stringify(one).length).toBeLessThan(400)
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

  it('of another format is refused by its name', () => {
    const bytes = Buffer.from(text(new CatalogIndex()).replace('/v1', '/v2'))
    expect(() => CatalogIndex.parse(bytes)).toThrow('the index has the format "catalog.example.com/v2"')
    expect(() => CatalogIndex.parse(Buffer.from('{}\n'))).toThrow('the index has the format "none"')
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
      if (headOf(made.map(({ metadata }) => pointerOf(metadata, digestOf('')))) === undefined) return
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
  it('creates, adds and removes, and refuses in one line what it cannot do', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'wherry-index-'))
    try {
      const file = join(folder, 'index')
      for (const minor of [0, 1]) await writeFile(join(folder, `${minor}.yaml`), JSON.stringify(etcd(minor)))
      const read = async (): Promise<string> => readFile(file, 'utf8')
      await indexCommand(['create', file])
      await expect(indexCommand(['create', file])).rejects.toThrow('EEXIST')
      for (const minor of [0, 1]) {
        await indexCommand(['add', file, 'etcd/stable', join(folder, `${minor}.yaml`), bundle(minor).digest])
      }
      const both = [0, 1].reduce((before, minor) => add(before, stable, bundle(minor)), new CatalogIndex())
      expect(await read()).toBe(text(both))
      await indexCommand(['remove', file, 'etcd/stable', 'etcd.v1.0.0'])
      expect(await read()).toBe(text(remove(both, stable, 'etcd.v1.0.0')))
      await expect(indexCommand(['remove', file, 'etcd', 'etcd.v1.0.0'])).rejects.toThrow('etcd is no PACKAGE/CHANNEL')
      await expect(indexCommand(['publish', file])).rejects.toThrow('node index.ts create FILE')
    } finally {
      await rm(folder, { recursive: true, force: true })
    }
  })
})
