import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join, relative, resolve } from 'node:path'
import { parse } from 'yaml'
import { clusterServiceVersions } from './cluster-service-versions.ts'
import { largeCrd } from './large-crd.ts'
import type { KubeObject } from './object.ts'

/** Manifests to test and measure with, and where they are from. */
export interface Data {
  /** `WHERRY_DATA`: other projects' real manifests. `stand-ins`: our own, of the same shape. */
  readonly source: 'WHERRY_DATA' | 'stand-ins'
  /** One line that says so, to print next to a figure. */
  readonly note: string
  /** Definitions with very large schemas: ClusterServiceVersion first, then FlowCollector. */
  readonly crds: readonly KubeObject[]
  /** Ten ClusterServiceVersions, from 10 KB to 870 KB, without managedFields. */
  readonly clusterServiceVersions: readonly KubeObject[]
}

const REPOSITORY = resolve(import.meta.dirname, '../../..')

/** By folder. To parse all manifests takes more than a second, and each process asks for them again and again. */
const loaded = new Map<string, Data>()

/**
 * Loads the manifests that `WHERRY_DATA` points to (default: `../shared/data` next to the repository,
 * when it is there), else generates stand-ins. Throws when `WHERRY_DATA` is set and is no such folder.
 *
 * A manifest is parsed when it is first read. All callers in a process share the same objects, which are frozen.
 */
export function loadData(environment: Readonly<Record<string, string | undefined>> = process.env): Data {
  const named = environment.WHERRY_DATA
  const folder = named ? resolve(named) : join(REPOSITORY, '../shared/data')
  const isThere = existsSync(join(folder, 'olm/csv'))
  if (named && !isThere) throw new Error(`WHERRY_DATA is ${named}, but there is no folder olm/csv in it`)
  const data = loaded.get(folder) ?? (isThere ? manifestsOf(folder) : standIns())
  loaded.set(folder, data)
  return data
}

function standIns(): Data {
  return lazy({
    source: 'stand-ins',
    note: 'data: stand-ins (generated; set WHERRY_DATA to use real manifests)',
    crds: () => [largeCrd('clusterserviceversions'), largeCrd('flowcollectors')],
    clusterServiceVersions: () => [...clusterServiceVersions({ count: 10, managedFields: false })],
  })
}

function manifestsOf(folder: string): Data {
  const load = (path: string): KubeObject => parse(readFileSync(join(folder, path), 'utf8')) as KubeObject
  return lazy({
    source: 'WHERRY_DATA',
    note: `data: WHERRY_DATA (real manifests from ${relative(REPOSITORY, folder)})`,
    crds: () => [load('olm/clusterserviceversions.crd.yaml'), load('flowcollectors.crd.yaml')],
    clusterServiceVersions: () =>
      readdirSync(join(folder, 'olm/csv'))
        .filter(name => name.endsWith('.yaml'))
        .sort()
        .map(name => load(join('olm/csv', name))),
  })
}

interface Lazy extends Pick<Data, 'source' | 'note'> {
  readonly crds: () => readonly KubeObject[]
  readonly clusterServiceVersions: () => readonly KubeObject[]
}

function lazy({ source, note, ...makes }: Lazy): Data {
  let crds: readonly KubeObject[] | undefined
  let clusterServiceVersions: readonly KubeObject[] | undefined
  return {
    source,
    note,
    get crds() {
      crds ??= frozen(makes.crds())
      return crds
    },
    get clusterServiceVersions() {
      clusterServiceVersions ??= frozen(makes.clusterServiceVersions())
      return clusterServiceVersions
    },
  }
}

function frozen<T>(value: T): T {
  if (typeof value !== 'object' || value === null || Object.isFrozen(value)) return value
  for (const each of Object.values(value)) frozen(each)
  return Object.freeze(value)
}
