import type { KubernetesObject } from '@wherry/client'
import { controllerOf } from '../objects/owner.ts'

/** The name of the index of an informer's objects by the uid of the object that controls each. */
export const ownerIndex = 'wherry.ownerUid'

/**
 * What an object is indexed by: a uid, which no text of a label is. Nothing for what a projection makes of an object without its owners,
 * null among that.
 */
export function ownerUids(object: unknown): readonly string[] {
  const owner = object == null ? undefined : controllerOf(object as KubernetesObject)
  return owner === undefined ? [] : [owner.uid]
}
