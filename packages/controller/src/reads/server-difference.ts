import { type Client, isForbidden, isResourceNotFound, type KubernetesObject } from '@wherry/client'
import { isAtLeast, keyText, readAs } from '@wherry/client/internal'
import type { SharedInformer } from '@wherry/informer'

/** The differences between the server and an informer. */
export interface ServerDifference {
  /** Objects that the informer lacks, or has in an older state: their metadata. */
  readonly newer: readonly KubernetesObject[]
  /** Objects that the informer still has and the server has not: their keys and uids. */
  readonly gone: readonly (readonly [key: string, uid: string | undefined])[]
}

/**
 * Compares an informer with the server, by one list of the metadata of all objects of its view. `undefined`: the resource does not
 * exist, or the client may not read it. Rejects with any other error of the server.
 */
export async function serverDifference(
  client: Client,
  informer: SharedInformer<unknown>,
  signal: AbortSignal,
): Promise<ServerDifference | undefined> {
  const { view } = informer
  // Only objects from before the list are gone if they are not listed: objects that arrive meanwhile may be newer than the list.
  const unlisted = new Map([...informer.keys()].map(key => [key, informer.version(key)?.uid]))
  const newer: KubernetesObject[] = []
  try {
    await client.listEach(
      readAs(view, 'metadata'),
      object => {
        const { name = '', namespace, uid, resourceVersion } = (object as KubernetesObject).metadata ?? {}
        const key = keyText({ name, namespace })
        unlisted.delete(key)
        const held = informer.version(key)
        const isAsNew = held?.resourceVersion === resourceVersion || isAtLeast(held?.resourceVersion, resourceVersion)
        if (held?.uid !== uid || !isAsNew) newer.push(object as KubernetesObject)
      },
      { signal },
    )
  } catch (error) {
    // One 404 proves nothing. The informer's state `missing` does.
    if (isForbidden(error) || (isResourceNotFound(error) && informer.state === 'missing')) return undefined
    throw error
  }
  return { newer, gone: [...unlisted].filter(([key, uid]) => informer.version(key)?.uid === uid) }
}
