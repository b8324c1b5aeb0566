import { type Agent, request as plain } from 'node:http'
import { request } from 'node:https'

/** A server, and the token for requests to it. */
export interface Access {
  readonly url: string
  /** The CA of the server's certificate, PEM. `undefined` without TLS. */
  readonly ca: string | undefined
  readonly token: string
}

/** The user agent of this package's requests. It distinguishes them from a test's own requests. */
export const userAgent = 'wherry-testing'

/** A whole answer. */
export interface Answer {
  readonly status: number
  readonly text: string
}

/** The options of a request. */
export interface AskOptions {
  /** @default 'application/json' */
  readonly contentType?: string | undefined
  /** The accepted content type of the answer. @default anything */
  readonly accept?: string | undefined
  /** The agent that holds the connections. @default a new connection for the request */
  readonly agent?: Agent | undefined
  /** The maximum time without data from the server, in milliseconds. @default 60_000, which only a hanging server exceeds */
  readonly timeoutMs?: number | undefined
}

/** Sends a request, with the body as JSON. Rejects if no whole answer comes. */
export function ask(
  { url, ca, token }: Access,
  method: string,
  path: string,
  body?: object,
  { contentType = 'application/json', accept = '*/*', agent, timeoutMs = 60_000 }: AskOptions = {},
): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const text = body === undefined ? '' : JSON.stringify(body)
    const headers = {
      ...{ authorization: `Bearer ${token}`, accept, 'user-agent': userAgent },
      'content-type': contentType,
      // Otherwise Node sends the body of a DELETE without its length.
      'content-length': Buffer.byteLength(text),
    }
    const options = { method, ca, agent: agent ?? (false as const), headers, timeout: timeoutMs }
    const send = ca === undefined ? plain : request
    const sent = send(new URL(path, url), options, answer => {
      let received = ''
      answer.setEncoding('utf8')
      answer.on('data', (part: string) => {
        received += part
      })
      answer.on('error', reject)
      answer.on('end', () => resolve({ status: answer.statusCode ?? 0, text: received }))
    })
    sent.on('timeout', () => sent.destroy(new Error(`no answer in ${timeoutMs} ms`)))
    sent.on('error', reject)
    sent.end(text)
  })
}
