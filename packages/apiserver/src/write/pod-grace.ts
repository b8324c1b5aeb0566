import { isObject, objectAt, own } from '@wherry/cel/internal'
import type { KubeObject } from '../objects/object.ts'

/** The time of a pod's graceful deletion, in seconds; 0 if the pod has no node. */
export function podGraceSeconds(object: KubeObject, asked: number | undefined): number {
  const spec = objectAt(object, 'spec')
  if (!isObject(spec) || !own(spec, 'nodeName')) return 0
  const own_ = own(spec, 'terminationGracePeriodSeconds')
  return asked ?? (typeof own_ === 'number' ? own_ : 30)
}
