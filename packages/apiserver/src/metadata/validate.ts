import {
  addAll,
  goQuote,
  isObject,
  type JsonObject,
  labelValueProblems,
  qualifiedNameProblems,
} from '@wherry/cel/internal'
import type { KubeObject, OwnerReference } from '../objects/object.ts'
import type { ResourceType } from '../resources/resource-type.ts'
import type { StatusCause } from '../status.ts'
import { isOwnServer, nameProblems, prefixProblems } from './names.ts'

const maxAnnotationBytes = 262_144
/** Finalizers without a domain. */
const standardFinalizers = new Set(['kubernetes', 'orphan', 'foregroundDeletion'])

/** A cause in the words of the server's field errors. */
export function invalid(field: string, value: unknown, why: string): StatusCause {
  return {
    reason: 'FieldValueInvalid',
    message: `Invalid value: ${typeof value === 'string' ? goQuote(value) : JSON.stringify(value)}${why === '' ? '' : `: ${why}`}`,
    field,
  }
}

export function required(field: string, why: string): StatusCause {
  return { reason: 'FieldValueRequired', message: why === '' ? 'Required value' : `Required value: ${why}`, field }
}

export function tooLong(field: string, bytes: number): StatusCause {
  return { reason: 'FieldValueTooLong', message: `Too long: may not be more than ${bytes} bytes`, field }
}

/** The problems of an object's metadata: a bad name, labels, owners, finalizers. */
export function metaProblems(object: KubeObject, type: ResourceType): StatusCause[] {
  const { name = '', generateName = '', labels = {}, annotations = {}, ownerReferences = [] } = object.metadata
  const causes: StatusCause[] = []
  if (generateName !== '') {
    causes.push(...prefixProblems(type, generateName).map(why => invalid('metadata.generateName', generateName, why)))
  }
  if (name === '') causes.push(required('metadata.name', 'name or generateName is required'))
  else for (const why of nameProblems(type, name)) causes.push(invalid('metadata.name', name, why))
  const reported = new Set<string>()
  for (const key of Object.keys(labels).sort()) {
    const value = labels[key] as string
    for (const why of qualifiedNameProblems(key)) causes.push(invalid('metadata.labels', key, why))
    // A value of several labels of a built-in is reported once.
    if (type.custom || !reported.has(value)) {
      for (const why of labelValueProblems(value)) causes.push(invalid('metadata.labels', value, why))
    }
    reported.add(value)
  }
  let bytes = 0
  for (const key of Object.keys(annotations).sort()) {
    bytes += Buffer.byteLength(key) + Buffer.byteLength(annotations[key] as string)
    causes.push(...qualifiedNameProblems(key.toLowerCase()).map(why => invalid('metadata.annotations', key, why)))
  }
  if (bytes > maxAnnotationBytes) causes.push(tooLong('metadata.annotations', maxAnnotationBytes))
  if (ownerReferences.length > 0) addAll(causes, ownerProblems(ownerReferences))
  if ((object.metadata.finalizers ?? []).length > 0) addAll(causes, finalizerProblems(object, type))
  return causes
}

function ownerProblems(owners: readonly OwnerReference[]): StatusCause[] {
  const causes: StatusCause[] = []
  let controller: OwnerReference | undefined
  for (const [i, owner] of owners.entries()) {
    const field = `metadata.ownerReferences[${i}]`
    for (const part of ['apiVersion', 'kind', 'name', 'uid'] as const) {
      if (!isObject(owner) || typeof owner[part] !== 'string' || owner[part] === '') {
        causes.push(required(`${field}.${part}`, 'must not be empty'))
      }
    }
    if (owner.kind === 'Event' && owner.apiVersion === 'v1') {
      causes.push(invalid(field, inOrder(owner), '/v1, Kind=Event is disallowed from being an owner'))
    }
    if (owner.controller !== true) continue
    if (controller !== undefined) {
      const both = `${controller.kind}/${controller.name} and ${owner.kind}/${owner.name}`
      const why = `Only one reference can have Controller set to true. Found "true" in references for ${both}`
      causes.push(invalid('metadata.ownerReferences', owners.map(inOrder), why))
    }
    controller ??= owner
  }
  return causes
}

/** An owner, with the fields in the order in which the server's type prints them. */
function inOrder({ apiVersion, kind, name, uid, controller, blockOwnerDeletion }: OwnerReference): JsonObject {
  return {
    ...{ apiVersion, kind, name, uid },
    ...(controller === undefined ? {} : { controller }),
    ...(blockOwnerDeletion === undefined ? {} : { blockOwnerDeletion }),
  }
}

function finalizerProblems({ metadata }: KubeObject, type: ResourceType): StatusCause[] {
  const finalizers = metadata.finalizers ?? []
  const causes = finalizers.flatMap(finalizer =>
    qualifiedNameProblems(finalizer).map(why => invalid('metadata.finalizers', finalizer, why)),
  )
  if (finalizers.includes('orphan') && finalizers.includes('foregroundDeletion')) {
    causes.push(
      invalid('metadata.finalizers', finalizers, 'finalizer orphan and foregroundDeletion cannot be both set'),
    )
  }
  // The servers within the API server skip this check: their own finalizers have no path of a domain.
  if (type.custom || isOwnServer(type.group)) return causes
  for (const [i, finalizer] of finalizers.entries()) {
    if (finalizer.includes('/') || standardFinalizers.has(finalizer)) continue
    const why = 'name is neither a standard finalizer name nor is it fully qualified'
    causes.push(invalid(`metadata.finalizers[${i}]`, finalizer, why))
  }
  return causes
}
