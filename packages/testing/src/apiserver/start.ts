import type { EmbeddedApiServer } from './api-server.ts'
import { EmbeddedServer } from './embedded.ts'
import type { EmbeddedOptions } from './options.ts'

/**
 * Starts an embedded Kubernetes API server: in this process, on loopback with TLS and HTTP/2, and in memory.
 *
 * It keeps every object serialised under one resourceVersion counter, and answers as kube-apiserver 1.37 does; what it
 * does not do it answers with a 501 that says what is missing. Throws an `OptionError` for an option that is none.
 *
 * ```ts
 * await using server = await startApiServer()
 * ```
 */
export async function startApiServer(options: EmbeddedOptions = {}): Promise<EmbeddedApiServer> {
  const server = new EmbeddedServer(options)
  if (options.sockets ?? true) await server.listen(options)
  return server
}
