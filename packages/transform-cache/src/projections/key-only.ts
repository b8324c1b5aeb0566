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
 * Keeps name, namespace, uid and resourceVersion: enough to see that an object exists and has changed. If nothing else reads the resource, project
 * its metadata view: then the server sends no more than metadata.
 */
export const keyOnly: KeyOnly = selfNamed('keyOnly', ({ metadata = {} }: Parameters<KeyOnly>[0]) => {
  const { name, namespace, uid, resourceVersion } = metadata
  return {
    metadata: namespace === undefined ? { name, uid, resourceVersion } : { name, namespace, uid, resourceVersion },
  } as Identity
})
