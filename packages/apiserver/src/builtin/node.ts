import { type JsonObject, objectAt, objectsAt, stringAt, stringsAt } from '@wherry/cel/internal'
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

/**
 * Fills in the fields for the addresses of a node's Pods: the older of one block, the later of all. The older wins if they differ. Drops an empty list of what
 * can be allocated, which counts as absent.
 */
export function readNode(node: KubeObject): void {
  const status = objectAt(node, 'status')
  if (status !== undefined && Object.keys(objectAt(status, 'allocatable') ?? {}).length === 0) {
    const { allocatable: _, ...rest } = status
    node.status = rest
  }
  const spec = objectAt(node, 'spec')
  const [one = '', all] = [stringAt(spec, 'podCIDR'), stringsAt(spec, 'podCIDRs')]
  if (one !== '' && one !== all[0]) node.spec = { ...spec, podCIDRs: [one] }
  else if (one === '' && all.length > 0) node.spec = { ...spec, podCIDR: all[0] as string }
}
