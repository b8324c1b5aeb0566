import type { View } from '@wherry/client'
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

/** The view that a subject reads: `full`, `default`, `metadata`, or `projection`, of three fields. */
export function viewOf(context: SubjectContext): View {
  const isPods = kindOf(context) === 'pods'
  const all = isPods ? pods : configMaps
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
