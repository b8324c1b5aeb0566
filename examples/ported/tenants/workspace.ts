import { defineResource, type ObjectMeta, type Resource } from '@wherry/client'
import type { Conditions, Quantity } from '@wherry/crd'

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

export const workspaces: Resource<Workspace, 'namespaced'> = defineResource<Workspace>({
  group: 'tenancy.example.com',
  version: 'v1',
  kind: 'Workspace',
  plural: 'workspaces',
  namespaced: true,
})
