import { type JsonObject, objectAt, own, sameJson, stringAt } from '@wherry/cel/internal'
import { invalid } from '../metadata/validate.ts'
import type { KubeObject } from '../objects/object.ts'
import type { StatusCause } from '../status.ts'
import { isLess } from './quantity.ts'
import { forbidden, withDifference } from './spec-difference.ts'

/** The finalizer that keeps a claim while Pods use it. */
export const claimProtection = 'kubernetes.io/pvc-protection'

/** The problems of a claim that replaces another: its spec is immutable, except its size and some fields that can be set later. */
export function claimProblems(claim: KubeObject, old: KubeObject | undefined): StatusCause[] {
  if (old === undefined) return []
  const [spec, before] = [{ ...objectAt(claim, 'spec') }, { ...objectAt(old, 'spec') }]
  const bound = stringAt(objectAt(claim, 'status'), 'phase') === 'Bound'
  const causes: StatusCause[] = []
  const [next, was] = [{ ...spec }, { ...before }]
  if (own(before, 'volumeName') === undefined) was.volumeName = own(spec, 'volumeName')
  if (own(before, 'storageClassName') === undefined) was.storageClassName = own(spec, 'storageClassName')
  if (bound) {
    next.volumeAttributesClassName = own(before, 'volumeAttributesClassName')
    const resources = objectAt(spec, 'resources')
    const storage = requested(before)
    next.resources = { ...resources, requests: { ...objectAt(resources, 'requests'), storage } }
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
  return causes
}

function requested(spec: JsonObject): string {
  return stringAt(objectAt(objectAt(spec, 'resources'), 'requests'), 'storage') ?? '0'
}

function stored(status: JsonObject | undefined): string {
  return stringAt(objectAt(status, 'capacity'), 'storage') ?? '0'
}
