import { request } from 'node:https'

/** A whole answer, or why there is none, as Go's client says it. */
export type Posted =
  | { readonly status: number; readonly type: string; readonly text: string }
  | { readonly failure: string }

/** Longer answers are no reviews. */
const longestAnswerBytes = 3 * 1024 * 1024

/** Posts JSON on a connection of its own. Never rejects. */
export function post(url: string, body: string, ca: string | undefined, signal: AbortSignal): Promise<Posted> {
  return new Promise(resolve => {
    const { hostname, port } = new URL(url)
    const failed = (error: NodeJS.ErrnoException): void => {
      resolve({ failure: reasonOf(error, `${hostname}:${port === '' ? '443' : port}`) })
    }
    const headers = {
      accept: 'application/json, */*',
      'content-type': 'application/json',
      'content-length': Buffer.byteLength(body),
      'user-agent': 'kube-apiserver-admission',
    }
    // Go trusts every certificate of a bundle, also one that another has signed.
    const trust = { ca, allowPartialTrustChain: true }
    const sent = request(url, { method: 'POST', headers, ...trust, agent: false, signal }, answer => {
      const chunks: Buffer[] = []
      let bytes = 0
      answer.on('data', (chunk: Buffer) => {
        bytes += chunk.length
        if (bytes > longestAnswerBytes) sent.destroy(new Error('http: response body too large'))
        else chunks.push(chunk)
      })
      answer.on('error', failed)
      answer.on('end', () =>
        resolve({
          status: answer.statusCode ?? 0,
          type: answer.headers['content-type'] ?? '',
          text: Buffer.concat(chunks).toString('utf8'),
        }),
      )
    })
    sent.on('error', failed)
    sent.end(body)
  })
}

function reasonOf({ code, message }: NodeJS.ErrnoException, address: string): string {
  switch (code) {
    case 'ECONNREFUSED':
      return `dial tcp ${address}: connect: connection refused`
    case 'ECONNRESET':
      return 'EOF'
    case 'ENOTFOUND':
      return `dial tcp: lookup ${address.replace(/:\d+$/, '')}: no such host`
    case 'UNABLE_TO_VERIFY_LEAF_SIGNATURE':
    case 'UNABLE_TO_GET_ISSUER_CERT_LOCALLY':
    case 'SELF_SIGNED_CERT_IN_CHAIN':
    case 'DEPTH_ZERO_SELF_SIGNED_CERT':
      return 'tls: failed to verify certificate: x509: certificate signed by unknown authority'
    default:
      return message
  }
}
