import type { Client } from '@wherry/client'
import { customResourceDefinitions } from '@wherry/client/resources/apiextensions'

/** Resolves once a definition is served. */
export async function established(client: Client, name: string): Promise<void> {
  const one = customResourceDefinitions.within({ fields: { 'metadata.name': name } })
  for await (const event of client.watch(one)) {
    const conditions = event.type === 'BOOKMARK' ? [] : event.object.status?.conditions
    if (conditions?.some(({ type, status }) => type === 'Established' && status === 'True')) return
  }
}
