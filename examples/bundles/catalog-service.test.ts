import { once } from 'node:events'
import type { Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { bundleType, indexType } from '../catalog/catalog.ts'
import { CatalogIndex } from '../catalog/index/catalog-index.ts'
import { add } from '../catalog/index/edit.ts'
import { Catalogs } from '../catalog/operator.ts'
import { imageReference } from '../catalog/registry/reference.ts'
import { catalogServer } from '../catalog/serve.ts'
import { push, pushImage } from '../catalog/testkit/registry.ts'
import { StandInRegistry } from '../catalog/testkit/stand-in-registry.ts'
import { readLayers } from './bundle/archive.ts'
import { CatalogService } from './catalog-service.ts'
import { archiveOf, bundleOf } from './testkit/bundles.ts'
import { readInThread } from './testkit/read-in-thread.ts'
import { StandInCatalog } from './testkit/stand-in-catalog.ts'

const repository = 'catalogs/community'
const stable = { package: 'chess', name: 'stable' }
const { signal } = new AbortController()

let registry: StandInRegistry
let catalogs: Catalogs
let server: Server
let service: CatalogService

beforeEach(async () => {
  registry = await StandInRegistry.start('none')
  catalogs = new Catalogs()
  catalogs
    .open('catalogs/community')
    .configure(imageReference(`${registry.host}/${repository}:latest`), { ca: registry.ca })
  server = catalogServer(catalogs).listen(0, '127.0.0.1')
  await once(server, 'listening')
  service = new CatalogService(`http://127.0.0.1:${(server.address() as AddressInfo).port}/catalogs/community`)
})

afterEach(async () => {
  server.close()
  server.closeAllConnections()
  await catalogs.close()
  await registry.close()
})

it('bundles come from the catalog of the other example, one step of the upgrade path at a time', async () => {
  let index = new CatalogIndex()
  for (const minor of [0, 1, 2]) {
    const version = `1.${minor}.0`
    const content = await bundleOf({ name: 'chess', version })
    const { manifest: digest } = await push(registry, repository, { content, mediaType: bundleType })
    const replaces = minor === 0 ? {} : { replaces: `chess.v1.${minor - 1}.0` }
    const metadata = { metadata: { name: `chess.v${version}` }, spec: { version, ...replaces } }
    index = add(index, stable, { metadata, digest })
  }
  await push(registry, repository, { content: index.toBytes(), mediaType: indexType, tag: 'latest' })
  await catalogs.get('catalogs', 'community')?.poll()

  const channel = { package: 'chess', channel: 'stable' }
  const newest = await service.next(channel, undefined, signal)
  expect(newest).toMatchObject({ name: 'chess.v1.2.0', version: '1.2.0' })
  const first = { name: 'chess.v1.0.0', version: '1.0.0', digest: 'sha256:0' }
  const next = await service.next(channel, first, signal)
  expect(next).toMatchObject({ name: 'chess.v1.1.0' })
  if (newest === undefined || next === undefined) throw new Error('no release')
  expect(await service.next(channel, newest, signal)).toEqual(newest)
  const { csv } = await readInThread(...(await service.fetch('chess', next, signal)))
  expect(csv.metadata.name).toBe('chess.v1.1.0')

  expect(await service.next({ package: 'go', channel: 'stable' }, undefined, signal)).toBeUndefined()
  expect(await service.next({ package: 'go' }, undefined, signal)).toBeUndefined()
  await expect(service.fetch('chess', { ...next, name: 'go.v1' }, signal)).rejects.toThrow('the catalog answers 404')
  await expect(service.fetch('go', next, signal)).rejects.toThrow('the catalog answers 404')
  // Another bundle has taken its name since, say.
  const other = { ...next, digest: newest.digest }
  await expect(service.fetch('chess', other, signal)).rejects.toMatchObject({ reason: 'WrongDigest' })
})

it('a bundle that is an image of several layers in another repository is installed from these', async () => {
  const manifests = [...(await readLayers([await bundleOf({ name: 'chess', defines: 'Board' })]))]
  const layers = await Promise.all(manifests.map(([path, content]) => archiveOf([[path, `${content}`]])))
  const image = `${registry.host}/org/chess-bundle`
  const { manifest: digest } = await pushImage(registry, 'org/chess-bundle', { layers, as: 'docker' })
  const metadata = { metadata: { name: 'chess.v1.0.0' }, spec: { version: '1.0.0' } }
  const index = add(new CatalogIndex(), stable, { metadata, digest, image })
  await push(registry, repository, { content: index.toBytes(), mediaType: indexType, tag: 'latest' })
  await catalogs.get('catalogs', 'community')?.poll()
  const release = await service.next({ package: 'chess', channel: 'stable' }, undefined, signal)
  if (release === undefined) throw new Error('no release')
  const { csv, others } = await readInThread(...(await service.fetch('chess', release, signal)))
  expect([csv.kind, ...others.map(one => one.kind)]).toEqual(['ClusterServiceVersion', 'CustomResourceDefinition'])
})

it('a bundle that is not the one of its release is refused, whatever the catalog says', async () => {
  const catalog = await StandInCatalog.start()
  try {
    catalog.release('chess', await bundleOf({ name: 'chess' }))
    const service = new CatalogService(catalog.url)
    const release = await service.next({ package: 'chess', channel: 'stable' }, undefined, signal)
    if (release === undefined) throw new Error('no release')
    expect(await service.fetch('chess', release, signal)).toEqual([catalog.kept('chess', release.name)?.archive])
    Object.assign(catalog.kept('chess', release.name) ?? {}, { archive: await bundleOf({ name: 'evil' }) })
    await expect(service.fetch('chess', release, signal)).rejects.toMatchObject({ reason: 'WrongDigest' })
    Object.assign(catalog.kept('chess', release.name) ?? {}, { manifest: '{}' })
    await expect(service.fetch('chess', release, signal)).rejects.toMatchObject({ reason: 'WrongDigest' })
  } finally {
    await catalog.close()
  }
})

it('without a channel the default channel of the package is asked, and a package that has none says so', async () => {
  let index = new CatalogIndex()
  for (const [name, version] of [
    ['stable', '1.0.0'],
    ['candidate', '2.0.0'],
  ] as const) {
    const content = await bundleOf({ name: 'chess', version })
    const { manifest: digest } = await push(registry, repository, { content, mediaType: bundleType })
    const metadata = { metadata: { name: `chess.v${version}` }, spec: { version } }
    index = add(index, { package: 'chess', name }, { metadata, digest })
  }
  const catalog = catalogs.get('catalogs', 'community')
  const served = async (next: CatalogIndex): Promise<void> => {
    await push(registry, repository, { content: next.toBytes(), mediaType: indexType, tag: 'latest' })
    await catalog?.poll()
  }
  await served(index)
  await expect(service.next({ package: 'chess' }, undefined, signal)).rejects.toMatchObject({
    reason: 'NoDefaultChannel',
    message: 'the package chess has no default channel: name one of candidate, stable in spec.channel',
  })
  await served(index.withDefault({ package: 'chess', name: 'candidate' }))
  expect(await service.next({ package: 'chess' }, undefined, signal)).toMatchObject({ name: 'chess.v2.0.0' })
})
