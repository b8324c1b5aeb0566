import {
  type Client,
  isConflict,
  isNotFound,
  type KubernetesObject,
  type ObjectKey,
  type Resource,
} from '@wherry/client'
import { viewOf } from '../bundle/kinds.ts'
import type { Manifest } from '../bundle/manifests.ts'
import type { Made } from '../platform-operator.ts'

/** Deletes what was made for an owner, last made first. An object that is not the owner's any more, or never was, stays. */
export async function prune(
  client: Client,
  owner: string | undefined,
  made: readonly Made[],
  signal: AbortSignal,
): Promise<void> {
  for (const { kind: text, namespace, name } of [...made].reverse()) {
    const view = viewOfMade(text)
    const key = { name, ...(namespace !== undefined && { namespace }) } as ObjectKey
    const { metadata } = (await client.get(view.metadata(), key, { signal })) ?? {}
    const isOurs = metadata?.ownerReferences?.some(({ uid, controller }) => uid === owner && controller === true)
    if (!isOurs || metadata?.deletionTimestamp !== undefined) continue
    try {
      await client.delete(view, key, { preconditions: { uid: metadata?.uid }, signal })
    } catch (error) {
      // It went meanwhile, or is another one now.
      if (!isNotFound(error) && !isConflict(error)) throw error
    }
  }
}

function viewOfMade(text: string): Resource<KubernetesObject> {
  const [apiVersion = '', kind = ''] = text.split(' ')
  return viewOf({ apiVersion, kind, metadata: { name: '' } } as Manifest)
}
