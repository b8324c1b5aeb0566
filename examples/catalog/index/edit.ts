import { type CatalogIndex, type ChannelName, checkedPackage, metadataBytes } from './catalog-index.ts'
import { headOf } from './channel.ts'
import { IndexEditError } from './errors.ts'
import { type Bundle, byVersion, type Metadata, type Pointer, pointerOf } from './release.ts'

/** A bundle, and the channels of its package that get it. */
export interface Addition extends Bundle {
  readonly package: string
  readonly channels: readonly string[]
  /** The default channel of the package, as this bundle says. */
  readonly defaultChannel?: string | undefined
}

/**
 * Adds a release to a channel, which is made where it is not there.
 *
 * @throws IndexEditError where the channel has a release of that name, or would have no head
 * @throws InvalidIndexError where another channel of the package has a release of that name with another digest
 */
export function add(index: CatalogIndex, name: ChannelName, bundle: Bundle): CatalogIndex {
  return addAll(index, [{ ...bundle, package: name.package, channels: [name.name] }])
}

/**
 * Adds bundles to their channels, whatever order they come in. Heads are found when all of them are there. The newest release of a package
 * says which channel is its default one, if it names one that is there.
 *
 * @throws as {@link add} does: then none of them was added
 */
export function addAll(index: CatalogIndex, additions: readonly Addition[]): CatalogIndex {
  const added = additions.map(one => ({ ...one, pointer: pointerOf(one) }))
  let next = index
  for (const [of, its] of Map.groupBy(added, one => one.package)) {
    for (const name of new Set(its.flatMap(one => one.channels))) {
      next = withReleases(
        next,
        { package: of, name },
        its.filter(one => one.channels.includes(name)),
      )
    }
    const channels = next.channels.filter(one => one.package === of)
    checkedPackage(channels)
    const newest = channels
      .flatMap(one => one.releases)
      .sort(byVersion)
      .at(-1)
    const { defaultChannel } = its.find(one => one.pointer.name === newest?.name) ?? {}
    if (channels.some(one => one.name === defaultChannel)) {
      next = next.withDefault({ package: of, name: `${defaultChannel}` })
    }
  }
  return next
}

function withReleases(
  index: CatalogIndex,
  name: ChannelName,
  added: readonly { readonly pointer: Pointer; readonly metadata: Metadata }[],
): CatalogIndex {
  const releases = [...(index.channel(name)?.releases ?? [])]
  const names = new Set(releases.map(one => one.name))
  for (const { pointer } of added) {
    if (names.has(pointer.name)) {
      throw new IndexEditError(`${pointer.name} is in ${name.package}/${name.name} already`)
    }
    names.add(pointer.name)
    releases.push(pointer)
  }
  return changed(
    index,
    name,
    releases.sort(byVersion),
    added.map(one => one.metadata),
  )
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
  return changed(index, name, left, head === undefined ? [] : [head])
}

/** The release that becomes the head of a channel if this one is removed. `undefined` if the head stays, or there is none. */
export function nextHead(index: CatalogIndex, name: ChannelName, release: string): Pointer | undefined {
  const channel = index.channel(name)
  const next = headOf(channel?.releases.filter(one => one.name !== release) ?? [])
  return next?.name === channel?.head ? undefined : next
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

function changed(
  index: CatalogIndex,
  name: ChannelName,
  releases: Pointer[],
  given: readonly Metadata[],
): CatalogIndex {
  const of = { package: name.package, name: name.name, releases }
  if (releases.length === 0) return index.with({ ...of, head: '', metadata: Buffer.alloc(0) })
  const head = headOf(releases)?.name
  if (head === undefined) throw new IndexEditError(`${name.package}/${name.name} would have no head`)
  const before = index.channel(name)
  if (before?.head === head) return index.with({ ...of, head, metadata: before.metadata })
  const metadata = given.find(one => one.metadata.name === head)
  if (metadata === undefined) {
    throw new IndexEditError(`the head of ${name.package}/${name.name} becomes ${head}: its whole metadata is needed`)
  }
  return index.with({ ...of, head, metadata: metadataBytes(metadata) })
}
