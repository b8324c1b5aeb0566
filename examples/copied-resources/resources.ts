import { defineResource, type KubernetesObject, type Resource } from '@wherry/client'
import type { Condition } from '@wherry/controller'

/** What the operator knows of OLM's ClusterServiceVersion: it copies the spec as it is, and of the status the phase. */
export interface ClusterServiceVersion extends KubernetesObject {
  spec?: { displayName?: string } | undefined
  status?: { phase?: string; reason?: string; message?: string } | undefined
}

/** OLM's settings: there is one for the cluster, called `cluster`. */
export interface OlmConfig extends KubernetesObject {
  spec?: { features?: { disableCopiedCSVs?: boolean } }
  status?: { conditions?: Condition[] }
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
