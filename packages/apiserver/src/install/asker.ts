import { Agent as PlainAgent } from 'node:http'
import { Agent } from 'node:https'
import { setTimeout as after } from 'node:timers/promises'
import type { ApiServer, EmbeddedApiServer } from '../api-server.ts'
import { type Clock, systemClock } from '../clock.ts'
import { EmbeddedServer, urlWithoutSockets } from '../embedded.ts'
import type { MemoryTransport } from '../front/memory.ts'
import type { Connection, RequestHead } from '../transport.ts'
import { type Answer, ask, userAgent } from './ask.ts'
import { follow, Lines } from './follow.ts'

/** Sends requests to a server as its administrator. */
export interface Asker {
  /** Sends a request, with the body as JSON and a `contentType` of `application/json` by default. Rejects if no whole answer comes. */
  ask(method: string, path: string, body?: object, contentType?: string, accept?: string): Promise<Answer>
  /** Waits before the next attempt. */
  pause(): Promise<void>
  /**
   * Reads the lines of an answer that does not end, such as a watch. `ended` is called once when the answer ends for any reason, but not after a call of the
   * returned function.
   */
  follow(path: string, line: (text: string) => void, ended: () => void): () => void
}

/** An asker that keeps connections until it is closed. */
type OpenAsker = Asker & { close(): void }

const pauseMs = 10

/** Sends requests to a server by sockets, or in memory if it has none. When the promise has resolved, no connection is left. */
export async function asking<T>(server: ApiServer, work: (asker: Asker) => Promise<T>): Promise<T> {
  const asker =
    server.url === urlWithoutSockets
      ? await askInMemory(server, (server as EmbeddedApiServer).transport())
      : askBySockets(server)
  try {
    return await work(asker)
  } finally {
    asker.close()
  }
}

function askBySockets({ url, ca, token }: ApiServer): OpenAsker {
  const options = { keepAlive: true, maxSockets: 4 }
  const agent = ca === undefined ? new PlainAgent(options) : new Agent(options)
  return {
    ask: (method, path, body, contentType, accept) =>
      ask({ url, ca, token }, method, path, body, { contentType, accept, agent }),
    pause: () => after(pauseMs),
    follow: (path, line, ended) => follow({ url, ca, token }, path, line, ended),
    close: () => agent.destroy(),
  }
}

/** Sends requests to a server in memory. The asker's `close` closes the transport. */
async function askInMemory({ url, token }: ApiServer, transport: MemoryTransport): Promise<OpenAsker> {
  let open: Connection | undefined
  const connect = async (): Promise<Connection> => {
    if (open !== undefined) return open
    const made = await transport.connect(new URL(url), new AbortController().signal)
    made.onClose(() => {
      if (open === made) open = undefined
    })
    open = made
    return made
  }
  await connect()
  const head = (method: string, path: string, accept: string, contentType: string): RequestHead => ({
    method,
    path,
    headers: {
      ...{ authorization: `Bearer ${token}`, accept, 'user-agent': userAgent },
      'content-type': contentType,
    },
  })
  return {
    ask: async (method, path, body, contentType = 'application/json', accept = '*/*') =>
      answerOf(await connect(), {
        ...head(method, path, accept, contentType),
        body: body === undefined ? undefined : Buffer.from(JSON.stringify(body)),
      }),
    // A caller that tries again needs no pause, because each answer takes some simulated time.
    pause: async () => undefined,
    follow(path, line, ended) {
      const lines = new Lines(line)
      let stop: (() => void) | undefined
      let isStopped = false
      const end = (): void => {
        if (!isStopped) ended()
        isStopped = true
      }
      connect().then(connection => {
        if (isStopped) return
        const exchange = connection.request(head('GET', path, '*/*', 'application/json'), {
          head: () => undefined,
          data: chunk => lines.add(chunk),
          end,
          error: end,
        })
        stop = () => exchange.abort()
      }, end)
      return () => {
        isStopped = true
        stop?.()
      }
    },
    close: () => transport.close(),
  }
}

/**
 * An asker for code that stands in for a component of the cluster, such as a controller. It bypasses the faults and the counters of an embedded server in this process, and uses its clock.
 * Requests to any other server go by sockets.
 */
export async function askBackstage(server: ApiServer): Promise<{ readonly asker: OpenAsker; readonly clock: Clock }> {
  if (!(server instanceof EmbeddedServer)) return { asker: askBySockets(server), clock: systemClock({ unref: true }) }
  const { transport, clock } = server.backstage()
  return { asker: await askInMemory(server, transport), clock }
}

function answerOf(connection: Connection, request: RequestHead): Promise<Answer> {
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
