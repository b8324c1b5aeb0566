import { readFile, rename, writeFile } from 'node:fs/promises'
import { parseArgs } from 'node:util'
import { imagesIn, isOnDisk, readBundleImages } from '../bundle-image/images.ts'
import { isImageReference } from '../registry/reference.ts'
import { CatalogIndex, type ChannelName } from './catalog-index.ts'
import { add, addAll, nextHead, prune, remove, setDefault } from './edit.ts'
import { IndexEditError } from './errors.ts'
import { dependenciesIn, metadataOf, yamlIn } from './metadata.ts'
import { pushIndex } from './push.ts'
import type { Env } from './registry-access.ts'
import type { Metadata } from './release.ts'

export const usage = `node index.ts create FILE
node index.ts add FILE IMAGE…
node index.ts add FILE IMAGE --as NAME
node index.ts add FILE --batch IMAGES
node index.ts add FILE PACKAGE/CHANNEL METADATA.yaml DIGEST [DEPENDENCIES.yaml]
node index.ts remove FILE PACKAGE/CHANNEL RELEASE [HEAD.yaml]
node index.ts default FILE PACKAGE/CHANNEL
node index.ts prune FILE PACKAGE…
node index.ts push FILE IMAGE

Makes an index, changes one, or pushes it to a registry. The same calls give the same bytes.

  IMAGE              of a bundle, for add: REGISTRY/REPOSITORY:TAG or @sha256:…, in whichever registry. It says its package and channels itself. On
                     disk: oci:FOLDER or oci:FOLDER:TAG of an OCI layout, docker-archive:FILE of docker save. These need a NAME
  NAME               where the catalog gets the bundle from, if it is elsewhere: REGISTRY/REPOSITORY. A docker-archive has no digest, so it
                     needs that of the image in its registry: REGISTRY/REPOSITORY@sha256:…
  IMAGES             a file that names images of bundles, one a line, each followed by its NAME, if it has one. All of them are added, or none
  METADATA.yaml      the ClusterServiceVersion of the release
  DIGEST             of its bundle's manifest in the registry: sha256:…
  DEPENDENCIES.yaml  what it depends on: the bundle's metadata/dependencies.yaml
  HEAD.yaml          the ClusterServiceVersion of the release that becomes the head, if the head is removed. Without it, that is read from the
                     image of the release, if it was added from one
  default            makes a channel the default one of its package
  prune              keeps these packages, and removes all others
  push               prints IMAGE with the digest

The user of a registry is that of config.json in DOCKER_CONFIG or in ~/.docker. The proxy is that of HTTPS_PROXY, ALL_PROXY and NO_PROXY, or
their lower-case names. REGISTRY_CA names a file with the PEM of a CA that is trusted beside the public ones.`

/** What the command takes from its process. */
export interface CommandHost {
  readonly env: Readonly<Record<string, string | undefined>>
  write(text: string): void
}

/** Does what the arguments say. Rejects with an error that has a line for each thing that is wrong. */
export async function indexCommand(args: string[], host: CommandHost): Promise<void> {
  const options = { batch: { type: 'string' }, as: { type: 'string' } } as const
  const { positionals, values } = parseArgs({ args, allowPositionals: true, options })
  const [verb, file = '', channel = '', ...rest] = positionals
  if (verb === 'create' && positionals.length === 2) {
    // It never overwrites one.
    await writeFile(file, new CatalogIndex().toBytes(), { flag: 'wx' })
  } else if (verb === 'add' && values.batch !== undefined && positionals.length === 2) {
    const additions = await readBundleImages(imagesIn(await readFile(values.batch, 'utf8')), host.env)
    await edit(file, index => addAll(index, additions))
  } else if (values.batch !== undefined || (values.as !== undefined && (verb !== 'add' || positionals.length !== 3))) {
    throw new IndexEditError(usage)
  } else if (verb === 'add' && areImages(positionals.slice(2))) {
    const images = positionals.slice(2).map(image => ({ image, as: values.as }))
    const additions = await readBundleImages(images, host.env)
    await edit(file, index => addAll(index, additions))
  } else if (verb === 'add' && (positionals.length === 5 || positionals.length === 6)) {
    const [path = '', digest = '', dependencies] = rest
    const depends = dependencies === undefined ? [] : dependenciesIn(await readFile(dependencies), dependencies)
    const bundle = { metadata: await metadataIn(path), digest, dependencies: depends }
    await edit(file, index => add(index, channelName(channel), bundle))
  } else if (verb === 'remove' && (positionals.length === 4 || positionals.length === 5)) {
    const [release = '', path] = rest
    const name = channelName(channel)
    await edit(file, async index => {
      const head = path === undefined ? await headFromImage(index, name, release, host.env) : await metadataIn(path)
      return remove(index, name, release, head)
    })
  } else if (verb === 'default' && positionals.length === 3) {
    await edit(file, index => setDefault(index, channelName(channel)))
  } else if (verb === 'prune' && positionals.length >= 3) {
    await edit(file, index => prune(index, positionals.slice(2)))
  } else if (verb === 'push' && positionals.length === 3) {
    host.write(`${await pushIndex(file, channel, host.env)}\n`)
  } else throw new IndexEditError(usage)
}

async function edit(
  file: string,
  change: (index: CatalogIndex) => CatalogIndex | Promise<CatalogIndex>,
): Promise<void> {
  const bytes = (await change(CatalogIndex.parse(await readFile(file)))).toBytes()
  const partial = `${file}.partial`
  await writeFile(partial, bytes)
  await rename(partial, file)
}

/** The whole metadata of the release that becomes the head, if it is needed and the index knows the image of that release. */
async function headFromImage(
  index: CatalogIndex,
  name: ChannelName,
  release: string,
  env: Env,
): Promise<Metadata | undefined> {
  const { image, digest } = nextHead(index, name, release) ?? {}
  if (image === undefined) return undefined
  const [bundle] = await readBundleImages([{ image: `${image}@${digest}` }], env)
  return bundle?.metadata
}

async function metadataIn(path: string): Promise<Metadata> {
  return metadataOf(yamlIn(await readFile(path), path), path)
}

/** A single name is one, so that its error says what it lacks. A DIGEST among them is none. */
function areImages(names: readonly string[]): boolean {
  return names.length === 1 || (names.length > 1 && names.every(name => isOnDisk(name) || isImageReference(name)))
}

function channelName(text: string): { package: string; name: string } {
  const [of, name, ...more] = text.split('/')
  if (!of || !name || more.length > 0) throw new IndexEditError(`${text} is no PACKAGE/CHANNEL`)
  return { package: of, name }
}
