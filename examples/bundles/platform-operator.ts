import { defineResource, type ObjectMeta, type Resource } from '@wherry/client'
import type { int, Timestamp } from '@wherry/crd'
import type { Problem } from './bundle/health.ts'

/** An object that was made for a bundle. */
export interface Made {
  /** `apps/v1 Deployment` */
  kind: string
  namespace?: string
  name: string
}

/**
 * Has the newest bundle of a package installed in a namespace of its own.
 *
 * @group bundles.example.com
 * @version v1
 * @cluster
 * @printColumn Installed .status.conditions[?(@.type=="Installed")].reason
 * @printColumn UpToDate .status.conditions[?(@.type=="UpToDate")].reason
 * @printColumn Healthy .status.conditions[?(@.type=="Healthy")].status
 * @printColumn Bundle .status.bundle.name
 */
export interface PlatformOperator {
  metadata: ObjectMeta
  spec: {
    /**
     * The package, as the catalog names it.
     *
     * @minLength 1
     * @maxLength 253
     */
    package: string
    /**
     * The channel of the package. Without it, the default channel of the package.
     *
     * @minLength 1
     * @maxLength 253
     */
    channel?: string
    /**
     * Where its operator runs. It is made if it is not there.
     *
     * @maxLength 63
     * @pattern `^[a-z0-9]([-a-z0-9]*[a-z0-9])?$`
     */
    namespace: string
  }
  status?: {
    /**
     * `Installed`, `UpToDate` and `Healthy`.
     *
     * @listType map
     * @listMapKey type
     */
    conditions?: PlatformCondition[]
    bundle?: { package?: string; name: string; version: string; digest: string }
    /**
     * What was made, or is about to be. This, and nothing else, is removed again.
     *
     * @maxItems 1000
     */
    made?: Made[]
    /**
     * The first fifty objects that are not as they should be.
     *
     * @maxItems 50
     */
    problems?: Problem[]
  }
}

export interface PlatformCondition {
  /** The name of the condition. */
  type: string
  status: 'True' | 'False' | 'Unknown'
  /** Why, in one word. */
  reason?: string
  /**
   * Why, for people.
   *
   * @maxLength 256
   */
  message?: string
  /** When the status changed. */
  lastTransitionTime?: Timestamp
  /** The generation of the object that was acted on. */
  observedGeneration?: int | undefined
}

export const platformOperators: Resource<PlatformOperator, 'cluster'> =
  /* @__PURE__ */ defineResource<PlatformOperator>({
    group: 'bundles.example.com',
    version: 'v1',
    kind: 'PlatformOperator',
    plural: 'platformoperators',
    namespaced: false,
  })
