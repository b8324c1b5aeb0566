import { defineResource, type ObjectMeta, type Resource } from '@wherry/client'
import type { Condition } from '@wherry/controller'
import type { Problem } from './bundle/health.ts'

/** An object that was made for a bundle. */
export interface Made {
  /** `apps/v1 Deployment` */
  kind: string
  namespace?: string
  name: string
}

/** Has the newest bundle of a package installed in a namespace of its own. */
export interface PlatformOperator {
  metadata: ObjectMeta
  spec: {
    /** The package, as the catalog names it. */
    package: string
    /** @default stable */
    channel?: string
    /** Where its operator runs. It is made if it is not there. */
    namespace: string
  }
  status?: {
    conditions?: Condition[]
    bundle?: { package?: string; name: string; version: string; digest: string }
    /** What was made, or is about to be. This, and nothing else, is removed again. */
    made?: Made[]
    /** The first fifty objects that are not as they should be. */
    problems?: Problem[]
  }
}

export const platformOperators: Resource<PlatformOperator, 'cluster'> =
  /* @__PURE__ */ defineResource<PlatformOperator>({
    group: 'bundles.example.com',
    version: 'v1',
    kind: 'PlatformOperator',
    plural: 'platformoperators',
    namespaced: false,
  })
