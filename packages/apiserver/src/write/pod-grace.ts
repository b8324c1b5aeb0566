import { objectAt, own, stringAt } from '@wherry/cel/internal'
import type { KubeObject } from '../objects/object.ts'

/**
 * The time of a pod's graceful deletion, in seconds; 0 if the pod has no node, or has ended. A negative time becomes one second. A pod that is being deleted
 * keeps its time unless another time is asked for.
 */
export function podGraceSeconds(object: KubeObject, asked: number | undefined): number {
  const spec = objectAt(object, 'spec') ?? {}
  const phase = stringAt(objectAt(object, 'status'), 'phase')
  const { deletionTimestamp, deletionGracePeriodSeconds: pending } = object.metadata
  const declared = own(spec, 'terminationGracePeriodSeconds')
  const marked = deletionTimestamp === undefined ? undefined : pending
  if (marked === undefined && (!own(spec, 'nodeName') || phase === 'Succeeded' || phase === 'Failed')) return 0
  const seconds = asked ?? marked ?? (typeof declared === 'number' ? declared : 30)
  return seconds < 0 ? 1 : seconds
}
