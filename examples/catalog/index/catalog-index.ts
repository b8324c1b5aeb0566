import { canonicalize } from '@wherry/hash-compare'
import { headOf } from './channel.ts'
import { InvalidIndexError, UnsupportedFormatError } from './errors.ts'
import { byVersion, checkedPointer, type Metadata, type Pointer } from './release.ts'

/** The format that is written. Of version 1, which is read too, releases have no relations, and packages no default channel. */
const group = 'catalog.example.com'
const version = 2
export const format: string = `${group}/v${version}`

export interface Channel {
  readonly package: string
  readonly name: string
  /** In the order of their versions. */
  readonly releases: readonly Pointer[]
  readonly head: string
  /** The metadata of the head without its icon, description and examples, as JSON. Bytes, since seldom anybody asks for it. */
  readonly metadata: Buffer
}

/** A channel of a package, by their names. */
export type ChannelName = Pick<Channel, 'package' | 'name'>

/**
 * What a catalog has: for each channel pointers to its releases, and the metadata of its head. It does not change.
 *
 * As text it is lines of JSON: the format; for each channel its releases, then the metadata of its head; the end, which says how many channels
 * there are, and which are the default ones. So a part of an index is no index.
 */
export class CatalogIndex {
  readonly #channels: ReadonlyMap<string, Channel>
  /** By package. */
  readonly #defaults: ReadonlyMap<string, string>

  constructor(channels: Iterable<Channel> = [], defaults: Iterable<readonly [string, string]> = []) {
    const sorted = [...channels].map(one => [keyOf(one), one] as const).sort(([a], [b]) => (a < b ? -1 : 1))
    this.#channels = new Map(sorted)
    this.#defaults = new Map(
      [...defaults].filter(([of, name]) => this.#channels.has(keyOf({ package: of, name }))).sort(),
    )
  }

  /** In the order of packages and names. */
  get channels(): readonly Channel[] {
    return [...this.#channels.values()]
  }

  channel(name: ChannelName): Channel | undefined {
    return this.#channels.get(keyOf(name))
  }

  /** The channel of a package for users that name none: the one that was set, or else the only one. */
  defaultChannel(of: string): string | undefined {
    const its = this.channels.filter(one => one.package === of)
    return this.#defaults.get(of) ?? (its.length === 1 ? its[0]?.name : undefined)
  }

  /** The same index with this channel in place of the one of its name; without it where it has no releases. */
  with(channel: Channel): CatalogIndex {
    const others = this.channels.filter(one => keyOf(one) !== keyOf(channel))
    return new CatalogIndex(channel.releases.length === 0 ? others : [...others, channel], this.#defaults)
  }

  /** The same index, with this as the default channel of its package. */
  withDefault(channel: ChannelName): CatalogIndex {
    return new CatalogIndex(
      this.channels,
      [...this.#defaults].filter(([of]) => of !== channel.package).concat([[channel.package, channel.name]]),
    )
  }

  /** The same index with these packages alone. */
  only(packages: readonly string[]): CatalogIndex {
    const kept = this.channels.filter(one => packages.includes(one.package))
    return new CatalogIndex(kept, this.#defaults)
  }

  /** The pointer to a release of a package, whichever channel it is in. Two packages may have releases of one name. */
  release(of: string, name: string): Pointer | undefined {
    for (const { package: its, releases } of this.#channels.values()) {
      const found = its === of ? releases.find(one => one.name === name) : undefined
      if (found !== undefined) return found
    }
    return undefined
  }

  /** The same index gives the same bytes. */
  toBytes(): Buffer {
    const lines: Buffer[] = [line({ format })]
    for (const { metadata, releases, ...channel } of this.channels) {
      lines.push(line({ ...channel, releases: [...releases].sort(byVersion) }), metadata, newline)
    }
    const defaults = this.#defaults.size === 0 ? {} : { defaults: Object.fromEntries(this.#defaults) }
    return Buffer.concat([...lines, line({ channels: this.#channels.size, ...defaults })])
  }

  /**
   * Reads an index. The head's metadata is copied, so the bytes may go.
   *
   * @throws UnsupportedFormatError for a newer format, by its version, and for another one, by its name
   * @throws InvalidIndexError for a part of an index, and for one that contradicts itself
   */
  static parse(bytes: Buffer): CatalogIndex {
    const lines = linesOf(bytes)
    const first = lines.shift()
    checkFormat((json(first) as { format?: unknown }).format)
    const end = json(lines.pop()) as { channels?: unknown; defaults?: Readonly<Record<string, string>> }
    if (end.channels !== lines.length / 2) throw new InvalidIndexError('the index has no end: it is a part of one')
    const channels: Channel[] = []
    for (let at = 0; at < lines.length; at += 2) {
      const channel = json(lines[at]) as Omit<Channel, 'metadata'>
      channels.push(checkedChannel({ ...channel, metadata: Buffer.from(lines[at + 1] as Buffer) }))
    }
    const index = new CatalogIndex(channels, Object.entries(end.defaults ?? {}))
    for (const [of, name] of Object.entries(end.defaults ?? {})) {
      if (!index.#defaults.has(of)) throw new InvalidIndexError(`the default channel ${name} of ${of} is not there`)
    }
    if (index.#channels.size !== channels.length) throw new InvalidIndexError('a channel is there twice')
    for (const all of Map.groupBy(channels, one => one.package).values()) checkedPackage(all)
    return index
  }
}

/** The metadata of a head, as an index keeps it. */
export function metadataBytes(metadata: Metadata): Buffer {
  return Buffer.from(canonicalize(headOnly(metadata)))
}

/** Large fields that are wanted of few heads are left to the bundle, which is fetched by its digest: the icon, the description, and the examples. */
function headOnly(whole: Metadata): Metadata {
  const { icon: _, description: __, ...spec } = whole.spec as Metadata['spec'] & Record<'icon' | 'description', unknown>
  const { 'alm-examples': examples, ...annotations } = whole.metadata.annotations ?? {}
  if (examples === undefined) return { ...whole, spec }
  return { ...whole, metadata: { ...whole.metadata, annotations }, spec }
}

const newline = Buffer.from('\n')

function keyOf(channel: ChannelName): string {
  return `${channel.package}\0${channel.name}`
}

function checkedChannel(channel: Channel): Channel {
  const { package: of, name, releases, head } = channel
  const at = `the channel ${of}/${name}`
  if (typeof of !== 'string' || typeof name !== 'string') throw new InvalidIndexError('a channel has no name')
  if (!Array.isArray(releases) || releases.length === 0) throw new InvalidIndexError(`${at} has no releases`)
  const names = new Set(releases.map(one => checkedPointer(one).name))
  if (names.size !== releases.length) throw new InvalidIndexError(`${at} has a release twice`)
  if (headOf(releases)?.name !== head) throw new InvalidIndexError(`${head} is not the head of ${at}`)
  return channel
}

/** In one package a name stands for one bundle, in all of its channels. @throws InvalidIndexError */
export function checkedPackage(channels: readonly Pick<Channel, 'package' | 'releases'>[]): void {
  const digests = new Map<string, string>()
  for (const { package: of, releases } of channels) {
    for (const { name, digest } of releases) {
      const other = digests.get(name) ?? digest
      if (other !== digest)
        throw new InvalidIndexError(`${name} of the package ${of} has two digests: ${other}, ${digest}`)
      digests.set(name, digest)
    }
  }
}

function checkFormat(found: unknown): void {
  const [, number] = new RegExp(`^${group}/v([1-9][0-9]*)$`).exec(`${found}`) ?? []
  if (number === undefined)
    throw new UnsupportedFormatError(JSON.stringify(found ?? 'none'), `${group}/v1 to v${version}`)
  if (Number(number) > version)
    throw new UnsupportedFormatError(`${found}`, `versions up to v${version}: it needs a newer program`)
}

function line(value: object): Buffer {
  return Buffer.from(`${canonicalize(value)}\n`)
}

function linesOf(bytes: Buffer): Buffer[] {
  const lines: Buffer[] = []
  for (let at = 0; at < bytes.length; ) {
    const end = bytes.indexOf(10, at)
    if (end < 0) throw new InvalidIndexError('the index ends in the midst of a line')
    lines.push(bytes.subarray(at, end))
    at = end + 1
  }
  return lines
}

function json(line: Buffer | undefined): object {
  try {
    const value: unknown = JSON.parse(line?.toString() ?? '')
    if (typeof value === 'object' && value !== null) return value
  } catch {
    // Said below.
  }
  throw new InvalidIndexError(`the index has a line that is no JSON object: ${line?.toString('utf8', 0, 60) ?? 'none'}`)
}
