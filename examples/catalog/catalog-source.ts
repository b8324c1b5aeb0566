import { defineResource, type ObjectMeta, type Resource } from '@wherry/client'
import type { Conditions, int64, Timestamp } from '@wherry/crd'

/**
 * Where a catalog is from.
 *
 * @group catalog.example.com
 * @version v1
 */
export interface CatalogSource {
  metadata?: ObjectMeta
  spec: {
    /** The index: `registry.example.com/catalogs/community:latest`. Bundles are in the same repository. */
    image: string
    /** When the registry is asked for a new index: at `startingAt`, and every `intervalMs` before and after. */
    poll?: {
      /**
       * @minimum 1000
       * @default 600000
       */
      intervalMs?: int64
      startingAt?: Timestamp
    }
    /** A Secret of the type `kubernetes.io/dockerconfigjson`, in the namespace of this object. */
    pullSecret?: {
      /** @minLength 1 */
      name: string
    }
    /**
     * PEM of a CA that is trusted in addition to the public ones, as base64.
     *
     * @format byte
     */
    caBundle?: string
    /**
     * `http://proxy.example.com:3128`
     *
     * @pattern `^https?://`
     */
    proxy?: string
  }
  status?: CatalogStatus
}

export interface CatalogStatus {
  /** Of the index that serves. */
  digest?: string
  channels?: int64
  releases?: int64
  /**
   * `Serving`: there is an index. `UpToDate`: it is the one of the image. `BundlesReady`: the last bundle that was asked for was given.
   */
  conditions?: Conditions
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
