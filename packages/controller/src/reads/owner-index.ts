import type { KubernetesObject } from '@wherry/client'
import { controllerOf } from '../objects/owner.ts'

/** The name of the index of an informer's objects by the uid of the object that controls each. */
export const ownerIndex = 'wherry.ownerUid'

/** What an object is indexed by. */
export function ownerUids(object: unknown): readonly string[] {
  const owner = controllerOf(object as KubernetesObject)
  return owner === undefined ? [] : [owner.uid]
}
