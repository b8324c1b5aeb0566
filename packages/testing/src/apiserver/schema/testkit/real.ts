import { request } from 'node:https'
import type { RealApiServer } from '../../../real/real-apiserver.ts'

/** What a server answered, as far as two servers must agree. */
export interface Reply {
  readonly status: number
  readonly warnings: readonly string[]
  // biome-ignore lint/suspicious/noExplicitAny: a test says by its expectation what shape it is
  readonly body: any
}

/** One request to a real server. */
export function askReal(
  server: RealApiServer,
  method: string,
  path: string,
  body?: string,
  type: string = 'application/json',
): Promise<Reply> {
  const headers = { 'content-type': type, authorization: `Bearer ${server.token}` }
  return new Promise((resolve, reject) => {
    const sent = request(new URL(path, server.url), { method, headers, ca: server.ca, agent: false }, answer => {
      let text = ''
      answer.setEncoding('utf8').on('data', (chunk: string) => {
        text += chunk
      })
      answer.on('error', reject)
      answer.on('end', () => {
        const json = answer.headers['content-type']?.includes('json') === true
        const warnings = warningsOf(answer.headers.warning)
        resolve({ status: answer.statusCode ?? 0, warnings, body: json ? JSON.parse(text) : text })
      })
    })
    sent.on('error', reject)
    sent.end(body)
  })
}

/** The texts of a Warning header. */
export function warningsOf(header: string | readonly string[] | undefined): string[] {
  const text = typeof header === 'string' ? header : (header ?? []).join(', ')
  return [...text.matchAll(/299 - ("(?:[^"\\]|\\.)*")/g)].map(([, quoted]) => quoted as string)
}
