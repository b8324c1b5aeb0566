import type { KubernetesObject } from '@wherry/client'

/**
 * Whether an update begins or ends a life: the object is being deleted from now on, or it is another one of the same name. A
 * projection that keeps neither `uid` nor `deletionTimestamp` does not show that.
 */
export function isTurn(old: unknown, now: unknown): boolean {
  const before = metadataOf(old)
  const after = metadataOf(now)
  return before?.uid !== after?.uid || before?.deletionTimestamp !== after?.deletionTimestamp
}

function metadataOf(object: unknown): KubernetesObject['metadata'] {
  return (object as KubernetesObject | null | undefined)?.metadata
}
