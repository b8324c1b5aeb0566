import { ConnectionError } from '../errors/connection-error.ts'
import type { RequestHead } from '../transport.ts'

/** Whether headers identify the user to a server. Such headers are never sent unencrypted to another machine (rule X2). */
export function carriesSecret(headers: RequestHead['headers']): boolean {
  return headers.authorization !== undefined || headers.cookie !== undefined
}

/**
 * Checks that credentials may be sent unencrypted to `host` (rule X2). It is called with the address of each connection, and before the first request with the
 * name in the URL, which finds most mistakes early.
 * @throws ConnectionError `INSECURE_TOKEN` if the host is another machine
 */
export function refuseUnencrypted(host: string): void {
  if (isLoopback(host)) return
  throw new ConnectionError('INSECURE_TOKEN', `credentials are not sent over plain http to ${host}`, {
    unprocessed: true,
  })
}

/**
 * Whether a name, an address or the host of a URL is this machine's own, by its text alone, without a look-up. A name may
 * resolve to any address, so the address of the connection is checked as well.
 */
export function isLoopback(host: string): boolean {
  const text = host.toLowerCase().replace(/\.$/, '')
  if (text === 'localhost' || text.endsWith('.localhost')) return true
  if (text === '[::1]' || text === '::1') return true
  return /^(?:::ffff:)?127(?:\.\d{1,3}){3}$/.test(text)
}
