import type { Metrics, SubjectContext } from '../../harness/bench.ts'
import { bareGet } from '../../server/bare-http.ts'
import { kindOf, measureSync } from './measure.ts'

interface Item {
  readonly metadata: { readonly namespace: string; readonly name: string; readonly managedFields?: unknown }
}

interface List {
  readonly items: readonly Item[]
}

const metadataOnly = 'application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1'

/** The body read whole, one JSON.parse, and a Map; with `view: 'metadata'`, of what a metadata view has. */
export function run(context: SubjectContext): Promise<Metrics> {
  const isMetadata = context.options.view === 'metadata'
  return measureSync(context, async () => {
    const chunks: Buffer[] = []
    const path = `/api/v1/${kindOf(context)}?resourceVersion=0`
    const accept = isMetadata ? metadataOnly : undefined
    for await (const chunk of await bareGet(context.server(), path, accept)) chunks.push(chunk as Buffer)
    const { items } = JSON.parse(Buffer.concat(chunks).toString()) as List
    const kept = isMetadata ? items.map(metadataOf) : items
    const map = new Map(kept.map(item => [`${item.metadata.namespace}/${item.metadata.name}`, item]))
    return { objects: () => map.size, close() {} }
  })
}

function metadataOf({ metadata: { managedFields: _, ...metadata } }: Item): Item {
  return { apiVersion: 'v1', kind: 'ConfigMap', metadata } as Item
}
