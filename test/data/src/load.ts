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
  /** One line that says so, to print beside a figure. */
  readonly note: string
  /** Definitions with very large schemas: ClusterServiceVersion first, then FlowCollector. */
  readonly crds: readonly KubeObject[]
  /** Ten ClusterServiceVersions, from 10 KB to 870 KB, without managedFields. */
  readonly clusterServiceVersions: readonly KubeObject[]
}

const REPOSITORY = resolve(import.meta.dirname, '../../..')

/**
 * Loads the manifests that `WHERRY_DATA` points to (default: `../shared/data` beside the repository,
 * when it is there), else generates stand-ins. Throws when `WHERRY_DATA` is set and is no such folder.
 */
export function loadData(environment: Readonly<Record<string, string | undefined>> = process.env): Data {
  const named = environment.WHERRY_DATA
  const folder = named ? resolve(named) : join(REPOSITORY, '../shared/data')
  const csvFolder = join(folder, 'olm/csv')
  if (!existsSync(csvFolder)) {
    if (named) throw new Error(`WHERRY_DATA is ${named}, but there is no folder olm/csv in it`)
    return {
      source: 'stand-ins',
      note: 'data: stand-ins (generated; set WHERRY_DATA to use real manifests)',
      crds: [largeCrd('clusterserviceversions'), largeCrd('flowcollectors')],
      clusterServiceVersions: [...clusterServiceVersions({ count: 10, managedFields: false })],
    }
  }
  const load = (path: string): KubeObject => parse(readFileSync(join(folder, path), 'utf8')) as KubeObject
  return {
    source: 'WHERRY_DATA',
    note: `data: WHERRY_DATA (real manifests from ${relative(REPOSITORY, folder)})`,
    crds: [load('olm/clusterserviceversions.crd.yaml'), load('flowcollectors.crd.yaml')],
    clusterServiceVersions: readdirSync(csvFolder)
      .filter(name => name.endsWith('.yaml'))
      .sort()
      .map(name => load(join('olm/csv', name))),
  }
}
