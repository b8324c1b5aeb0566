import type { ObjectMeta, SelfNamed } from '@wherry/client'
import { selfNamed } from '@wherry/client/internal'

/** An object's identity, and nothing else. */
export interface Identity {
  readonly metadata: {
    readonly name: string
    /** Absent for a cluster-scoped object. */
    readonly namespace?: string
    readonly uid: string
    readonly resourceVersion: string
  }
}

/** The projection {@link keyOnly}. */
export interface KeyOnly extends SelfNamed {
  (object: { readonly metadata?: ObjectMeta | undefined }): Identity
}

/**
 * Keeps name, namespace, uid and resourceVersion: enough to see that an object exists and has changed. The server still sends whole objects. It sends less for
 * the view of their metadata, `pods.metadata()`, which can't be projected.
 *
 * @example
 * ```ts
 * import { Client } from '@wherry/client'
 * import { pods } from '@wherry/client/resources/core'
 * import { keyOnly, TransformCache } from '@wherry/transform-cache'
 *
 * const existing = pods.project(keyOnly)
 * const cache = new TransformCache({ client: await Client.connect(), views: [existing] })
 * cache.start()
 * await cache.synced()
 * console.log(cache.informer(existing).get('arcade/chess')?.metadata.uid)
 * ```
 */
export const keyOnly: KeyOnly = selfNamed('keyOnly', ({ metadata = {} }: Parameters<KeyOnly>[0]) => {
  const { name, namespace, uid, resourceVersion } = metadata
  return {
    metadata: namespace === undefined ? { name, uid, resourceVersion } : { name, namespace, uid, resourceVersion },
  } as Identity
})
