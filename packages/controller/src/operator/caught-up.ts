import { type Client, isAtLeast, isForbidden, isResourceNotFound, keyText } from '@wherry/client'
import type { SharedInformer } from '@wherry/informer'
import { metadataOf } from '../objects/metadata-view.ts'

/**
 * Whether an informer has what the server has: each object at least as new, and none that is gone. Asks the server for the
 * metadata of all objects of the view.
 */
export async function hasCaughtUp(
  client: Client,
  informer: SharedInformer<unknown>,
  signal: AbortSignal,
): Promise<boolean> {
  const { view } = informer
  const seen = new Set<string>()
  let isBehind = !informer.hasSynced
  try {
    await client.listEach(
      metadataOf(view),
      object => {
        const { name = '', namespace, uid, resourceVersion } = (object as Listed).metadata
        const key = keyText({ name, namespace })
        seen.add(key)
        const held = informer.version(key)
        if (held?.uid !== uid || !isAsNew(held?.resourceVersion, resourceVersion)) isBehind = true
      },
      { signal },
    )
  } catch (error) {
    // What nobody can read, or is not there, there is nothing of to catch up with.
    if (isForbidden(error)) return true
    // One 404 is no proof: the informer asks for one.
    if (isResourceNotFound(error)) return informer.state === 'missing'
    throw error
  }
  if (isBehind) return false
  for (const key of informer.keys()) if (!seen.has(key)) return false
  return true
}

function isAsNew(held: string | undefined, there: string | undefined): boolean {
  return held === there || isAtLeast(held, there)
}

interface Listed {
  readonly metadata: {
    readonly name?: string
    readonly namespace?: string
    readonly uid?: string
    readonly resourceVersion?: string
  }
}
