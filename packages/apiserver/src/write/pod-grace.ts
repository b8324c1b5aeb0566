import { objectAt, own, stringAt } from '@wherry/cel/internal'
import type { KubeObject } from '../objects/object.ts'

/** The time of a pod's graceful deletion, in seconds; 0 if the pod has no node, or has ended. A negative time becomes one second. */
export function podGraceSeconds(object: KubeObject, asked: number | undefined): number {
  const spec = objectAt(object, 'spec') ?? {}
  const phase = stringAt(objectAt(object, 'status'), 'phase')
  if (!own(spec, 'nodeName') || phase === 'Succeeded' || phase === 'Failed') return 0
  const declared = own(spec, 'terminationGracePeriodSeconds')
  const seconds = asked ?? (typeof declared === 'number' ? declared : 30)
  return seconds < 0 ? 1 : seconds
}
