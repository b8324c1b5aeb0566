import { objectAt, own, sameJson, stringAt } from '../objects/json.ts'
import type { KubeObject } from '../objects/object.ts'
import type { StatusCause } from '../status.ts'
import { invalid } from '../write/validate.ts'
import { forbidden, withDifference } from './spec-difference.ts'

/** What is wrong with a claim that replaces another: its spec is for life, but for what can be set later and its size. */
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
    const storage = own(objectAt(objectAt(before, 'resources'), 'requests') ?? {}, 'storage')
    next.resources = { ...resources, requests: { ...objectAt(resources, 'requests'), storage } }
  }
  if (!sameJson(next, was)) {
    const why =
      'spec is immutable after creation except resources.requests and volumeAttributesClassName for bound claims'
    causes.push(forbidden('spec', withDifference(why, was, next)))
  }
  const mode = own(spec, 'volumeMode')
  // The path is the server's own.
  if (mode !== own(before, 'volumeMode')) causes.push(invalid('volumeMode', mode, 'field is immutable'))
  return causes
}
