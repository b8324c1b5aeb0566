import { Client } from '@wherry/client'
import { fromUrl } from '@wherry/client/internal'
import { configMaps, namespaces } from '@wherry/client/resources/core'
import { configMaps as generated } from '@wherry/data/config-maps'
import { defineWidgets } from './define-widgets.ts'
import { CONFIG_MAP_BYTES } from './fill-source.ts'
import { widgets } from './widgets.ts'

const WRITERS = 32

/**
 * Creates `count` ConfigMaps through the API, and as many Widgets with the same data. The server adds managedFields of its
 * own.
 */
export async function fillReal(server: { url: string; ca: string; token: string }, count: number): Promise<void> {
  const client = new Client({ access: fromUrl(server.url, { token: server.token, ca: server.ca }) })
  try {
    await defineWidgets(client)
    const made = new Set<string>()
    const source = generated({ count, bytes: CONFIG_MAP_BYTES, managedFieldsShare: 0, seed: 1 })[Symbol.iterator]()
    const write = async (): Promise<void> => {
      for (let next = source.next(); !next.done; next = source.next()) {
        const { metadata, data } = next.value
        const { name, namespace, labels, annotations } = metadata
        const kept = { name, namespace, labels, annotations }
        await client.create(configMaps, { metadata: kept, data })
        await client.create(widgets, { metadata: kept, spec: { data } })
      }
    }
    for (const { metadata } of generated({ count, bytes: CONFIG_MAP_BYTES, managedFieldsShare: 0, seed: 1 })) {
      if (made.has(metadata.namespace) || metadata.namespace === 'default') continue
      made.add(metadata.namespace)
      const isThere =
        metadata.namespace.startsWith('kube-') && (await client.get(namespaces, { name: metadata.namespace }))
      if (!isThere) await client.create(namespaces, { metadata: { name: metadata.namespace } })
    }
    await Promise.all(Array.from({ length: WRITERS }, write))
  } finally {
    await client.close()
  }
}
