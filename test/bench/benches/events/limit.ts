import type { Metrics, SubjectContext } from '../../harness/bench.ts'
import { bareGet } from '../../server/bare-http.ts'
import { eachLine } from '../../server/lines.ts'
import { measureEvents } from './measure.ts'

interface Event {
  readonly type: string
  readonly object: { readonly metadata: { readonly namespace: string; readonly name: string } }
}

/** A plain loop: a search for newlines, JSON.parse, and a Map, of the first state and then of the changes. */
export function run(context: SubjectContext): Promise<Metrics> {
  const server = context.server()
  return measureEvents(context, async (event, failed) => {
    const path = `/api/v1/configmaps?watch=1&sendInitialEvents=true&resourceVersionMatch=NotOlderThan`
    const response = await bareGet(server, path)
    const map = new Map<string, object>()
    const take = (bytes: Buffer, from: number, to: number): void => {
      const { type, object } = JSON.parse(bytes.toString('utf8', from, to)) as Event
      if (type === 'BOOKMARK') return
      map.set(`${object.metadata.namespace}/${object.metadata.name}`, object)
      if (type === 'MODIFIED') event()
    }
    eachLine(response, take)
    response.on('end', () => failed(new Error('the server ended the watch')))
    response.on('error', failed)
    return () => response.destroy()
  })
}
