import { type Client, FieldSelector, type KubernetesObject, type ObjectKey, type View } from '@wherry/client'
import { readAs } from '@wherry/client/internal'
import { readByName } from '../objects/read-by-name.ts'

/**
 * The fate of an object that a view no longer has. `gone`: it was deleted; `left`: it exists outside the view; `back`: it is in the view again;
 * `moved`: it exists, and is no longer this shard's.
 */
export type Fate = 'gone' | 'left' | 'back' | 'moved'

/**
 * Finds the fate of an object that a view no longer has. A view without selectors loses only deleted objects. For other views, a watch does not
 * distinguish a deleted object from an object that has left the view, for example by another label. So the server is asked.
 *
 * @param last the object as the view had it last
 * @param isOurs whether the labels of an object assign it to this shard
 */
export async function fateOf(
  client: Client,
  view: View,
  key: ObjectKey,
  last: unknown,
  signal: AbortSignal,
  isOurs: (labels: Readonly<Record<string, string>> | undefined) => boolean = () => true,
): Promise<Fate> {
  if (view.labels.text === '' && view.fields.text === '' && view.shard === undefined) return 'gone'
  const metadata = readAs(view, 'metadata') as View<KubernetesObject>
  const live = await readByName(client, metadata, key, { signal })
  const uid = (last as KubernetesObject | undefined)?.metadata?.uid
  // A projection may leave the uid out. An object of that name then counts as the same object, so nothing is cleaned up for it by mistake.
  if (live === undefined || (uid !== undefined && live.metadata?.uid !== uid)) return 'gone'
  if (!isOurs(live.metadata?.labels)) return 'moved'
  if (!view.labels.matches(live.metadata?.labels)) return 'left'
  return (await isSelected(client, metadata, key, signal)) ? 'back' : 'left'
}

/** Whether the server selects an object by the fields of a view. */
async function isSelected(
  client: Client,
  view: View<KubernetesObject>,
  key: ObjectKey,
  signal: AbortSignal,
): Promise<boolean> {
  if (view.fields.text === '') return true
  const { name, namespace } = key as { readonly name: string; readonly namespace?: string }
  const fields = FieldSelector.of(`${view.fields.text},metadata.name=${name}`, 'fields')
  const namespaces = namespace === undefined ? undefined : [namespace]
  const { items } = await client.list({ ...view, namespaces, fields } as View<KubernetesObject>, { signal })
  return items.length > 0
}
