import semver from 'semver'
import { byVersion, type Pointer } from './release.ts'

/** A release that is installed. It need not be in the channel any more. */
export interface Installed {
  readonly name: string
  readonly version: string
}

/**
 * The head of a channel: the release that no other one replaces or skips. Of several, the one with the highest version;
 * `undefined` where each is replaced by another.
 */
export function headOf(releases: readonly Pointer[]): Pointer | undefined {
  const left = new Set(
    releases.flatMap(({ name, replaces, skips = [] }) => [replaces, ...skips].filter(o => o !== name)),
  )
  return highest(releases.filter(({ name }) => !left.has(name)))
}

/**
 * The releases from an installed one to the newest that it can be upgraded to, one after the other. Each replaces the one before, skips it by its
 * name, or skips its version by `skipRange`; of several such, the one with the highest version is next. Empty where there is no upgrade.
 */
export function upgradePath(releases: readonly Pointer[], installed: Installed): Pointer[] {
  const path: Pointer[] = []
  const seen = new Set([installed.name])
  for (let from = installed; ; ) {
    const next = highest(releases.filter(one => !seen.has(one.name) && upgrades(one, from)))
    if (next === undefined) return path
    path.push(next)
    seen.add(next.name)
    from = next
  }
}

function upgrades({ replaces, skips, skipRange }: Pointer, { name, version }: Installed): boolean {
  if (replaces === name || skips?.includes(name)) return true
  return skipRange !== undefined && semver.satisfies(version, skipRange, { includePrerelease: true })
}

function highest(releases: readonly Pointer[]): Pointer | undefined {
  return releases.reduce<Pointer | undefined>((a, b) => (a === undefined || byVersion(a, b) < 0 ? b : a), undefined)
}
