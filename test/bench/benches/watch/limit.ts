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
    const parse = (bytes: Buffer, from: number, to: number): void => {
      const { type } = JSON.parse(bytes.toString('utf8', from, to)) as { readonly type: string }
      if (type === 'ADDED') event()
    }
    let rest: Buffer | undefined
    response.on('data', (chunk: Buffer) => {
      let from = 0
      for (let at = chunk.indexOf(NEWLINE); at !== -1; at = chunk.indexOf(NEWLINE, from)) {
        if (rest === undefined) {
          parse(chunk, from, at)
        } else {
          // Only the line that the chunk's border cuts is copied.
          const line = Buffer.concat([rest, chunk.subarray(0, at)])
          rest = undefined
          parse(line, 0, line.length)
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
