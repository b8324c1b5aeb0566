import type { Cluster } from './cluster.ts'

/** A resource as aggregated discovery describes it, with its group and version. */
export interface DiscoveredResource {
  readonly group: string
  readonly version: string
  readonly resource: string
  readonly responseKind: { readonly kind: string }
  readonly scope: 'Namespaced' | 'Cluster'
  readonly singularResource: string
  readonly verbs: readonly string[]
  readonly shortNames?: readonly string[]
  readonly categories?: readonly string[]
  readonly subresources?: readonly {
    readonly subresource: string
    readonly responseKind: { readonly group: string; readonly version: string; readonly kind: string }
    readonly verbs: readonly string[]
  }[]
  /** Equal for endpoints that store the same objects; `undefined` for objects that are not stored. */
  readonly storageVersionHash: string | undefined
}

interface GroupDiscoveryList {
  readonly items: readonly {
    readonly metadata?: { readonly name?: string }
    readonly versions: readonly { readonly version: string; readonly resources: readonly DiscoveredResource[] }[]
  }[]
}

interface ResourceList {
  readonly resources: readonly { readonly name: string; readonly storageVersionHash?: string }[]
}

const AGGREGATED = 'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList'

/** All resources, in the server's order of groups, versions (preferred first) and names. */
export async function discover(cluster: Cluster): Promise<DiscoveredResource[]> {
  const found: DiscoveredResource[] = []
  for (const root of ['/api', '/apis']) {
    const { items } = (await cluster.get(root, AGGREGATED)) as GroupDiscoveryList
    for (const item of items) {
      const group = item.metadata?.name ?? ''
      for (const { version, resources } of item.versions) {
        const plain = (await cluster.get(groupVersionPath(group, version))) as ResourceList
        const hashes = new Map(plain.resources.map(({ name, storageVersionHash }) => [name, storageVersionHash]))
        for (const resource of resources) {
          found.push({ ...resource, group, version, storageVersionHash: hashes.get(resource.resource) })
        }
      }
    }
  }
  return found
}

/** The path of a group version: `/api/v1`, `/apis/apps/v1`. */
export function groupVersionPath(group: string, version: string): string {
  return group === '' ? `/api/${version}` : `/apis/${group}/${version}`
}
