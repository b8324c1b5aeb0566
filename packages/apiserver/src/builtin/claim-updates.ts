import { type JsonObject, objectAt, own, sameJson, stringAt } from '@wherry/cel/internal'
import { invalid } from '../metadata/validate.ts'
import type { KubeObject } from '../objects/object.ts'
import type { StatusCause } from '../status.ts'
import { isLess } from './quantity.ts'
import { forbidden, withDifference } from './spec-difference.ts'

/** The finalizer that keeps a claim while Pods use it. */
export const claimProtection = 'kubernetes.io/pvc-protection'

/**
 * Completes the source of a claim's data: `dataSource` and `dataSourceRef` each fill in the other. Drops what a real server drops: a source in another
 * namespace, and what only `dataSourceRef` can name. A claim keeps the source that it had.
 *
 * @see https://kubernetes.io/docs/concepts/storage/persistent-volumes/#volume-populators-and-data-sources
 */
export function completeSources(claim: KubeObject, old: KubeObject | undefined): void {
  const [given, before] = [objectAt(claim, 'spec'), objectAt(old, 'spec') ?? {}]
  if (given === undefined) return
  const spec = { ...given }
  const [reference, had] = [own(before, 'dataSourceRef'), own(before, 'dataSource')]
  if (reference === undefined && namespaceOf(objectAt(spec, 'dataSourceRef')) !== '') delete spec.dataSourceRef
  if ((reference ?? had ?? own(spec, 'dataSourceRef')) === undefined) {
    const source = objectAt(spec, 'dataSource')
    const what = `${stringAt(source, 'apiGroup') ?? ''}/${stringAt(source, 'kind')}`
    if (!['/PersistentVolumeClaim', 'snapshot.storage.k8s.io/VolumeSnapshot'].includes(what)) delete spec.dataSource
  }
  claim.spec = withSources(spec)
}

function namespaceOf(reference: JsonObject | undefined): string {
  return stringAt(reference, 'namespace') ?? ''
}

function withSources(spec: JsonObject): JsonObject {
  const [source, reference] = [objectAt(spec, 'dataSource'), objectAt(spec, 'dataSourceRef')]
  if (source !== undefined) return { ...spec, dataSourceRef: reference ?? source }
  if (reference === undefined || namespaceOf(reference) !== '') return { ...spec }
  const { namespace: _, ...local } = reference
  return { ...spec, dataSource: local }
}

/** Drops a field of a status that a real server has only with an alpha feature. */
export function dropFromStatus(object: KubeObject, field: string): void {
  const { [field]: _, ...status } = objectAt(object, 'status') ?? {}
  object.status = status
}

/** The problems of a claim that replaces another: its spec is immutable, except its size and some fields that can be set later. */
export function claimProblems(claim: KubeObject, old: KubeObject | undefined): StatusCause[] {
  if (old === undefined) return []
  const [spec, before] = [{ ...objectAt(claim, 'spec') }, withSources(objectAt(old, 'spec') ?? {})]
  const bound = stringAt(objectAt(claim, 'status'), 'phase') === 'Bound'
  const causes: StatusCause[] = []
  const [next, was] = [{ ...spec }, { ...before }]
  if (own(before, 'volumeName') === undefined) was.volumeName = own(spec, 'volumeName')
  if (own(before, 'storageClassName') === undefined) was.storageClassName = own(spec, 'storageClassName')
  if (bound) {
    next.volumeAttributesClassName = own(before, 'volumeAttributesClassName')
    const resources = objectAt(spec, 'resources')
    const requests = objectAt(resources, 'requests')
    if (requests !== undefined) next.resources = { ...resources, requests: { ...requests, storage: requested(before) } }
  }
  if (!sameJson(next, was)) {
    const why =
      'spec is immutable after creation except resources.requests and volumeAttributesClassName for bound claims'
    causes.push(forbidden('spec', withDifference(why, was, next)))
  }
  const [size, had, capacity] = [requested(spec), requested(before), stored(objectAt(old, 'status'))]
  if (isLess(size, had) && !isLess(capacity, size)) {
    causes.push(forbidden('spec.resources.requests.storage', 'field can not be less than status.capacity'))
  }
  const mode = own(spec, 'volumeMode')
  // The server's own path has no `spec`.
  if (mode !== own(before, 'volumeMode')) causes.push(invalid('volumeMode', mode, 'field is immutable'))
  const name = own(spec, 'volumeAttributesClassName')
  const current = own(objectAt(old, 'status') ?? {}, 'currentVolumeAttributesClassName')
  if (name !== own(before, 'volumeAttributesClassName') && current !== undefined && (name ?? '') === '') {
    const why = `update to ${name === undefined ? 'nil' : 'empty string'} is forbidden when status.currentVolumeAttributesClassName is not nil`
    causes.push(forbidden('spec.volumeAttributesClassName', why))
  }
  return causes
}

function requested(spec: JsonObject): string {
  return stringAt(objectAt(objectAt(spec, 'resources'), 'requests'), 'storage') ?? '0'
}

function stored(status: JsonObject | undefined): string {
  return stringAt(objectAt(status, 'capacity'), 'storage') ?? '0'
}
