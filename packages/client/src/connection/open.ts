import type { ClusterAccess } from '../credentials/access.ts'
import type { Environment } from '../environment.ts'
import type { Transport } from '../transport.ts'
import { NodeTransport } from './node-transport.ts'
import { type ConnectionOptions, ConnectionPool } from './pool.ts'

/** Options of {@link openPool}. */
export interface OpenPoolOptions extends ConnectionOptions {
  /** @default Node's http2 and https, as `access` says */
  readonly transport?: Transport | undefined
  /** Sent with each request that does not give them itself. Names in lower case. */
  readonly headers?: Readonly<Record<string, string>> | undefined
}

/**
 * The pool of connections to the cluster of `access`. Opens none yet. Warns, once, when the access says
 * that the server's certificate is not to be verified (rule X2).
 */
export function openPool(
  access: ClusterAccess,
  environment: Environment,
  options: OpenPoolOptions = {},
): ConnectionPool {
  const { server, credentials, proxyUrl, tlsServerName, skipTlsVerify } = access
  const { transport = new NodeTransport({ credentials, proxyUrl, tlsServerName, skipTlsVerify }), ...others } = options
  const pool = new ConnectionPool({ ...others, target: server, transport, environment, credentials })
  if (skipTlsVerify === true && options.transport === undefined) {
    environment.onWarning(
      `the certificate of ${server.host} is not verified: whoever is on the way can read and change everything`,
      { server: server.host },
    )
  }
  return pool
}
