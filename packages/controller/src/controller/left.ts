import type { Client, KubernetesObject, ObjectKey, View } from '@wherry/client'
import { readAs } from '@wherry/client/internal'
import { readByName } from '../objects/read-by-name.ts'

/**
 * Whether an object that a view no longer has lives on: it has left the view, by another label say. A view without selectors is
 * left by what is gone only. Of others a watch does not tell the two apart, so the server is asked.
 *
 * @param last as the view had it last
 */
export async function hasLeft(
  client: Client,
  view: View,
  key: ObjectKey,
  last: unknown,
  signal: AbortSignal,
): Promise<boolean> {
  if (view.labels.text === '' && view.fields.text === '') return false
  const metadata = readAs(view, 'metadata') as View<KubernetesObject>
  const live = await readByName(client, metadata, key, { signal })
  const uid = (last as KubernetesObject | undefined)?.metadata?.uid
  // A projection may leave the uid out. What has the name then is taken for the same object: nothing of it is ended.
  return live !== undefined && (uid === undefined || live.metadata?.uid === uid)
}
