import { createServer } from 'node:net'

/** The ports of an example's program: two plays on one machine take free ones each. In a cluster the program takes its own defaults. */
export const freePorts: Readonly<Record<string, string>> = { PORT: '0', CATALOG_PORT: '0', GATE_PORT: '0' }

/** Below the ports that systems give to connections, so that none takes it while the program is not running. */
const ports = { first: 20_000, count: 10_000 }

/**
 * Where the API server of this machine calls the webhooks of an example's program, in place of the Service. The port stays the same if the program is
 * started again.
 */
export async function webhookPlace(): Promise<Readonly<Record<string, string>>> {
  for (;;) {
    const port = ports.first + Math.floor(Math.random() * ports.count)
    if (await isFree(port)) return { WEBHOOK_ADDRESS: '127.0.0.1', WEBHOOK_PORT: `${port}` }
  }
}

function isFree(port: number): Promise<boolean> {
  return new Promise(resolve => {
    const server = createServer()
    server.once('error', () => resolve(false))
    server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)))
  })
}
