import type { KubernetesObject } from '@wherry/client'
import { hashesAnnotation } from '../annotation-key.ts'
import type { Part } from '../parts/part.ts'

/** What names one state of one object: writes that carry it fail where it is another's, or has changed. */
export interface Precondition {
  readonly uid: string
  readonly resourceVersion: string
}

type WithStatus = KubernetesObject & { readonly status?: unknown }

/**
 * The object to put in place of `held`: the desired one, with what others have on its metadata. Labels and annotations that no
 * part holds are kept (but for hashes of what was there), and owners and the rest of the metadata that the desired object does
 * not mention. Finalizers are kept, and those of the desired object are added, unless the object is being deleted: a
 * server takes none then. The status is kept, where it is no subresource of its own, which no PUT would write.
 */
export function replacement(
  desired: KubernetesObject,
  held: KubernetesObject,
  precondition: Precondition,
  parts: readonly Part<never>[],
): KubernetesObject {
  const hasSubresource = parts.some(part => part.subresource === 'status')
  const { status } = held as WithStatus
  return {
    ...(!hasSubresource && status !== undefined && { status }),
    ...desired,
    metadata: {
      ...held.metadata,
      ...withoutUndefined(desired.metadata),
      ...merged('labels', desired, held, parts),
      ...merged('annotations', desired, held, parts),
      ...finalizers(desired, held),
      ...precondition,
    },
  }
}

function merged(
  what: 'labels' | 'annotations',
  desired: KubernetesObject,
  held: KubernetesObject,
  parts: readonly Part<never>[],
): { readonly [K in typeof what]?: Record<string, string> } {
  const others = Object.entries(held.metadata?.[what] ?? {}).filter(
    // Hashes that somebody wrote are of what was there.
    ([key]) => key !== hashesAnnotation && !parts.some(part => part.holds?.(what, key) === true),
  )
  // A spread makes a member of `__proto__`, and so does fromEntries.
  return { [what]: { ...Object.fromEntries(others), ...desired.metadata?.[what] } }
}

function finalizers(desired: KubernetesObject, held: KubernetesObject): { readonly finalizers?: string[] } {
  const added = finalizersTaken(desired, held)
  return added === undefined ? {} : { finalizers: [...new Set([...(held.metadata?.finalizers ?? []), ...added])] }
}

/** Of the desired finalizers those that a server takes: no new ones while the object is being deleted. */
export function finalizersTaken(
  { metadata: desired }: KubernetesObject,
  { metadata: held }: KubernetesObject,
): string[] | undefined {
  if (held?.deletionTimestamp === undefined) return desired?.finalizers
  return desired?.finalizers?.filter(finalizer => held.finalizers?.includes(finalizer))
}

function withoutUndefined<T extends object>(object: T | undefined): Partial<T> {
  return Object.fromEntries(Object.entries(object ?? {}).filter(([, value]) => value !== undefined)) as Partial<T>
}
