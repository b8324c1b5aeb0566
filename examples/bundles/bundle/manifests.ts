import type { KubernetesObject } from '@wherry/client'
import { parseAllDocuments } from 'yaml'
import { BundleError } from './errors.ts'

/** An object of a bundle's manifests. */
export interface Manifest extends KubernetesObject {
  readonly apiVersion: string
  readonly kind: string
  readonly metadata: NonNullable<KubernetesObject['metadata']> & { readonly name: string }
}

/** What of a ClusterServiceVersion is needed to install it. */
export interface ClusterServiceVersion extends Manifest {
  readonly spec: {
    readonly version?: string
    readonly installModes?: readonly { readonly type: string; readonly supported: boolean }[]
    readonly webhookdefinitions?: readonly unknown[]
    readonly apiservicedefinitions?: { readonly owned?: readonly unknown[] }
    readonly install?: {
      readonly strategy?: string
      readonly spec?: {
        readonly deployments?: readonly { readonly name: string; readonly label?: Labels; readonly spec: object }[]
        readonly permissions?: readonly Permissions[]
        readonly clusterPermissions?: readonly Permissions[]
      }
    }
  }
}

type Labels = Readonly<Record<string, string>>

/** Rules that a service account needs. */
export interface Permissions {
  readonly serviceAccountName: string
  readonly rules: readonly object[]
}

/** A bundle as it was unpacked (`registry+v1`): its ClusterServiceVersion, and what else is to be there. */
export interface Bundle {
  readonly csv: ClusterServiceVersion
  readonly others: readonly Manifest[]
}

/** etcd takes no larger object. */
const maxFileBytes = 3 << 19
/** YAML is read in one go, which nothing else of this process interrupts. */
const maxManifestsBytes = 8 << 20

/** Reads the manifests of a bundle. @throws BundleError */
export function readBundle(files: ReadonlyMap<string, Buffer>): Bundle {
  const manifests = [...files]
    .filter(([path]) => /^manifests\/[^/]+\.(ya?ml|json)$/.test(path))
    .sort(([a], [b]) => (a < b ? -1 : 1))
  for (const [path, { length }] of manifests) {
    if (length > maxFileBytes) throw new BundleError('TooLarge', `${path} has more than ${maxFileBytes} bytes`)
  }
  if (manifests.reduce((sum, [, { length }]) => sum + length, 0) > maxManifestsBytes) {
    throw new BundleError('TooLarge', `the manifests have more than ${maxManifestsBytes} bytes`)
  }
  const all = manifests.flatMap(([path, content]) => manifestsOf(path, content))
  const [csv, ...more] = all.filter(({ kind }) => kind === 'ClusterServiceVersion')
  if (csv === undefined) throw new BundleError('InvalidManifest', 'the bundle has no ClusterServiceVersion')
  if (more.length > 0) throw new BundleError('InvalidManifest', 'the bundle has more than one ClusterServiceVersion')
  return { csv: csv as ClusterServiceVersion, others: all.filter(one => one !== csv) }
}

function manifestsOf(path: string, content: Buffer): Manifest[] {
  try {
    // To compare each key of a map with all others would take minutes for a map of a megabyte: the last one of a name counts.
    return parseAllDocuments(content.toString(), { uniqueKeys: false }).flatMap(document => {
      if (document.errors[0] !== undefined) throw document.errors[0]
      // An alias that stands for other aliases, and so on, would grow without end: a hundred are allowed.
      const object: unknown = document.toJS({ maxAliasCount: 100 })
      return object === null ? [] : [checked(object)]
    })
  } catch (error) {
    throw new BundleError('InvalidManifest', `${path}: ${(error as Error).message.split('\n')[0]}`, { cause: error })
  }
}

function checked(object: unknown): Manifest {
  const { apiVersion, kind, metadata } = object as Partial<Manifest>
  if (typeof apiVersion !== 'string' || typeof kind !== 'string') throw new Error('an object has no apiVersion or kind')
  if (typeof metadata?.name !== 'string') throw new Error(`an object of the kind ${kind} has no name`)
  return object as Manifest
}
