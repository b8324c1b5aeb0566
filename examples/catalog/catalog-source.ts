import { defineResource, type ObjectMeta, type Resource } from '@wherry/client'
import type { Condition } from '@wherry/controller'

/** Where a catalog is from. */
export interface CatalogSource {
  metadata?: ObjectMeta
  spec: {
    /** The index: `registry.example.com/catalogs/community:latest`. Bundles are in the same repository. */
    image: string
    /** When the registry is asked for a new index: at `startingAt`, and every `intervalMs` before and after. */
    poll?: { intervalMs?: number; startingAt?: string }
    /** A Secret of the type `kubernetes.io/dockerconfigjson`, in the namespace of this object. */
    pullSecret?: { name: string }
    /** PEM of a CA that is trusted beside the public ones, as base64. */
    caBundle?: string
    /** `http://proxy.example.com:3128` */
    proxy?: string
  }
  status?: CatalogStatus
}

export interface CatalogStatus {
  /** Of the index that serves. */
  digest?: string
  channels?: number
  releases?: number
  /** `Serving`: there is an index. `UpToDate`: it is the one of the image. `BundlesReady`: the last bundle that was asked for was given. */
  conditions?: Condition[]
}

export const catalogSources: Resource<CatalogSource, 'namespaced'> = defineResource<CatalogSource>({
  group: 'catalog.example.com',
  version: 'v1',
  kind: 'CatalogSource',
  plural: 'catalogsources',
  namespaced: true,
})

/** How long it is until the next poll, in milliseconds. */
export function untilNextPoll({ poll = {} }: CatalogSource['spec'], now: number): number {
  const { intervalMs = 600_000, startingAt } = poll
  const since = startingAt === undefined ? 0 : now - Date.parse(startingAt)
  return intervalMs - (((since % intervalMs) + intervalMs) % intervalMs)
}
