import type { Metrics, SubjectContext } from '../../harness/bench.ts'
import { bareGet } from '../../server/bare-http.ts'
import { measureList } from './measure.ts'

/** The body read whole, and one JSON.parse. */
export function run(context: SubjectContext): Promise<Metrics> {
  const read = async (path: string): Promise<readonly unknown[]> => {
    const chunks: Buffer[] = []
    for await (const chunk of await bareGet(context.server(), path)) chunks.push(chunk)
    const body = Buffer.concat(chunks)
    chunks.length = 0
    return (JSON.parse(body.toString()) as { readonly items: readonly unknown[] }).items
  }
  return measureList(context, {
    touch: () => read('/api/v1/namespaces'),
    list: async () => (await read('/api/v1/configmaps?resourceVersion=0')).length,
  })
}
