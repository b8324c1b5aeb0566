import type { ObjectMeta } from '@wherry/client'
import { type SelfNamed, selfNamed } from '@wherry/client/internal'

/** An object's identity, and nothing else. */
export interface Identity {
  readonly metadata: {
    readonly name: string
    /** Absent where the object lives in no namespace. */
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
 * Keeps name, namespace, uid and resourceVersion: enough to know what is there and that it changed. Where nothing else
 * reads the resource, project its metadata view: then no more is sent, too.
 */
export const keyOnly: KeyOnly = selfNamed('keyOnly', ({ metadata = {} }: Parameters<KeyOnly>[0]) => {
  const { name, namespace, uid, resourceVersion } = metadata
  return {
    metadata: namespace === undefined ? { name, uid, resourceVersion } : { name, namespace, uid, resourceVersion },
  } as Identity
})
