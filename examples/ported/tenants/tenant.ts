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

export const tenants: Resource<Tenant, 'cluster'> = defineResource<Tenant>({
  group: 'tenancy.example.com',
  version: 'v1',
  kind: 'Tenant',
  plural: 'tenants',
  namespaced: false,
})
