import type { EmbeddedApiServer } from './api-server.ts'
import { EmbeddedServer } from './embedded.ts'
import type { EmbeddedOptions } from './options.ts'

/** Starts an embedded server in this process. */
export async function startInProcess(options: EmbeddedOptions): Promise<EmbeddedApiServer> {
  const server = new EmbeddedServer(options)
  try {
    if (options.sockets ?? true) await server.listen(options)
    server.populate()
  } catch (error) {
    await server.close()
    throw error
  }
  return server
}
