import { isObject, type Json, type JsonObject, objectAt, own } from '@wherry/cel/internal'
import { invalid } from '../metadata/validate.ts'
import type { KubeObject } from '../objects/object.ts'
import type { ResourceType, ScalePaths } from '../resources/resource-type.ts'
import { selectorText } from '../selectors/selector-text.ts'
import { StatusError } from '../status.ts'

/** The paths for built-ins with a scale subresource, which are the same for all of them. */
const builtinPaths: ScalePaths = { specReplicas: '.spec.replicas', statusReplicas: '.status.replicas' }

/** The path of the desired replicas in an object. */
export function replicasPath(type: ResourceType): string[] {
  return (type.scale ?? builtinPaths).specReplicas.split('.').slice(1)
}

/** The Scale of an object: its replicas and its selector. */
export function scaleOf(type: ResourceType, object: KubeObject): KubeObject {
  const paths = type.scale ?? builtinPaths
  const replicas = at(object, paths.specReplicas)
  if (type.custom && replicas === undefined) {
    const message = `the spec replicas field ${JSON.stringify(paths.specReplicas)} does not exist`
    throw new StatusError(500, 'InternalError', `Internal error occurred: ${message}`, {
      details: { causes: [{ message }] },
    })
  }
  const { name, namespace, uid, resourceVersion, creationTimestamp } = object.metadata
  const metadata = { name, namespace, uid, resourceVersion, creationTimestamp } as KubeObject['metadata']
  const selector = selectorOf(type, object, paths)
  return {
    kind: 'Scale',
    apiVersion: 'autoscaling/v1',
    metadata,
    spec: typeof replicas === 'number' && replicas !== 0 ? { replicas } : {},
    status: { replicas: Number(at(object, paths.statusReplicas) ?? 0), ...(selector === '' ? {} : { selector }) },
  }
}

function selectorOf(type: ResourceType, object: KubeObject, paths: ScalePaths): string {
  if (type.custom) {
    const text = paths.labelSelector === undefined ? undefined : at(object, paths.labelSelector)
    return typeof text === 'string' ? text : ''
  }
  const selector = objectAt(objectAt(object, 'spec'), 'selector')
  return selectorText(type.plural === 'replicationcontrollers' ? { matchLabels: selector ?? {} } : selector)
}

/** The object with the replicas of a Scale. */
export function withScale(type: ResourceType, object: KubeObject, scale: Json): KubeObject {
  if (!isObject(scale)) throw StatusError.badRequest('the request body is no Scale')
  const asked = own(objectAt(scale, 'spec') ?? {}, 'replicas') ?? 0
  if (typeof asked !== 'number' || !Number.isInteger(asked) || asked < 0) {
    const { name = '' } = object.metadata
    if (type.custom) {
      const field = (type.scale ?? builtinPaths).specReplicas
      throw StatusError.invalid(type, name, [invalid(field, asked, 'should be a non-negative integer')])
    }
    const scaleKind = { group: 'autoscaling', plural: 'scales', kind: 'Scale' }
    throw StatusError.invalid(scaleKind, name, [invalid('spec.replicas', asked, 'must be greater than or equal to 0')])
  }
  const path = replicasPath(type)
  const { resourceVersion, uid } = (objectAt(scale, 'metadata') ?? {}) as KubeObject['metadata']
  const next: KubeObject = { ...object, metadata: { ...object.metadata } }
  if (resourceVersion !== undefined) next.metadata.resourceVersion = resourceVersion
  if (uid !== undefined) next.metadata.uid = uid
  let parent = next as Record<string, Json>
  for (const key of path.slice(0, -1)) {
    const child = parent[key]
    const copy = (isObject(child) ? { ...child } : {}) as Record<string, Json>
    parent[key] = copy
    parent = copy
  }
  parent[path.at(-1) as string] = asked
  return next
}

/** The value at a path of fields and items, such as `.spec.replicas`, `.a.b\\.c` or `.a[0]['b']`. */
function at(object: JsonObject, path: string): Json | undefined {
  let value: Json | undefined = object
  for (const match of path.matchAll(/\.((?:\\.|[^.[\]\\])+)|\[(\d+)\]|\['([^']*)'\]/g)) {
    const key = match[1]?.replace(/\\(.)/g, '$1') ?? match[3]
    if (key !== undefined) value = isObject(value) ? own(value, key) : undefined
    else value = Array.isArray(value) ? (value[Number(match[2])] as Json | undefined) : undefined
  }
  return value
}
