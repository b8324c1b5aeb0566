import { type JsonObject, objectAt, objectsAt, stringAt } from '@wherry/cel/internal'
import type { KubeObject } from '../objects/object.ts'

const notReady = { key: 'node.kubernetes.io/not-ready', effect: 'NoSchedule' }

/** Keeps Pods from a new node until the node is ready, as the admission plugin `TaintNodesByCondition` does. */
export function taintNewNode(node: KubeObject): void {
  const spec: JsonObject = { ...objectAt(node, 'spec') }
  const taints = objectsAt(spec, 'taints')
  const isTainted = taints.some(
    one => stringAt(one, 'key') === notReady.key && stringAt(one, 'effect') === notReady.effect,
  )
  if (!isTainted) node.spec = { ...spec, taints: [...taints, { ...notReady }] }
}
