import type { KubernetesObject } from '@wherry/client'

/**
 * Whether an update begins the deletion of an object, or replaces it by another object of the same name. A
 * projection that keeps neither `uid` nor `deletionTimestamp` does not show this.
 */
export function isTurn(old: unknown, now: unknown): boolean {
  const before = metadataOf(old)
  const after = metadataOf(now)
  return before?.uid !== after?.uid || before?.deletionTimestamp !== after?.deletionTimestamp
}

function metadataOf(object: unknown): KubernetesObject['metadata'] {
  return (object as KubernetesObject | null | undefined)?.metadata
}
