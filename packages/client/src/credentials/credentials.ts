import { createHash } from 'node:crypto'

/** What a TLS connection is made with. Text is PEM. */
export interface TlsMaterial {
  /** Certificates that may have signed the server's. Absent: those that Node trusts. */
  readonly ca?: string | undefined
  /** The client's certificate, with what leads to its authority. */
  readonly cert?: string | undefined
  /** The key of `cert`. */
  readonly key?: string | undefined
}

/**
 * Who a client is. Credentials may change while a program runs: connections that were opened with
 * other TLS material take no new requests, and a 401 asks for a refresh.
 */
export interface Credentials {
  /** Headers that go with each request, with lower-case names. At once where nothing has to be read or run. */
  headers(): Readonly<Record<string, string>> | Promise<Readonly<Record<string, string>>>
  /** What new connections are opened with. */
  tls(): TlsMaterial | Promise<TlsMaterial>
  /** Stands for the TLS material known now: another text, other material. Never the material itself. */
  digest(): string
  /**
   * Looks for newer credentials, after a 401. Several calls at once are one. Resolves to whether
   * there are others now than before; rejects when it can't be found out.
   */
  refresh(): Promise<boolean>
  /** Ends what is under way, such as a plugin that runs: whoever waits for it is rejected. It may be asked again. */
  close?(): void
}

/** Nobody: no headers, no client certificate. */
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
