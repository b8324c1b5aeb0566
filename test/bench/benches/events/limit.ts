import type { Metrics, SubjectContext } from '../../harness/bench.ts'
import { bareGet } from '../../server/bare-http.ts'
import { measureEvents } from './measure.ts'

const NEWLINE = 10

interface Event {
  readonly type: string
  readonly object: { readonly metadata: { readonly namespace: string; readonly name: string } }
}

/** A search for newlines, JSON.parse, and a Map. */
export function run(context: SubjectContext): Promise<Metrics> {
  const server = context.server()
  return measureEvents(context, async (event, failed) => {
    const path = `/api/v1/configmaps?watch=1&resourceVersion=${server.emptyVersion}`
    const response = await bareGet(server, path)
    const map = new Map<string, object>()
    const take = (bytes: Buffer, from: number, to: number): void => {
      const { type, object } = JSON.parse(bytes.toString('utf8', from, to)) as Event
      if (type !== 'MODIFIED') return
      map.set(`${object.metadata.namespace}/${object.metadata.name}`, object)
      event()
    }
    let rest: Buffer | undefined
    response.on('data', (chunk: Buffer) => {
      let from = 0
      for (let at = chunk.indexOf(NEWLINE); at !== -1; at = chunk.indexOf(NEWLINE, from)) {
        if (rest === undefined) take(chunk, from, at)
        else {
          const line = Buffer.concat([rest, chunk.subarray(0, at)])
          rest = undefined
          take(line, 0, line.length)
        }
        from = at + 1
      }
      if (from === chunk.length) return
      const left = chunk.subarray(from)
      rest = rest === undefined ? left : Buffer.concat([rest, left])
    })
    response.on('end', () => failed(new Error('the server ended the watch')))
    response.on('error', failed)
    return () => response.destroy()
  })
}
