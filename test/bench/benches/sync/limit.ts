import type { Metrics, SubjectContext } from '../../harness/bench.ts'
import { bareGet } from '../../server/bare-http.ts'
import { kindOf, measureSync } from './measure.ts'

interface List {
  readonly items: readonly { readonly metadata: { readonly namespace: string; readonly name: string } }[]
}

/** The body read whole, one JSON.parse, and a Map. */
export function run(context: SubjectContext): Promise<Metrics> {
  return measureSync(context, async () => {
    const chunks: Buffer[] = []
    const path = `/api/v1/${kindOf(context)}?resourceVersion=0`
    for await (const chunk of await bareGet(context.server(), path)) chunks.push(chunk as Buffer)
    const { items } = JSON.parse(Buffer.concat(chunks).toString()) as List
    const map = new Map(items.map(item => [`${item.metadata.namespace}/${item.metadata.name}`, item]))
    return { objects: () => map.size, close() {} }
  })
}
