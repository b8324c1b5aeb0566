import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { createCertificateAuthority } from '@wherry/apiserver/front/certificates'

/** A webhook over TLS, in this process. */
export interface HttpsHooks extends AsyncDisposable {
  /** For the configuration of the webhook. */
  readonly clientConfig: { readonly url: string; readonly caBundle: string }
  /** How often the webhook was called. */
  calls(): number
}

export async function serveHooks(
  answer: (call: { readonly review: unknown }) => Promise<unknown>,
): Promise<HttpsHooks> {
  const authority = createCertificateAuthority()
  const { certPem, keyPem } = authority.issueServer()
  let calls = 0
  const server = createServer({ cert: certPem, key: keyPem }, (request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', async () => {
      calls += 1
      const body = JSON.stringify(await answer({ review: JSON.parse(Buffer.concat(chunks).toString()) }))
      response.writeHead(200, { 'content-type': 'application/json' }).end(body)
    })
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  const { promise, resolve } = Promise.withResolvers<void>()
  return {
    clientConfig: { url: `https://127.0.0.1:${port}/hook`, caBundle: Buffer.from(authority.caPem).toString('base64') },
    calls: () => calls,
    [Symbol.asyncDispose]: () => {
      server.close(() => resolve())
      server.closeAllConnections()
      return promise
    },
  }
}
