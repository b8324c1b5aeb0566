import { type JsonObject, objectAt, objectsAt, own, stringAt } from '@wherry/cel/internal'
import type { KubeObject } from '../../objects/object.ts'
import { ageOf, countAt, nameOf, none, type Printer, since } from './printer.ts'

const rolePrefix = 'node-role.kubernetes.io/'
const unknown = '<unknown>'

const events: Printer = {
  cells(event, now) {
    const first = ageAt(event, now, 'firstTimestamp', 'deprecatedFirstTimestamp', 'eventTime')
    const last = ageAt(event, now, 'lastTimestamp', 'deprecatedLastTimestamp')
    const series = objectAt(event, 'series')
    const about = objectAt(event, 'involvedObject') ?? objectAt(event, 'regarding')
    const [kind, name] = [(stringAt(about, 'kind') ?? '').toLowerCase(), stringAt(about, 'name') ?? '']
    const message = stringAt(event, 'message') ?? stringAt(event, 'note') ?? ''
    const count = countAt(event, 'count') || countAt(event, 'deprecatedCount') || 1
    return [
      series === undefined ? (last ?? first ?? unknown) : (ageAt(series, now, 'lastObservedTime') ?? unknown),
      ...[stringAt(event, 'type') ?? '', stringAt(event, 'reason') ?? '', name === '' ? kind : `${kind}/${name}`],
      ...[stringAt(about, 'fieldPath') ?? '', sourceText(event), message.trim(), first ?? unknown],
      ...[series === undefined ? count : countAt(series, 'count'), nameOf(event)],
    ]
  },
}

/** Nodes, and other objects that a cluster has without its users. */
export const cluster: Readonly<Record<string, Printer>> = {
  nodes: {
    cells(node, now) {
      const [spec, status] = [objectAt(node, 'spec'), objectAt(node, 'status')]
      const info = objectAt(status, 'nodeInfo')
      const ready = objectsAt(status, 'conditions').findLast(one => stringAt(one, 'type') === 'Ready')
      const isReady = stringAt(ready, 'status') === 'True' ? 'Ready' : 'NotReady'
      const closed = own(spec ?? {}, 'unschedulable') === true ? ',SchedulingDisabled' : ''
      const architecture = stringAt(info, 'architecture') ?? ''
      const kernel = stringAt(info, 'kernelVersion') || unknown
      return [
        ...[nameOf(node), `${ready === undefined ? 'Unknown' : isReady}${closed}`, rolesText(node), ageOf(node, now)],
        ...[stringAt(info, 'kubeletVersion') ?? '', addressOf(status, 'InternalIP'), addressOf(status, 'ExternalIP')],
        ...[stringAt(info, 'osImage') || unknown, architecture === '' ? kernel : `${kernel} (${architecture})`],
        stringAt(info, 'containerRuntimeVersion') || unknown,
      ]
    },
  },
  events,
  'events.events.k8s.io': events,
  'storageclasses.storage.k8s.io': {
    cells: (object, now) => [
      ...[nameOf(object), stringAt(object, 'provisioner') ?? '', stringAt(object, 'reclaimPolicy') ?? 'Delete'],
      ...[stringAt(object, 'volumeBindingMode') ?? 'Immediate', own(object, 'allowVolumeExpansion') ?? false],
      ageOf(object, now),
    ],
    defaultOf: defaultClass,
  },
}

/** The annotations of the default StorageClass. The second annotation is deprecated. */
const isDefault = ['storageclass.kubernetes.io/is-default-class', 'storageclass.beta.kubernetes.io/is-default-class']

/** The newest class that is marked as the default. Of classes with the same creation time, the first by name. */
function defaultClass(classes: readonly KubeObject[]): string | undefined {
  const made = ({ metadata }: KubeObject): string => metadata.creationTimestamp ?? ''
  const [first] = classes
    .filter(({ metadata }) => isDefault.some(name => metadata.annotations?.[name] === 'true'))
    .sort((a, b) => (made(a) > made(b) || (made(a) === made(b) && nameOf(a) < nameOf(b)) ? -1 : 1))
  return first === undefined ? undefined : nameOf(first)
}

/** The age at the first of these times that is set. */
function ageAt(of: JsonObject, now: number, ...fields: string[]): string | undefined {
  const time = fields.map(field => stringAt(of, field)).find(one => one !== undefined)
  return time === undefined ? undefined : since(time, now)
}

function sourceText(event: KubeObject): string {
  const source = objectAt(event, 'source') ?? objectAt(event, 'deprecatedSource')
  const component = stringAt(event, 'reportingComponent') ?? stringAt(event, 'reportingController') ?? ''
  const [by, at] = [
    stringAt(source, 'component') || component,
    stringAt(source, 'host') || stringAt(event, 'reportingInstance'),
  ]
  return at === undefined || at === '' ? by : `${by}, ${at}`
}

function rolesText({ metadata }: KubeObject): string {
  const roles = Object.entries(metadata.labels ?? {}).flatMap(([key, value]) => {
    if (key.startsWith(rolePrefix)) return [key.slice(rolePrefix.length)]
    return key === 'kubernetes.io/role' ? [value] : []
  })
  return [...new Set(roles.filter(role => role !== ''))].sort().join(',') || none
}

function addressOf(status: JsonObject | undefined, type: string): string {
  const address = objectsAt(status, 'addresses').find(one => stringAt(one, 'type') === type)
  return stringAt(address, 'address') ?? none
}
