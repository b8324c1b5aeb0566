import { defineResource, type ObjectMeta, type Resource } from '@wherry/client'
import type { Conditions, Quantity } from '@wherry/crd'

/**
 * A group of users with a namespace of their own, called `tenant-NAME`.
 *
 * @group tenancy.example.com
 * @version v1
 * @cluster
 * @printColumn Phase .status.phase
 */
export interface Tenant {
  metadata?: ObjectMeta
  spec: {
    /** The group, as the cluster's identity provider names it. Its users may edit what is in the namespace. */
    group: string
    /** What all in the namespace may use together: `requests.cpu: 4`, `pods: 20`. */
    quota: Record<string, Quantity>
  }
  status?: {
    /** `Ready`; `Blocked` if the namespace, its quota or its rights can't be made: `Ready` says why. */
    phase?: string
    conditions?: Conditions
  }
}

/**
 * A Pod with a volume that outlives it.
 *
 * @group tenancy.example.com
 * @version v1
 * @printColumn Phase .status.phase
 */
export interface Workspace {
  metadata?: ObjectMeta
  spec: {
    image: string
    /** The size of the volume. It may grow, if the storage class allows that. */
    storage: Quantity
    /** What the Pod may use. A quota of the namespace can ask for it. */
    resources?: Record<string, Quantity>
    /** Without a Pod only the volume is kept. */
    stopped?: boolean
  }
  status?: {
    /** That of its Pod, or `Stopped`; `Blocked` if the claim or the Pod can't be made: `Ready` says why. */
    phase?: string
    conditions?: Conditions
  }
}

const api = { group: 'tenancy.example.com', version: 'v1' }

const tenant = { ...api, kind: 'Tenant', plural: 'tenants', namespaced: false } as const
export const tenants: Resource<Tenant, 'cluster'> = defineResource<Tenant>(tenant)

const workspace = { ...api, kind: 'Workspace', plural: 'workspaces', namespaced: true } as const
export const workspaces: Resource<Workspace, 'namespaced'> = defineResource<Workspace>(workspace)
