import type { KubernetesObject } from '@wherry/client'
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
/** What all manifests together may have. */
const maxManifestsBytes = 8 << 20

/** Parses YAML: gives the documents of files, by their paths. */
export type ParseYaml = (
  files: ReadonlyMap<string, Buffer>,
  signal: AbortSignal,
) => Promise<ReadonlyMap<string, readonly unknown[]>>

/** Reads the manifests of a bundle. @throws BundleError, and what `parse` throws */
export async function readBundle(
  files: ReadonlyMap<string, Buffer>,
  parse: ParseYaml,
  signal: AbortSignal,
): Promise<Bundle> {
  const manifests = [...files]
    .filter(([path]) => /^manifests\/[^/]+\.(ya?ml|json)$/.test(path))
    .sort(([a], [b]) => (a < b ? -1 : 1))
  for (const [path, { length }] of manifests) {
    if (length > maxFileBytes) throw new BundleError('TooLarge', `${path} has more than ${maxFileBytes} bytes`)
  }
  if (manifests.reduce((sum, [, { length }]) => sum + length, 0) > maxManifestsBytes) {
    throw new BundleError('TooLarge', `the manifests have more than ${maxManifestsBytes} bytes`)
  }
  const parsed = await parse(new Map(manifests), signal)
  const all = [...parsed].flatMap(([path, documents]) => manifestsOf(path, documents))
  const [csv, ...more] = all.filter(({ kind }) => kind === 'ClusterServiceVersion')
  if (csv === undefined) throw new BundleError('InvalidManifest', 'the bundle has no ClusterServiceVersion')
  if (more.length > 0) throw new BundleError('InvalidManifest', 'the bundle has more than one ClusterServiceVersion')
  return { csv: csv as ClusterServiceVersion, others: all.filter(one => one !== csv) }
}

function manifestsOf(path: string, documents: readonly unknown[]): Manifest[] {
  try {
    return documents.filter(object => object !== null).map(checked)
  } catch (error) {
    throw new BundleError('InvalidManifest', `${path}: ${(error as Error).message}`, { cause: error })
  }
}

function checked(object: unknown): Manifest {
  checkManifest(object)
  return object as Manifest
}
