import type { KubernetesObject } from './object.ts'

/**
 * Whether an object has gone with the write whose answer it is: it is being deleted, and nothing keeps it. What keeps a namespace are the
 * finalizers of its `spec`.
 */
export function wentWith(answer: KubernetesObject): boolean {
  const { apiVersion, kind, metadata } = answer
  const { deletionTimestamp, deletionGracePeriodSeconds = 0, finalizers } = metadata ?? {}
  if (deletionTimestamp === undefined || (deletionGracePeriodSeconds ?? 0) > 0 || (finalizers?.length ?? 0) > 0)
    return false
  if (apiVersion !== 'v1' || kind !== 'Namespace') return true
  const { spec } = answer as { readonly spec?: { readonly finalizers?: readonly string[] | undefined } | undefined }
  return (spec?.finalizers?.length ?? 0) === 0
}
