import { Agent, request } from 'node:https'

/** Where a real API server is, and how to be its administrator. */
export interface ClusterAddress {
  readonly url: string
  readonly ca: string
  readonly token: string
}

/** An answer of the server, parsed if it is JSON. */
export interface Answer {
  readonly status: number
  readonly body: unknown
}

/** As much of an API client as the generators need. */
export interface Cluster {
  /** The parsed answer to a GET; rejects unless it is 200. */
  get(path: string, accept?: string): Promise<unknown>
  send(method: string, path: string, body?: unknown): Promise<Answer>
  close(): void
}

/** A client of the server at `address`. */
export function connect(address: ClusterAddress): Cluster {
  const agent = new Agent({ keepAlive: true, maxSockets: 8 })
  const exchange = (method: string, path: string, accept: string, body?: unknown): Promise<Answer> =>
    new Promise((resolve, reject) => {
      const headers: Record<string, string> = { accept, authorization: `Bearer ${address.token}` }
      if (body !== undefined) headers['content-type'] = 'application/json'
      const sent = request(new URL(path, address.url), { method, agent, ca: address.ca, headers }, answer => {
        const chunks: Buffer[] = []
        answer.on('data', (chunk: Buffer) => chunks.push(chunk))
        answer.on('error', reject)
        answer.on('end', () => {
          const text = Buffer.concat(chunks).toString()
          const json = answer.headers['content-type']?.startsWith('application/json') === true
          try {
            resolve({ status: answer.statusCode ?? 0, body: json ? JSON.parse(text) : text })
          } catch (cause) {
            reject(
              new Error(`${method} ${path}: the answer is no JSON (${answer.statusCode}, ${text.length} characters)`, {
                cause,
              }),
            )
          }
        })
      })
      sent.on('error', reject)
      sent.end(body === undefined ? undefined : JSON.stringify(body))
    })
  return {
    async get(path, accept = 'application/json') {
      const answer = await exchange('GET', path, accept)
      if (answer.status !== 200) throw new Error(`GET ${path}: ${answer.status} ${JSON.stringify(answer.body)}`)
      return answer.body
    },
    send: (method, path, body) => exchange(method, path, 'application/json', body),
    close: () => agent.destroy(),
  }
}
