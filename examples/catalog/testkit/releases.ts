import type { ChannelName } from '../index/catalog-index.ts'
import { CatalogIndex, metadataBytes } from '../index/catalog-index.ts'
import { headOf } from '../index/channel.ts'
import { byVersion, type Metadata, pointerOf } from '../index/release.ts'
import { digestOf } from '../registry/verified.ts'

/** So many releases are in a channel of {@link manyReleases}. */
export const releasesOfChannel = 20

/** The ClusterServiceVersion of a release; each replaces the one before. */
export function releaseOf(base: Metadata, packageName: string, minor: number): Metadata {
  const { replaces: _, skips: __, ...spec } = base.spec
  const name = (of: number): string => `${packageName}.v1.${of}.0`
  return {
    ...base,
    metadata: { ...base.metadata, name: name(minor) },
    spec: { ...spec, version: `1.${minor}.0`, ...(minor > 0 && { replaces: name(minor - 1) }) },
  }
}

/** So many releases, made of these manifests by turns, with the channel of each. */
export function* manyReleases(
  bases: readonly object[],
  count: number,
): Generator<{ readonly channel: ChannelName; readonly metadata: Metadata }> {
  for (let i = 0; i < count; i++) {
    const at = Math.floor(i / releasesOfChannel)
    const channel = { package: `package-${at}`, name: 'stable' }
    yield { channel, metadata: releaseOf(bases[at % bases.length] as Metadata, channel.package, i % releasesOfChannel) }
  }
}

/** An index of all of them, whatever order they come in. */
export function indexOf(
  releases: Iterable<{ readonly channel: ChannelName; readonly metadata: Metadata; readonly digest?: string }>,
): CatalogIndex {
  const channels = Map.groupBy(releases, ({ channel }) => `${channel.package}/${channel.name}`)
  return new CatalogIndex(
    [...channels.values()].map(all => {
      const { channel } = all[0] as (typeof all)[number]
      const pointers = all.map(({ metadata, digest = digestOf(metadata.metadata.name) }) =>
        pointerOf({ metadata, digest }),
      )
      const head = headOf(pointers)?.name ?? ''
      const whole = all.find(({ metadata }) => metadata.metadata.name === head)?.metadata as Metadata
      return { ...channel, releases: pointers.sort(byVersion), head, metadata: metadataBytes(whole) }
    }),
  )
}
