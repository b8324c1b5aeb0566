import type { KubernetesObject } from '@wherry/client'
import { hashesAnnotation } from '../annotation-key.ts'
import type { Part } from '../parts/part.ts'

/** A state of an object. A write with this precondition fails if the object was replaced or has changed. */
export interface Precondition {
  readonly uid: string
  readonly resourceVersion: string
}

type WithStatus = KubernetesObject & { readonly status?: unknown }

/**
 * The object that replaces `held`: the desired object, with the metadata of other programs. Labels and annotations that no
 * part includes are kept (except for hashes of the earlier object), as are owners and other metadata that the desired object does
 * not have. Finalizers are kept, and those of the desired object are added, unless the object is being deleted: a
 * server then accepts no new finalizers. The status is kept if no part is written to the status subresource, because a PUT could remove it.
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
    ...withoutUndefined(desired),
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
    // The annotation with hashes is dropped, because they are hashes of the earlier object.
    ([key]) => key !== hashesAnnotation && !parts.some(part => part.holds?.(what, key) === true),
  )
  // A spread and fromEntries both keep `__proto__` as an ordinary member.
  return { [what]: { ...Object.fromEntries(others), ...desired.metadata?.[what] } }
}

function finalizers(desired: KubernetesObject, held: KubernetesObject): { readonly finalizers?: string[] } {
  const added = finalizersTaken(desired, held)
  return added === undefined ? {} : { finalizers: [...new Set([...(held.metadata?.finalizers ?? []), ...added])] }
}

/** The desired finalizers that a server accepts: no new finalizers while the object is being deleted. */
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
