import { defineResource, type KubernetesObject, type Resource } from '@wherry/client'
import type { Conditions } from '@wherry/crd'

/**
 * What the operator knows of OLM's ClusterServiceVersion: it copies the spec as it is, and of the status the phase.
 *
 * @group operators.coreos.com
 * @version v1alpha1
 * @shortName csv csvs
 */
export interface ClusterServiceVersion extends KubernetesObject {
  /** @preserveUnknownFields */
  spec?: { displayName?: string } | undefined
  /** @preserveUnknownFields */
  status?: { phase?: string; reason?: string; message?: string } | undefined
}

/**
 * OLM's settings: there is one for the cluster, called `cluster`.
 *
 * @group operators.coreos.com
 * @kind OLMConfig
 * @version v1
 * @cluster
 */
export interface OlmConfig extends KubernetesObject {
  spec?: {
    features?: {
      /** Whether the copies are removed. */
      disableCopiedCSVs?: boolean
    }
  }
  status?: {
    /**
     * `DisabledCopiedCSVs`: whether there are no copies.
     */
    conditions?: Conditions
  }
}

const group = 'operators.coreos.com'

export const clusterServiceVersions: Resource<ClusterServiceVersion, 'namespaced'> =
  defineResource<ClusterServiceVersion>({
    group,
    version: 'v1alpha1',
    kind: 'ClusterServiceVersion',
    plural: 'clusterserviceversions',
    namespaced: true,
  })

export const olmConfigs: Resource<OlmConfig, 'cluster'> = defineResource<OlmConfig>({
  group,
  version: 'v1',
  kind: 'OLMConfig',
  plural: 'olmconfigs',
  namespaced: false,
})
