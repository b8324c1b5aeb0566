import { type CatalogIndex, type ChannelName, checkedPackage, metadataBytes } from './catalog-index.ts'
import { headOf } from './channel.ts'
import type { Dependency } from './definitions.ts'
import { IndexEditError } from './errors.ts'
import { byVersion, type Metadata, type Pointer, pointerOf } from './release.ts'

/**
 * Adds a release to a channel, which is made where it is not there.
 *
 * @param bundle its whole metadata, the digest of its manifest in the registry, and what it depends on
 * @throws IndexEditError where the channel has a release of that name, or would have no head
 * @throws InvalidIndexError where another channel of the package has a release of that name with another digest
 */
export function add(
  index: CatalogIndex,
  name: ChannelName,
  bundle: { readonly metadata: Metadata; readonly digest: string; readonly dependencies?: readonly Dependency[] },
): CatalogIndex {
  const pointer = pointerOf(bundle.metadata, bundle.digest, bundle.dependencies)
  const releases = index.channel(name)?.releases ?? []
  if (releases.some(one => one.name === pointer.name)) {
    throw new IndexEditError(`${pointer.name} is in ${name.package}/${name.name} already`)
  }
  const others = index.channels.filter(one => one.package === name.package)
  checkedPackage([...others, { package: name.package, releases: [pointer] }])
  return changed(index, name, [...releases, pointer].sort(byVersion), bundle.metadata)
}

/**
 * Removes a release from a channel; with its last one goes the channel.
 *
 * @param head the whole metadata of the release that is the head then, where the head is removed: the index had only its pointer
 * @throws IndexEditError where the channel has no such release, and where `head` is missing, which it names
 */
export function remove(index: CatalogIndex, name: ChannelName, release: string, head?: Metadata): CatalogIndex {
  const releases = index.channel(name)?.releases ?? []
  const left = releases.filter(one => one.name !== release)
  if (left.length === releases.length)
    throw new IndexEditError(`${name.package}/${name.name} has no release ${release}`)
  return changed(index, name, left, head)
}

/** Makes a channel the default one of its package. @throws IndexEditError if it is not there */
export function setDefault(index: CatalogIndex, name: ChannelName): CatalogIndex {
  if (index.channel(name) === undefined) throw new IndexEditError(`there is no channel ${name.package}/${name.name}`)
  return index.withDefault(name)
}

/** Removes all packages but these. @throws IndexEditError for one that is not there */
export function prune(index: CatalogIndex, packages: readonly string[]): CatalogIndex {
  const known = new Set(index.channels.map(one => one.package))
  const missing = packages.filter(one => !known.has(one))
  if (missing.length > 0) throw new IndexEditError(`there is no package ${missing.join(', ')}`)
  return index.only(packages)
}

function changed(index: CatalogIndex, name: ChannelName, releases: Pointer[], given?: Metadata): CatalogIndex {
  const of = { package: name.package, name: name.name, releases }
  if (releases.length === 0) return index.with({ ...of, head: '', metadata: Buffer.alloc(0) })
  const head = headOf(releases)?.name
  if (head === undefined) throw new IndexEditError(`${name.package}/${name.name} would have no head`)
  const before = index.channel(name)
  if (before?.head === head) return index.with({ ...of, head, metadata: before.metadata })
  if (given?.metadata.name !== head) {
    throw new IndexEditError(`the head of ${name.package}/${name.name} becomes ${head}: its whole metadata is needed`)
  }
  return index.with({ ...of, head, metadata: metadataBytes(given) })
}
