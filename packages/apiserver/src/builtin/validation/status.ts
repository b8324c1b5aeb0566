import { objectAt, own } from '@wherry/cel/internal'
import type { Check } from './causes.ts'

const more = 'cannot be greater than status.replicas'

/** Checks the counts of a status: none is negative, those in `parts` are at most `replicas`, and with `parts` no more replicas are available than ready. */
function counts(fields: readonly string[], parts: readonly string[], thanReady: string): Check {
  return (object, causes) => {
    const status = objectAt(object, 'status') ?? {}
    for (const field of fields) causes.notNegative(`status.${field}`, own(status, field))
    const count = (field: string): number => Number(own(status, field) ?? 0)
    for (const field of parts) {
      if (count(field) > count('replicas')) causes.invalid(`status.${field}`, count(field), more)
    }
    if (parts.length > 0 && count('availableReplicas') > count('readyReplicas')) {
      causes.invalid('status.availableReplicas', count('availableReplicas'), `cannot be greater than ${thanReady}`)
    }
  }
}

export const checkDeploymentStatus: Check = counts(
  [
    ...['observedGeneration', 'replicas', 'updatedReplicas', 'readyReplicas', 'availableReplicas'],
    ...['unavailableReplicas', 'terminatingReplicas', 'collisionCount'],
  ],
  ['updatedReplicas', 'readyReplicas', 'availableReplicas'],
  'readyReplicas',
)

export const checkReplicaSetStatus: Check = counts(
  [
    ...['replicas', 'fullyLabeledReplicas', 'readyReplicas', 'availableReplicas', 'observedGeneration'],
    'terminatingReplicas',
  ],
  ['fullyLabeledReplicas', 'readyReplicas', 'availableReplicas'],
  'readyReplicas',
)

export const checkStatefulSetStatus: Check = counts(
  [
    ...['replicas', 'readyReplicas', 'currentReplicas', 'updatedReplicas', 'availableReplicas'],
    ...['observedGeneration', 'collisionCount'],
  ],
  ['readyReplicas', 'currentReplicas', 'updatedReplicas', 'availableReplicas'],
  'status.readyReplicas',
)

export const checkDaemonSetStatus: Check = counts(
  [
    ...['currentNumberScheduled', 'numberMisscheduled', 'desiredNumberScheduled', 'numberReady', 'observedGeneration'],
    ...['updatedNumberScheduled', 'numberAvailable', 'numberUnavailable', 'collisionCount'],
  ],
  [],
  '',
)
