import { randomBytes } from 'node:crypto'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Overview } from './overview.ts'
import { pageHtml } from './page-html.ts'

/** The server of a page that shows the state of an operator. */
export interface DevPage extends AsyncDisposable {
  /** The address of the page, with the token that the server requires. */
  readonly url: string
}

/**
 * Serves the page of an operator on 127.0.0.1, at `port` if that is free, and otherwise at a free port.
 *
 * @param explain returns the operator's explanation of a key
 */
export async function servePage(
  overview: Overview,
  port: number,
  explain: (controller: string, key: string) => Promise<string>,
): Promise<DevPage> {
  const token = randomBytes(16).toString('hex')
  const server = createServer((request, response) => void answer(request, response))
  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    // Another site must not read the page by a host name that resolves to this address.
    if (!/^(127\.0\.0\.1|localhost)(:\d+)?$/.test(request.headers.host ?? ''))
      return end(response, 403, 'text/plain', '')
    // A path such as `//` is no URL.
    const url = URL.parse(request.url ?? '/', 'http://127.0.0.1')
    if (url === null) return end(response, 404, 'text/plain', 'not found')
    const { pathname, searchParams } = url
    // Other users of this machine reach the port too.
    if (searchParams.get('token') !== token)
      return end(response, 403, 'text/plain', 'open the address that wherry dev prints, with its token')
    if (pathname === '/') return end(response, 200, 'text/html', pageHtml)
    if (pathname === '/events') return sendEvents(overview, response)
    if (pathname !== '/explain') return end(response, 404, 'text/plain', 'not found')
    const text = await explain(searchParams.get('controller') ?? '', searchParams.get('key') ?? '')
    end(response, 200, 'text/plain', text)
  }
  await listening(server, port)
  const { port: own } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${own}/?token=${token}`,
    async [Symbol.asyncDispose]() {
      const closed = new Promise(resolve => server.close(resolve))
      server.closeAllConnections()
      await closed
    },
  }
}

async function listening(server: ReturnType<typeof createServer>, port: number): Promise<void> {
  const at = (one: number): Promise<void> =>
    new Promise((resolve, reject) => {
      server.once('error', reject)
      server.listen(one, '127.0.0.1', () => {
        server.off('error', reject)
        resolve()
      })
    })
  await at(port).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'EADDRINUSE') throw error
    return at(0)
  })
}

/** Server-sent events: the whole overview at first, and after each change. */
function sendEvents(overview: Overview, response: ServerResponse): void {
  response.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-store' })
  // A slow page gets only the newest overview, once it has read the earlier one.
  let isBehind = false
  const send = (): void => {
    isBehind = response.writableNeedDrain
    if (!isBehind) response.write(`data: ${JSON.stringify(overview.shown)}\n\n`)
  }
  response.once('close', overview.listen(send))
  response.on('drain', () => isBehind && send())
  send()
}

function end(response: ServerResponse, status: number, type: string, text: string): void {
  response.writeHead(status, {
    'content-type': `${type}; charset=utf-8`,
    'cache-control': 'no-store',
    'content-security-policy':
      "default-src 'none'; img-src data:; script-src 'unsafe-inline'; style-src 'unsafe-inline'; connect-src 'self'",
    'x-content-type-options': 'nosniff',
    'referrer-policy': 'no-referrer',
  })
  response.end(text)
}
