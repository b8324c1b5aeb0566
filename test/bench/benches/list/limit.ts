import type { Metrics, SubjectContext } from '../../harness/bench.ts'
import { bareGet } from '../../server/bare-http.ts'
import { measureList } from './measure.ts'

/** The body read whole, and one JSON.parse. */
export function run(context: SubjectContext): Promise<Metrics> {
  return measureList(context, async () => {
    const chunks: Buffer[] = []
    for await (const chunk of await bareGet(context.server(), '/api/v1/configmaps?resourceVersion=0'))
      chunks.push(chunk)
    const body = Buffer.concat(chunks)
    chunks.length = 0
    const { items } = JSON.parse(body.toString()) as { readonly items: readonly unknown[] }
    return items.length
  })
}
