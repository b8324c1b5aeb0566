import type { KubernetesObject } from '@wherry/client'
import { parseAllDocuments } from 'yaml'
import { BundleError } from './errors.ts'
import { checkManifest } from './shapes.ts'

/** An object of a bundle's manifests. */
export interface Manifest extends KubernetesObject {
  readonly apiVersion: string
  readonly kind: string
  readonly metadata: NonNullable<KubernetesObject['metadata']> & { readonly name: string }
}

/** What of a ClusterServiceVersion is needed to install it. What may be left out may be null, too. */
export interface ClusterServiceVersion extends Manifest {
  readonly spec: {
    readonly version?: string | null
    readonly installModes?: readonly { readonly type: string; readonly supported: boolean }[] | null
    readonly webhookdefinitions?: readonly object[] | null
    readonly apiservicedefinitions?: { readonly owned?: readonly object[] | null } | null
    readonly install?: {
      readonly strategy?: string | null
      readonly spec?: {
        readonly deployments?: readonly ToDeploy[] | null
        readonly permissions?: readonly Permissions[] | null
        readonly clusterPermissions?: readonly Permissions[] | null
      } | null
    } | null
  }
}

type Labels = Readonly<Record<string, string>>

interface ToDeploy {
  readonly name: string
  readonly label?: Labels | null
  readonly spec: object
}

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
  checkManifest(object)
  return object as Manifest
}
