import { request as plainRequest } from 'node:http'
import { request } from 'node:https'

/** A whole answer, or the reason for which there is none, in the words of Go's client. */
export type Posted =
  | { readonly status: number; readonly type: string; readonly text: string }
  | {
      readonly failure: string
      /** The address that failed, if it is not the first one. */
      readonly at?: string
    }

/** An answer with a redirect that is not followed yet. */
type Answered = Exclude<Posted, { failure: string }> & { readonly location: string }

/** The maximum size of an answer. A longer answer is no review. */
const longestAnswerBytes = 3 * 1024 * 1024
/** The maximum number of requests, the limit of Go's client. */
const mostRequests = 10
/** The statuses of redirects that are followed with the same body, and of redirects that are followed by a GET. */
const [sentAgain, gotten] = [
  [307, 308],
  [301, 302, 303],
]

/** The parts of a request, for the first address and for each redirect. */
interface Sent {
  readonly body: string | undefined
  readonly ca: string | undefined
  readonly signal: AbortSignal
  readonly referer?: string
}

/** Posts JSON on a new connection, and follows redirects as Go's client does. Never rejects. */
export async function post(url: string, body: string, ca: string | undefined, signal: AbortSignal): Promise<Posted> {
  let address = url
  let sent: Sent = { body, ca, signal }
  for (let requests = 1; ; requests++) {
    const answer = await exchange(address, sent)
    if ('failure' in answer) return address === url ? answer : { ...answer, at: address }
    const { location, ...answered } = answer
    const again = sentAgain.includes(answer.status)
    if (location === '' || !(again || gotten.includes(answer.status))) return answered
    if (requests === mostRequests) return { failure: `stopped after ${mostRequests} redirects`, at: location }
    const next = URL.canParse(location, address) ? new URL(location, address) : undefined
    if (next === undefined) {
      return { failure: `failed to parse Location header ${JSON.stringify(location)}`, at: address }
    }
    if (!/^https?:$/.test(next.protocol)) {
      return { failure: `unsupported protocol scheme ${JSON.stringify(next.protocol.slice(0, -1))}`, at: next.href }
    }
    sent = { ca, signal, body: again ? sent.body : undefined, referer: address }
    address = next.href
  }
}

/** Sends a request and reads its answer. Never rejects. */
function exchange(url: string, { body, ca, signal, referer }: Sent): Promise<Answered | { readonly failure: string }> {
  return new Promise(resolve => {
    const { hostname, port, protocol } = new URL(url)
    const failed = (error: NodeJS.ErrnoException): void => {
      const known = protocol === 'http:' ? '80' : '443'
      resolve({ failure: reasonOf(error, `${hostname}:${port === '' ? known : port}`) })
    }
    const headers = {
      accept: 'application/json, */*',
      ...(body !== undefined && { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) }),
      'user-agent': 'kube-apiserver-admission',
      ...(referer?.startsWith('https:') && protocol === 'https:' && { referer }),
    }
    // Go trusts every certificate of a bundle, even if another certificate has signed it.
    const trust = { ca, allowPartialTrustChain: true }
    const options = { method: body === undefined ? 'GET' : 'POST', headers, agent: false as const, signal }
    const sent = (protocol === 'http:' ? plainRequest(url, options) : request(url, { ...options, ...trust })).on(
      'response',
      answer => {
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
            location: answer.headers.location ?? '',
          }),
        )
      },
    )
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
