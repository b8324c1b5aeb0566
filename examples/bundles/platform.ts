import { defineResource, type ObjectMeta, type Resource } from '@wherry/client'
import type { int } from '@wherry/crd'
import type { PlatformCondition } from './platform-operator.ts'

/**
 * What can be said of all PlatformOperators together, for whoever upgrades the cluster. There is one, called `cluster`, which the program makes.
 *
 * @group bundles.example.com
 * @version v1
 * @cluster
 * @printColumn Available .status.conditions[?(@.type=="Available")].status
 * @printColumn Progressing .status.conditions[?(@.type=="Progressing")].status
 * @printColumn Degraded .status.conditions[?(@.type=="Degraded")].status
 * @printColumn Message .status.conditions[?(@.type=="Degraded")].message
 */
export interface Platform {
  metadata?: ObjectMeta
  status?: {
    /**
     * `Available`, `Progressing` and `Degraded`, as a cluster-version operator reads them. Their messages name the PlatformOperators.
     *
     * @listType map
     * @listMapKey type
     */
    conditions?: PlatformCondition[]
    /** How many PlatformOperators there are. */
    total?: int
    /**
     * The first of them, by name.
     *
     * @maxItems 500
     * @listType map
     * @listMapKey name
     */
    operators?: OperatorState[]
  }
}

export interface OperatorState {
  name: string
  /** Of the bundle that is installed. */
  version?: string
  available: boolean
  progressing: boolean
  degraded: boolean
  /**
   * Why it is not available, or degraded.
   *
   * @maxLength 256
   */
  message?: string
}

export const platforms: Resource<Platform, 'cluster'> = /* @__PURE__ */ defineResource<Platform>({
  group: 'bundles.example.com',
  version: 'v1',
  kind: 'Platform',
  plural: 'platforms',
  namespaced: false,
})

/** The name of the one Platform. */
export const platformName = 'cluster'
