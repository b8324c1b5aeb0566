import { isObject, type Json, type JsonObject, objectAt, own, sameJson, setOwn } from '../objects/json.ts'
import type { KubeObject } from '../objects/object.ts'
import type { ResourceType } from '../resources/resource-type.ts'
import { StatusError } from '../status.ts'
import { resourceKey } from '../store/store.ts'

/** What a built-in does beyond what every resource does. */
interface Behaviour {
  /** Completes an object about to be created. */
  create?(object: KubeObject): void
  /** Completes or refuses an update of the object itself. */
  update?(object: KubeObject, old: KubeObject, type: ResourceType): void
  /** Whether a delete answers the object instead of a Status. */
  readonly answersDeleted?: boolean
}

function encodeStringData(object: KubeObject): void {
  const stringData = objectAt(object, 'stringData')
  if (stringData === undefined) return
  const data: JsonObject = { ...objectAt(object, 'data') }
  for (const [key, value] of Object.entries(stringData)) {
    setOwn(data, key, Buffer.from(String(value), 'utf8').toString('base64'))
  }
  object.data = data
  delete object.stringData
}

/** ConfigMaps and Secrets that say so can't change, nor take it back. */
function keepImmutable(object: KubeObject, old: KubeObject, type: ResourceType): void {
  if (own(old, 'immutable') !== true) return
  const changed = ['data', 'binaryData', 'type'].filter(field => !sameJson(own(object, field), own(old, field)))
  if (own(object, 'immutable') !== true) changed.unshift('immutable')
  if (changed.length === 0) return
  throw StatusError.invalid(
    type,
    object.metadata.name ?? '',
    changed.map(field => ({
      reason: 'FieldValueForbidden',
      message: 'Forbidden: field is immutable when `immutable` is set',
      field,
    })),
  )
}

const behaviours: Readonly<Record<string, Behaviour>> = {
  configmaps: { update: keepImmutable },
  secrets: {
    create(object) {
      encodeStringData(object)
      object.type ??= 'Opaque'
    },
    update(object, old, type) {
      encodeStringData(object)
      object.type ??= own(old, 'type') as Json
      keepImmutable(object, old, type)
    },
  },
  namespaces: {
    create(object) {
      object.spec = { finalizers: ['kubernetes'] }
      object.status = { phase: 'Active' }
      const { name = '' } = object.metadata
      object.metadata.labels = { ...object.metadata.labels, 'kubernetes.io/metadata.name': name }
    },
    update(object, old) {
      // The list of finalizers changes only through the finalize subresource.
      object.spec = { ...objectAt(object, 'spec'), finalizers: objectAt(old, 'spec')?.finalizers ?? [] }
    },
    answersDeleted: true,
  },
  pods: {
    create(object) {
      object.status = { phase: 'Pending' }
    },
    answersDeleted: true,
  },
  persistentvolumeclaims: { answersDeleted: true },
  persistentvolumes: { answersDeleted: true },
  podtemplates: { answersDeleted: true },
  resourcequotas: { answersDeleted: true },
  serviceaccounts: { answersDeleted: true },
  services: { answersDeleted: true },
}

const none: Behaviour = {}

/** What is particular to this resource. */
export function behaviourOf(type: ResourceType): Behaviour {
  return type.custom ? none : (behaviours[resourceKey(type)] ?? none)
}

/** How long a pod's graceful deletion takes; 0 where nothing runs it. */
export function podGraceSeconds(object: KubeObject, asked: number | undefined): number {
  const spec = objectAt(object, 'spec')
  if (!isObject(spec) || !own(spec, 'nodeName')) return 0
  const own_ = own(spec, 'terminationGracePeriodSeconds')
  return asked ?? (typeof own_ === 'number' ? own_ : 30)
}
