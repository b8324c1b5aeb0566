import { createHash } from 'node:crypto'

/** The TLS material of a connection, as PEM text. */
export interface TlsMaterial {
  /** Certificate authorities of the server. @default those that Node trusts */
  readonly ca?: string | undefined
  /** The client's certificate, with its chain. */
  readonly cert?: string | undefined
  /** The key of `cert`. */
  readonly key?: string | undefined
}

/**
 * The client's identity. Credentials may change while a program runs: connections with old TLS material then take no new requests, and a 401
 * triggers a refresh.
 */
export interface Credentials {
  /** Headers of each request, with lower-case names. Returns them directly if nothing has to be read or run. */
  headers(): Readonly<Record<string, string>> | Promise<Readonly<Record<string, string>>>
  /** The TLS material of new connections. */
  tls(): TlsMaterial | Promise<TlsMaterial>
  /** A digest of the current TLS material: it differs when the material differs. Never the material itself. */
  digest(): string
  /**
   * Looks for newer credentials after a 401. Concurrent calls share one attempt. Resolves to whether the credentials have changed; rejects if that
   * can't be determined.
   */
  refresh(): Promise<boolean>
  /** Stops a running refresh, for example a plugin: pending calls reject. The credentials can be used again. */
  close?(): void
}

/** No credentials: no headers, no client certificate. */
export const anonymous: Credentials = {
  headers: () => ({}),
  tls: () => ({}),
  digest: () => '',
  refresh: () => Promise.resolve(false),
}

/** Stands for TLS material without showing it. `''` where there is none. */
export function digestOf({ ca, cert, key }: TlsMaterial): string {
  if (ca === undefined && cert === undefined && key === undefined) return ''
  const hash = createHash('sha256')
  for (const part of [ca, cert, key]) hash.update(`${part?.length ?? -1}:${part ?? ''}`)
  return hash.digest('base64url')
}
