import type { ControlledApiServer, EmbeddedApiServer } from './api-server.ts'
import { startInProcess } from './in-process.ts'
import type { IsolatedApiServer } from './isolated/isolated.ts'
import type { EmbeddedOptions } from './options.ts'

/**
 * Starts an embedded API server. It listens on loopback with TLS and HTTP/2, and also answers in memory. It runs in this process or, with
 * `isolate: true`, in a child process. It answers as kube-apiserver 1.37 does. A request for a missing feature is
 * answered with a 501 that names the feature.
 *
 * @example
 * ```ts
 * import { startEmbeddedApiServer } from '@wherry/apiserver'
 *
 * await using server = await startEmbeddedApiServer()
 * console.log(server.url) // https://127.0.0.1:…
 * ```
 *
 * @throws an `OptionError` for an option of a wrong type, or an unknown one
 */
export function startEmbeddedApiServer(
  options: EmbeddedOptions & { readonly isolate: true },
): Promise<IsolatedApiServer>
export function startEmbeddedApiServer(
  options?: EmbeddedOptions & { readonly isolate?: false | undefined },
): Promise<EmbeddedApiServer>
export function startEmbeddedApiServer(options: EmbeddedOptions): Promise<ControlledApiServer>
export async function startEmbeddedApiServer(options: EmbeddedOptions = {}): Promise<ControlledApiServer> {
  if (!options.isolate) return startInProcess(options)
  // Imported only here, so that a server in this process does not load it.
  const { startIsolated } = await import('./isolated/isolated.ts')
  return startIsolated(options)
}
