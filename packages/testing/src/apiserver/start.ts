import type { ApiServer, EmbeddedApiServer } from './api-server.ts'
import { EmbeddedServer } from './embedded.ts'
import type { IsolatedApiServer } from './isolated/isolated.ts'
import type { EmbeddedOptions } from './options.ts'

/**
 * Starts an embedded Kubernetes API server: on loopback with TLS and HTTP/2, and in memory; in this process or, with
 * `isolate: true`, in a child process.
 *
 * It keeps every object serialised under one resourceVersion counter, and answers as kube-apiserver 1.37 does; what it
 * does not do it answers with a 501 that says what is missing. Throws an `OptionError` for an option that is none.
 *
 * ```ts
 * await using server = await startApiServer()
 * ```
 */
export function startApiServer(options: EmbeddedOptions & { readonly isolate: true }): Promise<IsolatedApiServer>
export function startApiServer(
  options?: EmbeddedOptions & { readonly isolate?: false | undefined },
): Promise<EmbeddedApiServer>
export function startApiServer(options?: EmbeddedOptions): Promise<ApiServer>
export async function startApiServer(options: EmbeddedOptions = {}): Promise<ApiServer> {
  if (options.isolate) {
    // Loaded here, so that a server in this process does not pay for it.
    const { startIsolated } = await import('./isolated/isolated.ts')
    return startIsolated(options)
  }
  const server = new EmbeddedServer(options)
  try {
    if (options.sockets ?? true) await server.listen(options)
  } catch (error) {
    await server.close()
    throw error
  }
  return server
}
