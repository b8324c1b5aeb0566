import { once } from 'node:events'
import { connect } from 'node:http2'
import { configMaps } from '@wherry/client/resources/core'
import type { ServerAddress } from '../../harness/bench.ts'
import { bareGet } from '../../server/bare-http.ts'
import { clientFor } from '../../server/wherry.ts'

const path = '/api/v1/configmaps?resourceVersion=0'
const accepts = { json: 'application/json', protobuf: 'application/vnd.kubernetes.protobuf' }
/** As large as Go's client has it. */
const windowBytes = 4 << 20

/** Lists all ConfigMaps, and returns how many bytes came; for the client of Wherry, how many items. */
export async function readList(address: ServerAddress, form: string, protocol: string): Promise<number> {
  if (form === 'client') return await decoded(address)
  const accept = form === 'protobuf' ? accepts.protobuf : accepts.json
  return protocol === 'http2' ? await overHttp2(address, accept) : await overHttp1(address, accept)
}

async function overHttp1(address: ServerAddress, accept: string): Promise<number> {
  const answer = await bareGet(address, path, accept)
  if (answer.headers['content-type'] !== accept) throw new Error(`the answer is ${answer.headers['content-type']}`)
  let bytes = 0
  answer.on('data', (chunk: Buffer) => {
    bytes += chunk.length
  })
  await once(answer, 'end')
  return bytes
}

async function overHttp2({ url, ca, token }: ServerAddress, accept: string): Promise<number> {
  const session = connect(url, { ...(ca !== undefined && { ca }), settings: { initialWindowSize: windowBytes } })
  try {
    await once(session, 'connect')
    session.setLocalWindowSize(windowBytes)
    const stream = session.request({ ':path': path, authorization: `Bearer ${token}`, accept })
    const [headers] = (await once(stream, 'response')) as [{ readonly ':status'?: number }]
    if (headers[':status'] !== 200) throw new Error(`${path} answered ${headers[':status']}`)
    let bytes = 0
    stream.on('data', (chunk: Buffer) => {
      bytes += chunk.length
    })
    await once(stream, 'end')
    return bytes
  } finally {
    session.destroy()
  }
}

async function decoded(address: ServerAddress): Promise<number> {
  await using client = clientFor(address)
  let items = 0
  await client.listEach(
    configMaps.full(),
    () => {
      items++
    },
    { resourceVersion: '0' },
  )
  return items
}
