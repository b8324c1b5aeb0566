/**
 * What each package leans on directly. Arrows only point down the page: a package may import what it leans on and what
 * that leans on, and nothing else of ours. (`testing` stands apart, so that a misunderstanding of the protocol can't be
 * on both sides.)
 */
const architecture: Readonly<Record<string, readonly string[]>> = {
  testing: [],
  client: [],
  'work-queue': [],
  informer: ['client'],
  'transform-cache': ['informer'],
  'dynamic-cache': ['informer'],
  'watch-manager': ['informer'],
  'narrow-cache': ['informer'],
  'hash-compare': ['informer'],
  controller: [
    ...['client', 'work-queue', 'informer', 'transform-cache'],
    ...['dynamic-cache', 'watch-manager', 'narrow-cache', 'hash-compare'],
  ],
  copies: ['controller'],
  'storage-migrator': ['client'],
}

/** All packages of ours that `name` may import, by short name; undefined for one that the architecture does not know. */
export function mayImport(name: string): ReadonlySet<string> | undefined {
  const direct = architecture[name]
  if (direct === undefined) return undefined
  return new Set(direct.flatMap(below => [below, ...(mayImport(below) ?? [])]))
}
