import type { ClientHttp2Session } from 'node:http2'
import { connect } from 'node:http2'
import type { Metrics, SubjectContext } from '../../harness/bench.ts'
import { microsecondsPerCall } from '../../harness/calls.ts'
import { someKey } from './some-key.ts'

/** Nothing but HTTP/2 and JSON.parse. */
export async function run(context: SubjectContext): Promise<Metrics> {
  const { url, ca, token } = context.server()
  const session = connect(url, { ca })
  const { namespace, name } = someKey()
  const path = `/api/v1/namespaces/${namespace}/configmaps/${name}`
  const call = (): Promise<unknown> => get(session, path, `Bearer ${token}`)
  const get_us = await microsecondsPerCall(call, 1)
  const get50_us = await microsecondsPerCall(call, 50)
  session.destroy()
  return { get_us, get50_us }
}

function get(session: ClientHttp2Session, path: string, authorization: string): Promise<unknown> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = []
    const stream = session.request({ ':path': path, authorization, accept: 'application/json' })
    stream.on('response', headers => {
      if (headers[':status'] !== 200) reject(new Error(`${path} answered ${headers[':status']}`))
    })
    stream.on('data', (chunk: Buffer) => chunks.push(chunk))
    stream.on('end', () =>
      resolve(JSON.parse((chunks[0] && chunks.length === 1 ? chunks[0] : Buffer.concat(chunks)).toString())),
    )
    stream.on('error', reject)
  })
}
