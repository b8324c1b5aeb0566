import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { stringify } from 'yaml'
import { archiveOf } from '../../bundles/testkit/bundles.ts'
import { CatalogIndex } from '../index/catalog-index.ts'
import { indexCommand } from '../index/command.ts'
import { digestOf } from '../registry/verified.ts'

const name = 'registry.example.com/org/etcd-bundle'
const prefix = 'operators.operatorframework.io.bundle'
const Labels = { [`${prefix}.package.v1`]: 'etcd', [`${prefix}.channels.v1`]: 'stable' }
const config = Buffer.from(JSON.stringify({ architecture: 'amd64', config: { Labels } }))
const digest = digestOf('etcd')

let folder: string
let file: string
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'wherry-on-disk-'))
  file = join(folder, 'index')
  await run('create', file)
})
afterEach(() => rm(folder, { recursive: true, force: true }))

const run = (...args: string[]): Promise<void> => indexCommand(args, { env: {}, write: () => {} })
const release = async (minor: number) => CatalogIndex.parse(await readFile(file)).release('etcd', `etcd.v1.${minor}.0`)

async function layerOf(minor: number): Promise<Buffer> {
  const csv = {
    kind: 'ClusterServiceVersion',
    metadata: { name: `etcd.v1.${minor}.0` },
    spec: { version: `1.${minor}.0` },
  }
  return archiveOf([['manifests/operator.yaml', stringify(csv)]])
}

/** Writes a layout of images, each of a minor version. Gives the digests of their manifests. */
async function layout(path: string, images: readonly { readonly minor: number; readonly tag?: string }[]) {
  const blobs = join(path, 'blobs/sha256')
  await mkdir(blobs, { recursive: true })
  const blob = async (mediaType: string, content: Buffer) => {
    const digest = digestOf(content)
    await writeFile(join(blobs, digest.slice('sha256:'.length)), content)
    return { mediaType, digest, size: content.length }
  }
  const type = 'application/vnd.oci.image.manifest.v1+json'
  const manifests = []
  for (const { minor, tag } of images) {
    const layer = await blob('application/vnd.oci.image.layer.v1.tar+gzip', await layerOf(minor))
    const manifest = { schemaVersion: 2, config: await blob('application/vnd.oci.image.config.v1+json', config) }
    const annotations = tag === undefined ? {} : { 'org.opencontainers.image.ref.name': tag }
    const entry = await blob(type, Buffer.from(JSON.stringify({ ...manifest, layers: [layer] })))
    manifests.push({ ...entry, annotations })
  }
  await writeFile(join(path, 'index.json'), JSON.stringify({ schemaVersion: 2, manifests }))
  return manifests.map(one => one.digest)
}

/** An archive as `docker save` writes it: layers that are not compressed, the second one a link to the first. */
async function dockerArchive(images: number): Promise<string> {
  const layer = gunzipSync(await layerOf(0)).toString('latin1')
  const image = { Config: 'config.json', RepoTags: ['x:latest'], Layers: ['a/layer.tar', 'b/layer.tar'] }
  const path = join(folder, 'bundle.tar')
  const archive = await archiveOf([
    ['a/layer.tar', layer],
    ['b/layer.tar', '../a/layer.tar', 'symlink'],
    ['config.json', config.toString()],
    ['manifest.json', JSON.stringify(Array.from({ length: images }, () => image))],
  ])
  await writeFile(path, gunzipSync(archive))
  return `docker-archive:${path}`
}

describe('add from an OCI layout', () => {
  it('takes the only image, and has the name and the digest that it gets in its registry', async () => {
    const [only] = await layout(join(folder, 'layout'), [{ minor: 0 }])
    await run('add', file, `oci:${folder}/layout`, '--as', name)
    expect(await release(0)).toMatchObject({ image: name, digest: only })
  })

  it('takes the image of a tag, also of a batch, where the name follows', async () => {
    const tagged = await layout(
      join(folder, 'layout'),
      [0, 1].map(minor => ({ minor, tag: `v${minor}` })),
    )
    const batch = join(folder, 'images')
    await writeFile(batch, `oci:${folder}/layout:v0 ${name}\noci:${folder}/layout:v1\t${name}@${tagged[1]}\n`)
    await run('add', file, '--batch', batch)
    expect([await release(0), await release(1)]).toMatchObject(tagged.map(digest => ({ image: name, digest })))
  })

  it.each([
    ['no name', [], 'it needs the name that it has in its registry'],
    ['a tag that is not there', [':v7', '--as', name], 'no single image with the tag v7; it has: v0, v1'],
    ['no tag, but several images', ['', '--as', name], 'more or less than one image, and no tag is given'],
    ['another digest', [':v0', '--as', `${name}@${digest}`], 'and not that of'],
    ['a name with a tag', [':v0', '--as', `${name}:v0`], 'leave the tag out'],
  ])('refuses one with %s', async (_, [tag = ':v0', ...as], message) => {
    await layout(
      join(folder, 'layout'),
      [0, 1].map(minor => ({ minor, tag: `v${minor}` })),
    )
    await expect(run('add', file, `oci:${folder}/layout${tag}`, ...as)).rejects.toThrow(message)
    expect(await release(0)).toBeUndefined()
  })

  it('refuses a folder that is none, and a blob that is not its digest', async () => {
    await expect(run('add', file, `oci:${folder}`, '--as', name)).rejects.toThrow('index.json')
    await writeFile(join(folder, 'index.json'), '{}')
    await expect(run('add', file, `oci:${folder}`, '--as', name)).rejects.toThrow('is no index of images')
    const [only = ''] = await layout(folder, [{ minor: 0 }])
    await writeFile(join(folder, 'blobs', only.replace(':', '/')), '{}')
    await expect(run('add', file, `oci:${folder}`, '--as', name)).rejects.toThrow('has the digest')
  })
})

describe('add from an archive of docker', () => {
  it('takes its image, with the digest that is given', async () => {
    await run('add', file, await dockerArchive(1), '--as', `${name}@${digest}`)
    expect(await release(0)).toMatchObject({ image: name, digest })
  })

  it('refuses one without a digest, one of several images, and a file that is none', async () => {
    const archive = await dockerArchive(1)
    await expect(run('add', file, archive)).rejects.toThrow('it needs the name')
    await expect(run('add', file, archive, '--as', name)).rejects.toThrow('such an archive has no digest')
    const at = ['--as', `${name}@${digest}`]
    await expect(run('add', file, await dockerArchive(2), ...at)).rejects.toThrow('has 2 images')
    await writeFile(join(folder, 'other.tar'), await layerOf(0))
    await expect(run('add', file, `docker-archive:${folder}/other.tar`, ...at)).rejects.toThrow('no manifest.json')
    await writeFile(join(folder, 'other.tar'), 'x')
    await expect(run('add', file, `docker-archive:${folder}/other.tar`, ...at)).rejects.toThrow('no tar')
  })
})

it('a name for several images at once, and one that nothing is added by, are refused', async () => {
  await expect(run('add', file, `${name}:a`, `${name}:b`, '--as', name)).rejects.toThrow('node index.ts create FILE')
  await expect(run('prune', file, 'etcd', '--as', name)).rejects.toThrow('node index.ts create FILE')
})
