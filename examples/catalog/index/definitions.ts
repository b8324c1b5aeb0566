import type { Metadata } from './release.ts'

/** What a release owns and needs, as the index keeps it. A resolver works with it, and fetches no bundle. */
export interface Relations {
  /** The kinds that it brings: `EtcdCluster.etcd.database.coreos.com/v1beta2`. */
  readonly owns?: readonly string[]
  /** The kinds that must be there. */
  readonly needs?: readonly string[]
  /** The packages that must be installed, with the range of their versions. */
  readonly packages?: Readonly<Record<string, string>>
}

/** The entries of a bundle's `metadata/dependencies.yaml`. */
export interface Dependency {
  readonly type: string
  readonly value: Readonly<Record<string, unknown>>
}

/** A definition as a ClusterServiceVersion describes it: a custom resource by its name, or one of an aggregated API by its group. */
interface Description {
  readonly name?: string
  readonly group?: string
  readonly version?: string
  readonly kind?: string
}

export interface Described {
  readonly owned?: readonly Description[] | null
  readonly required?: readonly Description[] | null
}

/** What a release owns and needs, by its metadata and its dependencies. Dependencies of other types are left out. */
export function relationsOf({ spec }: Metadata, dependencies: readonly Dependency[] = []): Relations {
  const described = [spec.customresourcedefinitions, spec.apiservicedefinitions]
  const owns = described.flatMap(one => (one?.owned ?? []).map(kindOf))
  const needs = described.flatMap(one => (one?.required ?? []).map(kindOf))
  const packages: [string, string][] = []
  for (const { type, value } of dependencies) {
    if (type === 'olm.gvk') needs.push(kindOf(value as Description))
    if (type === 'olm.package') packages.push([`${value.packageName}`, `${value.version ?? '*'}`])
  }
  return {
    ...(owns.length > 0 && { owns: unique(owns) }),
    ...(needs.length > 0 && { needs: unique(needs) }),
    ...(packages.length > 0 && { packages: Object.fromEntries(packages.sort()) }),
  }
}

function kindOf({ name = '', group = name.slice(name.indexOf('.') + 1), version, kind }: Description): string {
  return `${kind}.${group}/${version}`
}

function unique(texts: readonly string[]): string[] {
  return [...new Set(texts)].sort()
}
