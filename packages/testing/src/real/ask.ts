import { request } from 'node:https'

/** A server, and who asks it. */
export interface Access {
  readonly url: string
  readonly ca: string
  readonly token: string
}

/** Tells requests of this package from those of a test. */
export const userAgent = 'wherry-testing'

const TIMEOUT_MS = 5_000

/** Sends a request on a connection of its own. Rejects when no whole answer comes. The body is sent as JSON. */
export function ask(
  { url, ca, token }: Access,
  method: string,
  path: string,
  body?: object,
): Promise<{ readonly status: number; readonly text: string }> {
  return new Promise((resolve, reject) => {
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json', 'user-agent': userAgent }
    const options = { method, ca, agent: false as const, headers, timeout: TIMEOUT_MS }
    const sent = request(new URL(path, url), options, answer => {
      let text = ''
      answer.setEncoding('utf8')
      answer.on('data', (part: string) => {
        text += part
      })
      answer.on('error', reject)
      answer.on('end', () => resolve({ status: answer.statusCode ?? 0, text }))
    })
    sent.on('timeout', () => sent.destroy(new Error(`no answer in ${TIMEOUT_MS} ms`)))
    sent.on('error', reject)
    sent.end(body === undefined ? undefined : JSON.stringify(body))
  })
}
