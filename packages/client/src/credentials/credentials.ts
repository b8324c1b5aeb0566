import { createHash } from 'node:crypto'

/** The TLS material of a connection, as PEM text. */
export interface TlsMaterial {
  /** The certificate authorities of the server. @default Node's */
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
  /** Headers of each request, with lower-case names. Returns them without a promise if no file has to be read and no plugin run. */
  headers(): Readonly<Record<string, string>> | Promise<Readonly<Record<string, string>>>
  /** The TLS material of new connections. */
  tls(): TlsMaterial | Promise<TlsMaterial>
  /** A digest of the current TLS material: equal for equal material. */
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

/** A digest of TLS material; `''` if there is none. */
export function digestOf({ ca, cert, key }: TlsMaterial): string {
  if (ca === undefined && cert === undefined && key === undefined) return ''
  const hash = createHash('sha256')
  for (const part of [ca, cert, key]) hash.update(`${part?.length ?? -1}:${part ?? ''}`)
  return hash.digest('base64url')
}
