import { Agent as PlainAgent } from 'node:http'
import { Agent } from 'node:https'
import { setTimeout as after } from 'node:timers/promises'
import type { ApiServer, EmbeddedApiServer } from '../api-server.ts'
import { urlWithoutSockets } from '../embedded.ts'
import type { Connection } from '../transport.ts'
import { type Answer, ask, userAgent } from './ask.ts'

/** Sends requests to a server as its administrator. */
export interface Asker {
  /** Rejects when no whole answer comes. The body is sent as JSON, with `contentType` `application/json` by default. */
  ask(method: string, path: string, body?: object, contentType?: string, accept?: string): Promise<Answer>
  /** Waits before a question is asked again. */
  pause(): Promise<void>
}

type Closable = Asker & { close(): void }

const pauseMs = 10

/** Asks a server by sockets, or in memory if it has none. No connection is left when it has resolved. */
export async function asking<T>(server: ApiServer, work: (asker: Asker) => Promise<T>): Promise<T> {
  const asker = server.url === urlWithoutSockets ? await inMemory(server as EmbeddedApiServer) : bySockets(server)
  try {
    return await work(asker)
  } finally {
    asker.close()
  }
}

function bySockets({ url, ca, token }: ApiServer): Closable {
  const options = { keepAlive: true, maxSockets: 4 }
  const agent = ca === undefined ? new PlainAgent(options) : new Agent(options)
  return {
    ask: (method, path, body, contentType, accept) =>
      ask({ url, ca, token }, method, path, body, { contentType, accept, agent }),
    pause: () => after(pauseMs),
    close: () => agent.destroy(),
  }
}

async function inMemory(server: EmbeddedApiServer): Promise<Closable> {
  const transport = server.transport()
  const connection = await transport.connect(new URL(server.url), new AbortController().signal)
  return {
    ask: (method, path, body, contentType = 'application/json', accept = '*/*') =>
      answerOf(connection, {
        method,
        path,
        headers: {
          ...{ authorization: `Bearer ${server.token}`, accept, 'user-agent': userAgent },
          'content-type': contentType,
        },
        body: body === undefined ? undefined : Buffer.from(JSON.stringify(body)),
      }),
    // An answer takes some of the simulated time already.
    pause: async () => undefined,
    close: () => transport.close(),
  }
}

function answerOf(connection: Connection, request: Parameters<Connection['request']>[0]): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const chunks: Uint8Array[] = []
    let status = 0
    connection.request(request, {
      head: of => {
        status = of
      },
      data: chunk => void chunks.push(chunk),
      end: () => resolve({ status, text: Buffer.concat(chunks).toString() }),
      error: reject,
    })
  })
}
