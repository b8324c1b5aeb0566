import { type Client, FieldSelector, type ObjectKey, type View } from '@wherry/client'
import { everything } from './views.ts'

/**
 * Reads one object from the server, even if the view does not select it; `undefined` if it does not exist. Lists by its name, so that a client that may
 * list and watch objects needs no right to `get` them as well.
 */
export async function readByName<C>(
  client: Client,
  view: View<C>,
  key: ObjectKey,
  options: { readonly signal?: AbortSignal | undefined } = {},
): Promise<C | undefined> {
  const { name, namespace } = key as { readonly name: string; readonly namespace?: string }
  const all = everything(view as View) as View<C>
  const named: View<C> = {
    ...all,
    namespaces: namespace === undefined ? undefined : [namespace],
    fields: FieldSelector.of({ 'metadata.name': name }, 'fields'),
  }
  const { items } = await client.list(named, options)
  return items[0] as C | undefined
}
