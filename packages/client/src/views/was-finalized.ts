import type { KubernetesObject } from './object.ts'

/**
 * Whether the write with this answer has deleted the object: the object is being deleted, and no finalizer and no grace period
 * keeps it. The finalizers of a namespace are in its `spec`.
 */
export function wasFinalized(answer: KubernetesObject): boolean {
  const { apiVersion, kind, metadata } = answer
  const { deletionTimestamp, deletionGracePeriodSeconds = 0, finalizers } = metadata ?? {}
  if (deletionTimestamp === undefined || (deletionGracePeriodSeconds ?? 0) > 0 || (finalizers?.length ?? 0) > 0)
    return false
  if (apiVersion !== 'v1' || kind !== 'Namespace') return true
  const { spec } = answer as { readonly spec?: { readonly finalizers?: readonly string[] | undefined } | undefined }
  return (spec?.finalizers?.length ?? 0) === 0
}
