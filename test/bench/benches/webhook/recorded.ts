import { once } from 'node:events'
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'

/** How often the API server is asked until it has noticed a new configuration. */
const attempts = 200

/** Records what the API server sends to a webhook. */
export async function recorded(options: {
  readonly cert: string
  readonly key: string
  readonly path: string
  /** Has the API server call a webhook of this origin. */
  readonly configure: (origin: string) => Promise<void>
  /** Sends the API server a request that the webhook is called for. */
  readonly ask: () => Promise<unknown>
}): Promise<{ readonly port: number; readonly body: string }> {
  const { cert, key, path, configure, ask } = options
  let body: string | undefined
  const server = createServer({ cert, key }, async (request, response) => {
    const sent = await text(request)
    if (request.url?.split('?')[0] === path) body = sent
    const { uid } = (JSON.parse(sent) as { request: { uid: string } }).request
    const answer = { apiVersion: 'admission.k8s.io/v1', kind: 'AdmissionReview', response: { uid, allowed: true } }
    response.setHeader('content-type', 'application/json').end(JSON.stringify(answer))
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  try {
    const { port } = server.address() as AddressInfo
    await configure(`https://127.0.0.1:${port}`)
    for (let attempt = 0; attempt < attempts && body === undefined; attempt++) await ask()
    if (body === undefined) throw new Error('the API server did not call the webhook')
    return { port, body }
  } finally {
    server.closeAllConnections()
    server.close()
    await once(server, 'close')
  }
}
