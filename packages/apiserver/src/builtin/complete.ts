import { isObject, isRawNumber, type Json, type JsonObject, objectAt, own, setOwn } from '@wherry/cel/internal'
import { builtinType } from '../fields/builtin-types.ts'
import { type FieldType, fieldOf } from '../fields/field-type.ts'
import { byKey } from '../objects/decoding.ts'
import type { KubeObject } from '../objects/object.ts'
import type { ResourceType } from '../resources/resource-type.ts'
import { resourceKey } from '../store/store.ts'
import { completeBehavior } from './autoscaler-behavior.ts'
import { canonicalTime } from './go-time.ts'
import { completeJob } from './job.ts'
import { completePod, podDefaults } from './pod-defaults.ts'
import { canonicalQuantity } from './quantity.ts'
import { completeLimits, rarerDefaults } from './rarer-defaults.ts'
import { dropAffinity, serviceDefaults } from './service.ts'
import { completeController, completeDaemonSet, completeSet, workloadDefaults } from './workload-defaults.ts'
import { keptTexts, leftOutZeros } from './zero-values.ts'

/** The defaults of a type's fields. Functions are called in the order of the fields. */
export type Defaults = Readonly<Record<string, Json | ((of: JsonObject) => Json | undefined)>>

/** The defaults by the name of the type, so that the defaults of a Pod's spec apply to every template. */
const defaults: Readonly<Record<string, Defaults>> = {
  ...podDefaults,
  ...workloadDefaults,
  ...serviceDefaults,
  ...rarerDefaults,
}

/** The resources with objects that {@link complete} completes as a real server does. It leaves objects of other resources unchanged. */
const completed: ReadonlySet<string> = new Set([
  ...['pods', 'podtemplates', 'replicationcontrollers', 'services', 'persistentvolumeclaims', 'persistentvolumes'],
  ...['resourcequotas', 'deployments.apps', 'statefulsets.apps', 'daemonsets.apps', 'replicasets.apps'],
  ...['jobs.batch', 'cronjobs.batch', 'networkpolicies.networking.k8s.io', 'ingresses.networking.k8s.io'],
  ...['roles', 'clusterroles', 'rolebindings', 'clusterrolebindings'].map(one => `${one}.rbac.authorization.k8s.io`),
  'poddisruptionbudgets.policy',
  'horizontalpodautoscalers.autoscaling',
  ...['events', 'serviceaccounts', 'limitranges', 'endpoints', 'nodes', 'leases.coordination.k8s.io'],
  ...['endpointslices.discovery.k8s.io', 'priorityclasses.scheduling.k8s.io', 'runtimeclasses.node.k8s.io'],
  ...['ingressclasses', 'servicecidrs'].map(one => `${one}.networking.k8s.io`),
  ...['storageclasses', 'csidrivers', 'csinodes', 'volumeattachments'].map(one => `${one}.storage.k8s.io`),
  'volumeattributesclasses.storage.k8s.io',
  ...['flowschemas', 'prioritylevelconfigurations'].map(one => `${one}.flowcontrol.apiserver.k8s.io`),
  ...['resourceclaims', 'resourceslices', 'deviceclasses'].map(one => `${one}.resource.k8s.io`),
  'apiservices.apiregistration.k8s.io',
  'certificatesigningrequests.certificates.k8s.io',
  'controllerrevisions.apps',
  'storageversionmigrations.storagemigration.k8s.io',
])

function typeOf(type: ResourceType): FieldType | undefined {
  return !type.custom && completed.has(resourceKey(type)) ? builtinType(type.apiVersion, type.kind) : undefined
}

/** Functions that fill in fields of the object itself, and not of its templates. */
const ofItself: Readonly<Record<string, (object: KubeObject) => void>> = {
  pods: completePod,
  'jobs.batch': completeJob,
  replicationcontrollers: completeController,
  'daemonsets.apps': completeDaemonSet,
  'statefulsets.apps': completeSet,
  services: dropAffinity,
  'horizontalpodautoscalers.autoscaling': completeBehavior,
  limitranges: completeLimits,
}

/** Maps that stay if they are empty, because a real server checks an empty map in another way than an absent map. The resource's strategy removes them before the object is stored. */
const keptEmpty: Readonly<Record<string, readonly string[]>> = {
  nodes: ['status', 'allocatable'],
  persistentvolumeclaims: ['spec', 'resources', 'requests'],
}

/** Completes an object of a built-in resource: fills in its defaults, brings its values into the server's form, and drops empty values. */
export function complete(object: KubeObject, type: ResourceType): void {
  const fields = typeOf(type)
  if (fields === undefined) return
  ofItself[resourceKey(type)]?.(object)
  const { metadata } = object
  const parents = keptEmpty[resourceKey(type)]?.slice() ?? []
  const name = parents.pop() ?? ''
  const had = own(objectIn(object, parents) ?? {}, name)
  // Metadata has been read before, and a null list in it has a meaning.
  const whole = struct({ ...object, metadata: {} }, fields)
  for (const key of Object.keys(object)) delete object[key]
  Object.assign(object, whole, { metadata })
  const parent = objectIn(object, parents)
  if (parent !== undefined && isObject(had) && Object.keys(had).length === 0) parent[name] = {}
}

function objectIn(object: JsonObject, path: readonly string[]): JsonObject | undefined {
  return path.reduce<JsonObject | undefined>((inner, name) => objectAt(inner, name), object)
}

/** The status of a new object of a resource, if all of its objects have a status. */
export function newStatus(type: ResourceType): Json | undefined {
  const fields = typeOf(type)
  const status = fields?.always.has('status') ? fieldOf(fields, 'status') : undefined
  return status === undefined ? undefined : struct({}, status)
}

function struct(given: JsonObject, type: FieldType): JsonObject {
  const object: JsonObject = {}
  for (const name of Object.keys(given)) {
    const value = given[name]
    // An empty list counts as absent, unless every object has the list.
    const isNone = Array.isArray(value) && value.length === 0 && !type.always.has(name)
    if (value != null && !isNone && !isZero(value, name, type)) setOwn(object, name, value)
  }
  const byDefault = defaults[type.name] ?? {}
  for (const name of Object.keys(byDefault)) {
    if (own(object, name) !== undefined) continue
    const value = byDefault[name]
    object[name] = typeof value === 'function' ? value(object) : value
  }
  for (const name of type.always) {
    if (own(object, name) === undefined) object[name] = fieldOf(type, name)?.kind === 'map' ? {} : null
  }
  for (const name of Object.keys(object)) {
    const field = fieldOf(type, name)
    const value = object[name]
    if (field === undefined || value == null) continue
    const child = completedValue(value, field)
    if (isEmpty(child, field) && !type.always.has(name)) delete object[name]
    else object[name] = child
  }
  return object
}

function completedValue(value: Json, type: FieldType): Json {
  if (type.kind === 'scalar') return scalar(value, type, false)
  const { items, others } = type
  if (Array.isArray(value)) {
    return items === undefined ? value : value.map(item => completedValue((item ?? zeroOf(items)) as Json, items))
  }
  if (!isObject(value)) return value
  if (type.struct) return struct(value, type)
  if (others?.kind === 'string') return mapValues(value, text => text ?? '')
  if (others?.kind !== 'scalar') return value
  return mapValues(value, item => scalar(item ?? (others.reads === 'time' ? null : '0'), others, true))
}

const zeros: Readonly<Record<string, Json>> = { string: '', number: 0, boolean: false }

/** The value that Go reads for a null item of a list. */
function zeroOf({ struct, kind }: FieldType): Json {
  return struct ? {} : (zeros[kind ?? ''] ?? null)
}

function mapValues(map: JsonObject, to: (value: Json | undefined) => Json): JsonObject {
  const entries = Object.entries(map).map(([name, value]): [string, Json] => [name, to(value)])
  return Object.fromEntries(entries.sort(byKey))
}

/** Formats a quantity or a time. All scalars of built-ins that are not only texts are quantities or times. */
function scalar(value: Json, { reads }: FieldType, isResource: boolean): Json {
  const text = isRawNumber(value) ? value.rawJSON : typeof value === 'number' ? String(value) : value
  if (typeof text !== 'string') return value
  if (reads === 'time' || reads === 'microTime') return canonicalTime(text, reads === 'microTime')
  return canonicalQuantity(text.trim(), isResource)
}

/** Whether a value is the zero value of its type and is left out for that reason. */
function isZero(value: Json, name: string, type: FieldType): boolean {
  const isLeftOut = leftOutZeros[type.name]?.includes(name) === true
  if (value !== '') return isLeftOut && (value === false || value === 0)
  // An empty text in a field for a number or a text counts as absent.
  return isLeftOut || (fieldOf(type, name)?.kind === 'string' && !keptTexts.has(`${type.name}.${name}`))
}

/** Whether a value is an empty list or map, which is left out. Empty structs are kept. */
function isEmpty(value: Json, type: FieldType): boolean {
  if (Array.isArray(value)) return value.length === 0
  return type.others !== undefined && isObject(value) && Object.keys(value).length === 0
}
