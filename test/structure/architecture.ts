/**
 * What each package leans on directly. Arrows only point down the page: a package may import what it leans on and what
 * that leans on, and nothing else of ours. (`testing` and `apiserver` stand apart, so that a misunderstanding of the protocol can't be
 * on both sides.)
 */
const architecture: Readonly<Record<string, readonly string[]>> = {
  cel: [],
  apiserver: ['cel'],
  testing: ['apiserver', 'cel'],
  client: [],
  'work-queue': [],
  'hash-compare': ['client'],
  'storage-migrator': ['client'],
  streams: ['client'],
  informer: ['client'],
  'transform-cache': ['client', 'informer'],
  'dynamic-cache': ['client', 'informer'],
  'watch-manager': ['client', 'informer'],
  'narrow-cache': ['client', 'informer'],
  controller: [
    ...['client', 'dynamic-cache', 'hash-compare', 'informer'],
    ...['narrow-cache', 'watch-manager', 'work-queue'],
  ],
  crd: ['cel', 'client'],
  cli: ['apiserver', 'client', 'crd'],
  copies: ['client', 'controller', 'work-queue'],
  webhook: ['client', 'controller'],
  'create-wherry-operator': ['cli'],
}

/** What a package leans on directly, as it is meant to be. */
export function leansOn(name: string): readonly string[] | undefined {
  return architecture[name]
}

/** All packages of ours that `name` may import, by short name; undefined for one that the architecture does not know. */
export function mayImport(name: string): ReadonlySet<string> | undefined {
  const direct = architecture[name]
  if (direct === undefined) return undefined
  return new Set(direct.flatMap(below => [below, ...(mayImport(below) ?? [])]))
}
