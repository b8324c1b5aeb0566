import { isObject, type JsonObject, objectAt, objectsAt, stringAt, stringsAt } from '@wherry/cel/internal'
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

/** Fills in the fields for the addresses of a node's Pods: the older of one block, the later of all. The older wins if they differ. */
export function readNode(node: KubeObject): void {
  const spec = objectAt(node, 'spec')
  const [one = '', all] = [stringAt(spec, 'podCIDR'), stringsAt(spec, 'podCIDRs')]
  if (one !== '' && one !== all[0]) node.spec = { ...spec, podCIDRs: [one] }
  else if (one === '' && all.length > 0) node.spec = { ...spec, podCIDR: all[0] as string }
}

/** Fills in what can be allocated, if it was sent as `{}`. A real server checks `{}` as it is, and finds nothing when it reads the object from etcd. */
export function fillAllocatable(node: KubeObject): void {
  const status = objectAt(node, 'status')
  const capacity = objectAt(status, 'capacity')
  const { allocatable, ...rest } = status ?? {}
  if (!isObject(allocatable) || Object.keys(allocatable).length > 0) return
  node.status = capacity === undefined ? rest : { ...rest, allocatable: capacity }
}
