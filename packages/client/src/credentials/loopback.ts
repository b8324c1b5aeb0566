import type { RequestHead } from '../transport.ts'

/** Whether a URL's host is this machine itself, by its name alone: nothing is looked up. */
export function isLoopback(hostname: string): boolean {
  const host = hostname.toLowerCase().replace(/\.$/, '')
  if (host === 'localhost' || host.endsWith('.localhost')) return true
  if (host === '[::1]' || host === '::1') return true
  return /^127(?:\.\d{1,3}){3}$/.test(host)
}

/** Headers that show a server who one is: never sent unencrypted to another machine (rule X2). */
export function carriesSecret(headers: RequestHead['headers']): boolean {
  return headers.authorization !== undefined || headers.cookie !== undefined
}
