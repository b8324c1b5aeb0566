import { connect } from 'node:http2'
import { request } from 'node:https'

/** A server, and a token for it. */
export interface Asked {
  readonly url: string
  readonly ca: string
  readonly token: string | undefined
}

/** What a request is. */
export interface Question {
  readonly protocol: 'h2' | 'http/1.1'
  readonly method?: string | undefined
  readonly path: string
  readonly headers?: Readonly<Record<string, string>> | undefined
  readonly body?: string | undefined
  /** Ends the request in the middle. */
  readonly signal?: AbortSignal | undefined
}

/** A whole answer. */
export interface Answer {
  readonly status: number
  readonly headers: Readonly<Record<string, unknown>>
  readonly body: Buffer
}

/** Sends a request on a connection of its own. Rejects if the answer is cut off. */
export function ask(server: Asked, question: Question): Promise<Answer> {
  const { token } = server
  const headers = {
    ...(token !== undefined && { authorization: `Bearer ${token}` }),
    ...question.headers,
  }
  return question.protocol === 'h2' ? askHttp2(server, question, headers) : askHttp1(server, question, headers)
}

function askHttp1({ url, ca }: Asked, question: Question, headers: Record<string, string>): Promise<Answer> {
  const { method = 'GET', path, body, signal } = question
  // Node sends the body of a DELETE without its length otherwise.
  const framed = { ...headers, ...(body !== undefined && { 'content-length': `${Buffer.byteLength(body)}` }) }
  return new Promise((resolve, reject) => {
    const sent = request(new URL(path, url), { method, ca, headers: framed, agent: false, signal }, answer => {
      const chunks: Buffer[] = []
      answer.on('data', (chunk: Buffer) => chunks.push(chunk))
      answer.on('error', reject)
      answer.on('end', () =>
        resolve({ status: answer.statusCode ?? 0, headers: answer.headers, body: Buffer.concat(chunks) }),
      )
    })
    sent.on('error', reject)
    sent.end(body)
  })
}

async function askHttp2({ url, ca }: Asked, question: Question, headers: Record<string, string>): Promise<Answer> {
  const { method = 'GET', path, body, signal } = question
  const session = connect(url, { ca })
  try {
    return await new Promise((resolve, reject) => {
      session.on('error', reject)
      const stream = session.request(
        { ':method': method, ':path': path, ...headers },
        { endStream: body === undefined, signal },
      )
      const chunks: Buffer[] = []
      let answered: Readonly<Record<string, unknown>> = {}
      stream.on('response', given => {
        answered = given
      })
      stream.on('data', (chunk: Buffer) => chunks.push(chunk))
      stream.on('error', reject)
      stream.on('close', () => reject(new Error('cut off')))
      stream.on('end', () => {
        if (stream.rstCode === 0)
          resolve({ status: Number(answered[':status']), headers: answered, body: Buffer.concat(chunks) })
      })
      if (body !== undefined) stream.end(body)
    })
  } finally {
    session.destroy()
  }
}
