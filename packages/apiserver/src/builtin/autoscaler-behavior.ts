import { type Json, type JsonObject, objectAt, own } from '@wherry/cel/internal'
import type { KubeObject } from '../objects/object.ts'

const byPods = { type: 'Pods', value: 4, periodSeconds: 15 }
const byPercent = { type: 'Percent', value: 100, periodSeconds: 15 }

/**
 * Fills in the behavior of both directions, if an autoscaler has a behavior.
 *
 * See https://kubernetes.io/docs/tasks/run-application/horizontal-pod-autoscale/#default-behavior
 */
export function completeBehavior(autoscaler: KubeObject): void {
  const behavior = objectAt(objectAt(autoscaler, 'spec'), 'behavior')
  if (behavior === undefined) return
  behavior.scaleUp = rules(behavior, 'scaleUp', { stabilizationWindowSeconds: 0, policies: [byPods, byPercent] })
  behavior.scaleDown = rules(behavior, 'scaleDown', { policies: [byPercent] })
}

function rules(behavior: JsonObject, direction: string, byDefault: JsonObject): Json {
  const given = objectAt(behavior, direction) ?? {}
  const all: JsonObject = { selectPolicy: 'Max', ...byDefault }
  for (const name of Object.keys(given)) if (own(given, name) !== null) all[name] = own(given, name) as Json
  return all
}
