import type { Metrics, SubjectContext } from '../../harness/bench.ts'
import { bareGet } from '../../server/bare-http.ts'
import { eachLine } from '../../server/lines.ts'
import { measureWatch } from './measure.ts'

/** Nothing but a search for newlines and JSON.parse. */
export function run(context: SubjectContext): Promise<Metrics> {
  const server = context.server()
  return measureWatch(context, async (event, failed) => {
    const path = `/api/v1/configmaps?watch=1&resourceVersion=${server.emptyVersion}`
    const response = await bareGet(server, path)
    const parse = (bytes: Buffer, from: number, to: number): void => {
      const { type } = JSON.parse(bytes.toString('utf8', from, to)) as { readonly type: string }
      if (type === 'ADDED') event()
    }
    eachLine(response, parse)
    response.on('end', () => failed(new Error('the server ended the watch')))
    response.on('error', failed)
    return () => response.destroy()
  })
}
