import type { RequestHead } from '../transport.ts'

/**
 * Whether a URL's host seems to be this machine itself, by its name alone: nothing is looked up. A name says little: what is
 * sent unencrypted is decided by the address that a socket is connected to.
 */
export function isLoopback(hostname: string): boolean {
  const host = hostname.toLowerCase().replace(/\.$/, '')
  if (host === 'localhost' || host.endsWith('.localhost')) return true
  if (host === '[::1]' || host === '::1') return true
  return /^127(?:\.\d{1,3}){3}$/.test(host)
}

/** Whether an address is this machine's own. */
export function isLoopbackAddress(address: string): boolean {
  return /^(?:::ffff:)?127(?:\.\d{1,3}){3}$/i.test(address) || address === '::1'
}

/** Headers that show a server who one is: never sent unencrypted to another machine (rule X2). */
export function carriesSecret(headers: RequestHead['headers']): boolean {
  return headers.authorization !== undefined || headers.cookie !== undefined
}
