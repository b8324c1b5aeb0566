import type { Client } from '@wherry/client'
import { type CustomResourceDefinition, customResourceDefinitions } from '@wherry/client/resources/apiextensions'

/** Creates a definition, and waits until what it defines is served. */
export async function define(client: Client, definition: CustomResourceDefinition): Promise<void> {
  const created = await client.create(customResourceDefinitions, definition)
  const view = customResourceDefinitions.within({ fields: { 'metadata.name': `${created.metadata?.name}` } })
  for await (const event of client.watch(view)) {
    if (event.type === 'BOOKMARK') continue
    if (event.object.status?.conditions?.some(({ type, status }) => type === 'Established' && status === 'True')) return
  }
}
