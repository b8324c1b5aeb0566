import { constants, createZstdCompress, gunzipSync, gzipSync, zstdCompressSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { BundleCache } from '../install/bundle-cache.ts'
import { archiveOf, bundleOf } from '../testkit/bundles.ts'
import { readInThread } from '../testkit/read-in-thread.ts'
import { TestSource } from '../testkit/source.ts'
import { readLayers } from './archive.ts'
import { convert } from './convert.ts'
import { cut, maxMessageBytes, summaryOf } from './health.ts'

const installed = async (archive: Uint8Array) => convert(await readInThread(archive), 'home')
const manifestsOf = (...texts: string[]): Promise<Buffer> => bundleOf({ name: 'chess', others: texts })
const named = (name: string) => archiveOf([[name, 'x']])
const configMap = 'apiVersion: v1\nkind: ConfigMap\nmetadata: { name: hours'

describe('a bundle', () => {
  it('becomes plain manifests in the order in which they are applied', async () => {
    const archive = await bundleOf({
      name: 'chess',
      defines: 'Board',
      others: [`${configMap} }\ndata: { monday: '10' }`],
    })
    const manifests = await installed(archive)
    expect(manifests.map(({ kind, metadata: { name, namespace = '' } }) => `${kind} ${namespace}/${name}`)).toEqual([
      'CustomResourceDefinition /boards.widgets.example.com',
      'ServiceAccount home/chess-operator',
      'ConfigMap home/hours',
      expect.stringMatching(/^ClusterRole \/chess\.v1\.0\.0-chess-operator-[0-9a-f]{10}$/),
      expect.stringMatching(/^Role home\/chess\.v1\.0\.0-chess-operator-[0-9a-f]{10}$/),
      expect.stringMatching(/^ClusterRoleBinding \/chess/),
      expect.stringMatching(/^RoleBinding home\/chess/),
      'Deployment home/chess',
    ])
    expect(manifests[0]).not.toHaveProperty('status')
    expect(manifests.at(-1)).toMatchObject({ spec: { template: { spec: { serviceAccountName: 'chess-operator' } } } })
  })

  it('has its account as its own manifest says, where it has one', async () => {
    const account = 'apiVersion: v1\nkind: ServiceAccount\nmetadata: { name: chess-operator }'
    const manifests = await installed(await manifestsOf(`${account}\nimagePullSecrets: [{ name: pull }]`))
    expect(manifests.filter(({ kind }) => kind === 'ServiceAccount')).toMatchObject([
      { metadata: { name: 'chess-operator', namespace: 'home' }, imagePullSecrets: [{ name: 'pull' }] },
    ])
  })

  it.each([
    ['UnsupportedInstallMode', 'supports only OwnNamespace, and AllNamespaces', { modes: ['OwnNamespace'] }],
    ['UnsupportedInstallMode', 'supports no install mode', { modes: [] }],
    ['NeedsWebhooks', 'has webhooks', { webhooks: 2 }],
    [
      'NeedsWebhooks',
      'CustomResourceDefinition boards.widgets.example.com is converted by a webhook',
      {
        others: [
          `apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nmetadata: { name: boards.widgets.example.com }\nspec: { conversion: { strategy: Webhook } }`,
        ],
      },
    ],
    ['UnsupportedKind', 'Pod one is of v1', { others: [{ apiVersion: 'v1', kind: 'Pod', metadata: { name: 'one' } }] }],
    [
      'UnsupportedKind',
      'a bundle makes no namespaces',
      { others: [{ apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'x' } }] },
    ],
    [
      'ForeignNamespace',
      'ConfigMap hours is for the namespace kube-system',
      { others: [`${configMap}, namespace: kube-system }`] },
    ],
    [
      'InvalidManifest',
      'other-0.yaml: metadata must be an object, and is not there',
      { others: ['apiVersion: v1\nkind: ConfigMap'] },
    ],
    ['InvalidManifest', 'other-0.yaml', { others: ['a: [b'] }],
    ['InvalidManifest', 'has the ConfigMap hours twice', { others: [`${configMap} }`, `${configMap} }`] }],
    [
      'InvalidManifest',
      'has the Deployment chess twice',
      { others: ['apiVersion: apps/v1\nkind: Deployment\nmetadata: { name: chess }'] },
    ],
  ] as const)('is refused by %s: %s', async (reason, message, wanted) => {
    const archive = await bundleOf({ name: 'chess', ...wanted })
    await expect(installed(archive)).rejects.toMatchObject({ reason, message: expect.stringContaining(message) })
  })
})

describe('layers', () => {
  const layer = async (...files: string[]) => gunzipSync(await archiveOf(files.map(one => [one, one] as const)))
  const names = async (...layers: Buffer[]) => [...(await readLayers(layers)).keys()].sort()

  it.each([
    ['plain', (tar: Buffer) => tar],
    ['by gzip', gzipSync],
    ['by zstd', zstdCompressSync],
  ])('are unpacked, compressed or not: %s', async (_, compress) => {
    const path = 'manifests/a'
    expect(`${(await readLayers([compress(await layer(path))])).get(path)}`).toBe(path)
  })

  it('replace files of layers below them, and hide them by whiteouts, but nothing of their own', async () => {
    const [x, y, zz, other] = ['manifests/x', 'manifests/y', 'manifests/zz', 'metadata/x']
    const below = await layer(x, y, 'manifests/z/1', zz, other)
    const above = await layer('manifests/.wh.x', 'manifests/.wh.z', x, 'manifests/c')
    expect(await names(below, above)).toEqual(['manifests/c', x, y, zz, other])
    expect(await names(below, await layer('manifests/.wh..wh..opq', 'manifests/new'))).toEqual(['manifests/new', other])
    expect(await names(below, await layer('.wh.manifests'))).toEqual([other])
    expect(await names(below, await layer('.wh..wh..opq'))).toEqual([])
    const replaced = await readLayers([below, gunzipSync(await archiveOf([[x, 'new']]))])
    expect(`${replaced.get(x)}`).toBe('new')
  })

  it('may be those of a whole system: files outside the folders of the bundle are skipped, links and thousands of files too', async () => {
    const files = Array.from({ length: 3000 }, (_, i) => [`usr/share/${i}`, 'x'] as const)
    const links = [
      ['bin', 'usr/bin', 'symlink'],
      ['usr/bin/sh', 'bin/busybox', 'link'],
      ['docs/manifests', '/manifests', 'symlink'],
    ] as const
    const base = await archiveOf([...files, ...links])
    expect(await names(base, await layer('manifests/a', 'metadata/b'))).toEqual(['manifests/a', 'metadata/b'])
  })

  it('may have links from one file of the bundle to another', async () => {
    const below = await archiveOf([
      ['manifests/a', 'old'],
      ['manifests/hard', 'manifests/a', 'link'],
      ['manifests/soft', '../manifests/a', 'symlink'],
      ['manifests/rooted', '/metadata/b', 'symlink'],
    ])
    const above = await archiveOf([
      ['manifests/a', 'new'],
      ['metadata/b', 'b'],
    ])
    const files = await readLayers([below, above])
    expect([...files].map(([path, content]) => `${path} ${content}`).sort()).toEqual([
      ...['manifests/a new', 'manifests/hard old', 'manifests/rooted b', 'manifests/soft new', 'metadata/b b'],
    ])
  })
})

describe('a hostile bundle', () => {
  const bomb = [
    'a: &a [x]',
    ...Array.from('bcdefghij', (one, i) => `${one}: &${one} [${Array(10).fill(`*${'abcdefghi'[i]}`)}]`),
  ].join('\n')

  it.each([
    ['UnsafePath', 'a path that goes up', () => named('manifests/../../etc/passwd')],
    ['UnsafePath', 'an absolute path', () => named('/etc/passwd')],
    ['UnsafePath', 'a path of another system', () => named('manifests\\..\\x')],
    ['LinkInArchive', 'a symbolic link', () => archiveOf([['manifests', '/etc', 'symlink']])],
    ['LinkInArchive', 'a hard link', () => archiveOf([['manifests/x', '/etc/passwd', 'link']])],
    ['LinkInArchive', 'a link that goes up', () => archiveOf([['manifests/x', '../../etc/passwd', 'symlink']])],
    ['LinkInArchive', 'a link to nothing', () => archiveOf([['manifests/x', 'y', 'symlink']])],
    ['LinkInArchive', 'a link to itself', () => archiveOf([['manifests/x', 'x', 'symlink']])],
    ['LinkInArchive', 'a link in place of its folder', () => archiveOf([['manifests', 'metadata', 'symlink']])],
    ['InvalidManifest', 'a YAML bomb', () => manifestsOf(bomb)],
    ['NotAnArchive', 'no archive', async () => Buffer.from('hello')],
    ['NotAnArchive', 'half an archive', async () => (await bundleOf({ name: 'chess' })).subarray(0, 300)],
    ['InvalidManifest', 'nothing', () => archiveOf([])],
  ] as const)('is refused by %s: %s', async (reason, _, archive) => {
    await expect(installed(await archive())).rejects.toMatchObject({ name: 'BundleError', reason })
  })

  it('is refused by TooLarge: zeros without end end when there are too many', async () => {
    const archive = gzipSync(Buffer.concat([headerOf('manifests/zeros', 8 * 1024 ** 3 - 1), Buffer.alloc(64 << 20)]))
    expect(archive.length).toBeLessThan(100_000)
    await expect(readLayers([archive])).rejects.toMatchObject({ reason: 'TooLarge' })
  })

  it('is refused where all of its layers together unpack to too much, or have too many files', async () => {
    const layers = await Promise.all(['manifests/a', 'manifests/b'].map(path => archiveOf([[path, 'x'.repeat(3000)]])))
    expect((await readLayers(layers, { maxBytes: 20_000 })).size).toBe(2)
    await expect(readLayers(layers, { maxBytes: 9000 })).rejects.toMatchObject({ reason: 'TooLarge' })
    await expect(readLayers(layers, { maxEntries: 1 })).rejects.toMatchObject({ reason: 'TooManyFiles' })
  })

  it('is refused where zstd asks for a window of 128 MiB', async () => {
    const params = { [constants.ZSTD_c_windowLog]: 27 }
    // If the size of a frame is not known, its window is as it asks.
    const compress = createZstdCompress({ params })
    const piece = gunzipSync(await archiveOf([['manifests/x', 'x']]))
    compress.end(piece)
    const frame = Buffer.concat(await compress.toArray())
    await expect(readLayers([frame])).rejects.toMatchObject({ reason: 'NotAnArchive' })
  })

  it('is refused by TooLarge: manifests that are too large to be read, alone or together', async () => {
    const of = (count: number, bytes: number): Promise<Buffer> =>
      archiveOf(Array.from({ length: count }, (_, i) => [`manifests/${i}.yaml`, `# ${'x'.repeat(bytes)}`] as const))
    const too = (what: string) => ({ reason: 'TooLarge', message: expect.stringContaining(what) })
    await expect(installed(await of(1, 2 << 20))).rejects.toMatchObject(too('manifests/0.yaml has more than 1572864'))
    await expect(installed(await of(9, 1 << 20))).rejects.toMatchObject(too('the manifests have more than 8388608'))
    await expect(installed(await of(7, 1 << 20))).rejects.toMatchObject({ reason: 'InvalidManifest' })
  })

  it('with a map of very many keys is read in time that grows with its size, not with its square', async () => {
    const costs: number[] = []
    for (const length of [5_000, 50_000]) {
      const keys = Array.from({ length }, (_, i) => `  k${i}: { b: [1, 2, 3] }`).join('\n')
      const archive = await manifestsOf(`${configMap} }\ndata:\n${keys}`)
      const begun = process.cpuUsage()
      const manifests = await installed(archive)
      costs.push(process.cpuUsage(begun).user)
      const { data = {} } = manifests.find(({ kind }) => kind === 'ConfigMap') as { data?: object }
      expect(Object.keys(data)).toHaveLength(length)
    }
    // Ten times as many keys take some ten times the processor's time; by the square they would take a hundred times.
    expect((costs[1] as number) / (costs[0] as number)).toBeLessThan(40)
  })

  it('is refused by TooManyLayers, before any is unpacked: 30,000 empty ones', async () => {
    const empty = await archiveOf([])
    expect((await readLayers(Array.from({ length: 127 }, () => empty))).size).toBe(0)
    const error = { reason: 'TooManyLayers', message: 'the bundle has 30000 layers, and may have 127' }
    await expect(readLayers(Array.from({ length: 30_000 }, () => empty))).rejects.toMatchObject(error)
  })

  it('is refused by TooManyFiles: a million files', async () => {
    const one = await archiveOf([['manifests/x', '']])
    const entry = gunzipSync(one).subarray(0, 512)
    const archive = gzipSync(Buffer.alloc(512 * 20_000, entry))
    await expect(readLayers([archive])).rejects.toMatchObject({ reason: 'TooManyFiles' })
  })
})

/** The header of a file in an archive, whatever follows it. */
function headerOf(name: string, size: number): Buffer {
  const header = Buffer.alloc(512)
  header.write(name)
  header.write(size.toString(8).padStart(11, '0'), 124)
  header.write('        0', 148)
  header.write('ustar\u000000', 257)
  const sum = header.reduce((all, byte) => all + byte, 0)
  header.write(`${sum.toString(8).padStart(6, '0')}\u0000 `, 148)
  return header
}

describe('a bundle with manifests of another shape', () => {
  const csv = 'apiVersion: operators.coreos.com/v1alpha1\nkind: ClusterServiceVersion\nmetadata: { name: chess }'
  const modes = 'installModes: [{ type: AllNamespaces, supported: true }]'

  const deployment = (spec: string) =>
    `${csv}\nspec: { ${modes}, install: { strategy: deployment, spec: { ${spec} } } }`

  it.each([
    [csv, 'spec must be an object, and is not there'],
    [`${csv}\nspec: [a]`, 'spec must be an object, and is ["a"]'],
    [`${csv}\nspec: { installModes: 7 }`, 'spec.installModes must be a list, and is 7'],
    [
      `${csv}\nspec: { installModes: [{ type: OwnNamespace, supported: maybe }] }`,
      'spec.installModes[0].supported must be true or false, and is "maybe"',
    ],
    [`${csv}\nspec: { webhookdefinitions: [null] }`, 'spec.webhookdefinitions[0] must be an object, and is null'],
    [
      `${csv}\nspec: { apiservicedefinitions: { owned: 1 } }`,
      'spec.apiservicedefinitions.owned must be a list, and is 1',
    ],
    [deployment('deployments: [null]'), 'spec.install.spec.deployments[0] must be an object, and is null'],
    [
      deployment('permissions: [{ rules: [] }]'),
      'spec.install.spec.permissions[0].serviceAccountName must be text that is not empty, and is not there',
    ],
    [`${csv}\nspec: {}\n---\n${configMap}, labels: { a: 1 } }`, 'metadata.labels.a must be text, and is 1'],
    [`${csv}\nspec: {}\n---\n[a]`, 'the document must be an object, and is ["a"]'],
    [
      `${csv}\nspec: {}\n---\napiVersion: v1\nkind: CustomResourceDefinition\nmetadata: { name: a }\nspec: { conversion: x }`,
      'spec.conversion must be an object, and is "x"',
    ],
  ])('is refused by InvalidManifest, and not fetched again: %s: %s', async (text, why) => {
    const source = new TestSource()
    source.release('chess', await archiveOf([['manifests/csv.yaml', text]]))
    const cache = new BundleCache(source)
    const { signal } = new AbortController()
    const release = await source.next({ package: 'chess', channel: 'stable' }, undefined, signal)
    if (release === undefined) throw new Error('no release')
    for (let i = 0; i < 2; i++) {
      const manifests = cache.manifests('chess', release, 'home', signal)
      await expect(manifests).rejects.toMatchObject({
        ...{ name: 'BundleError', reason: 'InvalidManifest' },
        message: `manifests/csv.yaml: ${why}`,
      })
    }
    expect(source.fetched).toBe(1)
  })

  it('is read if null stands for fields that are left out', async () => {
    const nothing = 'permissions: null, clusterPermissions: null, deployments: null'
    const more = 'webhookdefinitions: null, apiservicedefinitions: null, version: null'
    const install = `install: { strategy: deployment, spec: { ${nothing} } }`
    const archive = await archiveOf([['manifests/csv.yaml', `${csv}\nspec: { ${modes}, ${more}, ${install} }`]])
    expect(await installed(archive)).toEqual([])
  })
})

describe('the message of a condition', () => {
  it('has 256 bytes at most, with any number of problems, and no half characters', () => {
    const problems = Array.from({ length: 500 }, (_, i) => ({
      object: `Deployment d${i}`,
      reason: 'Crashing',
      message: 'ü'.repeat(300),
    }))
    const message = summaryOf(problems)
    expect(message).toMatch(/^500 objects, first Deployment d0: Crashing: ü+…$/)
    expect(Buffer.byteLength(message)).toBeLessThanOrEqual(maxMessageBytes)
    expect(summaryOf([])).toBe('')
    expect(cut('short')).toBe('short')
  })
})
