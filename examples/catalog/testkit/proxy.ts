import { once } from 'node:events'
import { createServer } from 'node:http'
import { type AddressInfo, connect, type Socket } from 'node:net'

/** An HTTP proxy that only opens tunnels, and counts what goes through them. */
export class TestProxy {
  readonly #server = createServer((_, response) => response.writeHead(405).end())
  readonly #sockets = new Set<Socket>()
  readonly #ended: Promise<unknown>[] = []
  /** The hosts that it was asked to connect to. */
  readonly targets: string[] = []
  /** In both directions, with all that TLS adds. */
  bytes = 0

  static async start(): Promise<TestProxy> {
    const proxy = new TestProxy()
    proxy.#server.on('connect', ({ url = '' }, client: Socket, head: Buffer) => {
      proxy.targets.push(url)
      const [host = '', port] = url.split(':')
      const target = connect(Number(port), host, () => client.write('HTTP/1.1 200 OK\r\n\r\n'))
      target.write(head)
      for (const [from, to] of [
        [client, target],
        [target, client],
      ] as const) {
        proxy.#sockets.add(from)
        proxy.#ended.push(once(from, 'close').catch(() => {}))
        from.on('data', ({ length }: Buffer) => {
          proxy.bytes += length
        })
        from.on('error', () => to.destroy())
        from.pipe(to)
      }
    })
    proxy.#server.listen(0, '127.0.0.1')
    await once(proxy.#server, 'listening')
    return proxy
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`
  }

  async close(): Promise<void> {
    const closed = once(this.#server, 'close')
    this.#server.close()
    this.#server.closeAllConnections()
    for (const socket of this.#sockets) socket.destroy()
    await Promise.all([closed, ...this.#ended])
  }
}
