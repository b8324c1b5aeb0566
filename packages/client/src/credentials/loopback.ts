/**
 * Whether a name, an address or the host of a URL is this machine's own, by its text alone: nothing is looked up. Any name may
 * be resolved to any address, so what counts in the end is the address that a connection is open to.
 */
export function isLoopback(host: string): boolean {
  const text = host.toLowerCase().replace(/\.$/, '')
  if (text === 'localhost' || text.endsWith('.localhost')) return true
  if (text === '[::1]' || text === '::1') return true
  return /^(?:::ffff:)?127(?:\.\d{1,3}){3}$/.test(text)
}
