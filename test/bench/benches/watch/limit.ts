import type { Metrics, SubjectContext } from '../../harness/bench.ts'
import { bareGet } from '../../server/bare-http.ts'
import { measureWatch } from './measure.ts'

const NEWLINE = 10

/** Nothing but a search for newlines and JSON.parse. */
export function run(context: SubjectContext): Promise<Metrics> {
  const server = context.server()
  return measureWatch(context, async (event, failed) => {
    const path = `/api/v1/configmaps?watch=1&resourceVersion=${server.emptyVersion}`
    const response = await bareGet(server, path)
    let rest: Buffer | undefined
    response.on('data', (chunk: Buffer) => {
      const bytes = rest === undefined ? chunk : Buffer.concat([rest, chunk])
      let from = 0
      for (let at = bytes.indexOf(NEWLINE, rest?.length ?? 0); at !== -1; at = bytes.indexOf(NEWLINE, from)) {
        const { type } = JSON.parse(bytes.toString('utf8', from, at)) as { readonly type: string }
        from = at + 1
        if (type === 'ADDED') event()
      }
      rest = from === bytes.length ? undefined : bytes.subarray(from)
    })
    response.on('end', () => failed(new Error('the server ended the watch')))
    response.on('error', failed)
    return () => response.destroy()
  })
}
