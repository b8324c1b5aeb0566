import { type Clock, systemClock } from '../clock.ts'
import { type Check, checkOptions, having, headerText, text } from '../errors/check.ts'
import { OptionRangeError, OptionTypeError } from '../errors/option.ts'
import type { Credentials } from './credentials.ts'
import { GivenCredentials } from './given.ts'
import type { Impersonation } from './impersonate.ts'
import { checkProxyUrl } from './proxy-url.ts'
import type { Source } from './source.ts'
import { refuseUnencrypted } from './unencrypted.ts'

/** A cluster with credentials. */
export interface ClusterAccess {
  /** An https: or http: URL, with a path prefix if the API server has one. */
  readonly server: URL
  readonly credentials: Credentials
  /** The namespace of the context or the pod. */
  readonly namespace?: string | undefined
  /** An http: or https: proxy. @default from the environment (HTTPS_PROXY, HTTP_PROXY, ALL_PROXY, NO_PROXY) */
  readonly proxyUrl?: string | undefined
  /** The name that the server's certificate must have. @default the host of `server` */
  readonly tlsServerName?: string | undefined
  /** Turns off the verification of the server's certificate. @default false */
  readonly skipTlsVerify?: boolean | undefined
  /** The user to act as. @default none */
  readonly impersonate?: Impersonation | undefined
}

/** Options of every function that returns a {@link ClusterAccess}. */
export interface AccessOptions {
  /** Decides when files are read again and plugins run again. @default this machine's clock */
  readonly clock?: Clock | undefined
}

export const accessChecks: { readonly clock: Check } = { clock: having('a Clock', 'now', 'monotonic', 'timer') }

/** Options of `fromUrl`. */
export interface UrlOptions extends AccessOptions {
  /** The bearer token of each request. */
  readonly token?: string | undefined
  /** A file with the token. It is read again after a minute, for a new connection, and after a 401. Excludes `token`. */
  readonly tokenFile?: string | undefined
  /** The certificate authorities of the server, PEM. @default Node's */
  readonly ca?: string | undefined
  /** The client's certificate, PEM. It needs `key`. */
  readonly cert?: string | undefined
  /** The key of `cert`, PEM. */
  readonly key?: string | undefined
  /** An http: or https: proxy. @default from the environment (HTTPS_PROXY, HTTP_PROXY, ALL_PROXY, NO_PROXY) */
  readonly proxyUrl?: string | undefined
  /** The name that the certificate of the server must have. @default the host of `url` */
  readonly tlsServerName?: string | undefined
}

/**
 * Access to the API server at `url`. Throws an `INSECURE_TOKEN` error for a token with an http: URL, unless the hosts of the URL and the proxy are loopback
 * names or addresses (rule X2).
 *
 * @throws OptionTypeError, OptionRangeError
 */
export function fromUrl(url: string | URL, options: UrlOptions = {}): ClusterAccess {
  checkOptions('access', options, {
    ...accessChecks,
    token: bearer,
    tokenFile: text,
    ca: secret,
    cert: secret,
    key: secret,
    proxyUrl: checkProxyUrl,
    tlsServerName: text,
  })
  const { token, tokenFile, ca, cert, key, proxyUrl, tlsServerName, clock = systemClock() } = options
  if (token !== undefined && tokenFile !== undefined) {
    throw new OptionRangeError('access.tokenFile', 'a file, where there is no token', 'both')
  }
  if ((cert === undefined) !== (key === undefined)) {
    throw new OptionRangeError('access.cert', 'a certificate together with its key', 'one of them')
  }
  const server = serverUrl('access.url', url)
  if (token !== undefined || tokenFile !== undefined) refuseInsecure(server, proxyUrl)
  const data = (given: string | undefined): Source | undefined => (given === undefined ? undefined : { data: given })
  const from = tokenFile === undefined ? data(token) : { file: tokenFile }
  const credentials = new GivenCredentials({ token: from, ca: data(ca), cert: data(cert), key: data(key) }, clock)
  return { server, credentials, proxyUrl, tlsServerName }
}

/** Parses a server's URL. Throws unless it is an http: or https: URL without login, query and fragment. */
export function serverUrl(option: string, url: string | URL): URL {
  const takes = 'an http: or https: URL without login, query and fragment'
  if (typeof url !== 'string' && !(url instanceof URL)) throw new OptionTypeError(option, takes, typeof url)
  const parsed = URL.canParse(`${url}`) ? new URL(`${url}`) : undefined
  if (parsed === undefined || (parsed.protocol !== 'https:' && parsed.protocol !== 'http:')) {
    const got = parsed === undefined ? 'no URL' : `one that begins with ${parsed.protocol}`
    throw new OptionRangeError(option, takes, got)
  }
  if (parsed.username !== '' || parsed.password !== '' || parsed.search !== '' || parsed.hash !== '') {
    throw new OptionRangeError(option, takes, 'one with')
  }
  return parsed
}

/**
 * Throws for plain http, if the host of `server` or `proxy` is no loopback name or address. Each connection checks its address again, because a name may
 * resolve to another machine.
 */
export function refuseInsecure(server: URL, proxy: string | undefined): void {
  if (server.protocol === 'https:') return
  refuseUnencrypted(server.hostname)
  if (proxy !== undefined) refuseUnencrypted(new URL(proxy).hostname)
}

/** Checks that a token can be sent in a header. White space around it is not sent. */
function bearer(option: string, value: unknown): void {
  secret(option, value)
  headerText(option, (value as string).trim())
}

/** Checks that a value is a text that is not blank. The error does not repeat it. */
function secret(option: string, value: unknown): void {
  if (typeof value !== 'string') throw new OptionTypeError(option, 'a string', typeof value)
  if (value.trim() === '') throw new OptionRangeError(option, 'text that is not empty', 'nothing')
}
