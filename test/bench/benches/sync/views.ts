import { defineResource, type KubernetesObject, type Resource, type View } from '@wherry/client'
import { type ConfigMap, configMaps, type Pod, pods } from '@wherry/client/resources/core'
import type { SubjectContext } from '../../harness/bench.ts'
import { kindOf } from './measure.ts'

const ofConfigMap = ({ metadata, data }: ConfigMap): object => ({
  labels: metadata?.labels,
  created: metadata?.creationTimestamp,
  keys: Object.keys(data ?? {}).length,
})

const ofPod = ({ metadata, spec, status }: Pod): object => ({
  labels: metadata?.labels,
  node: spec?.nodeName,
  phase: status?.phase,
})

interface ClusterServiceVersion extends KubernetesObject {
  readonly spec?: Readonly<Record<string, unknown>> | undefined
}

const clusterServiceVersions = defineResource<ClusterServiceVersion>({
  group: 'operators.coreos.com',
  version: 'v1alpha1',
  kind: 'ClusterServiceVersion',
  plural: 'clusterserviceversions',
  namespaced: true,
})

const withoutIcon = ({ spec, ...rest }: ClusterServiceVersion): object => {
  const { icon: _, ...others } = spec ?? {}
  return { ...rest, spec: others }
}

/**
 * The view that a subject reads: `full`, `default`, `metadata`, or `projection`: of three fields, or of all but the icon.
 */
export function viewOf(context: SubjectContext): View {
  const kind = kindOf(context)
  const isPods = kind === 'pods'
  if (kind === 'clusterserviceversions' && context.options.view === 'projection') {
    return clusterServiceVersions.project('without-icon', withoutIcon)
  }
  const all: Resource<object> = kind === 'clusterserviceversions' ? clusterServiceVersions : isPods ? pods : configMaps
  switch (context.options.view) {
    case 'full':
      return all.full()
    case 'metadata':
      return all.metadata()
    case 'projection':
      return isPods ? pods.project('three', ofPod) : configMaps.project('three', ofConfigMap)
    default:
      return all
  }
}
