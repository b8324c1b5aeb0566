import type { IncomingHttpHeaders, OutgoingHttpHeaders } from 'node:http'

/** Headers that are about a connection, and are not passed on to the other connection. */
const ofConnection = new Set([
  ...['connection', 'keep-alive', 'proxy-connection', 'transfer-encoding', 'upgrade', 'te', 'trailer', 'host'],
  ...['expect', 'http2-settings'],
])

/** The headers to pass on, without those of the connection and the pseudo-headers of HTTP/2. */
export function passing(headers: IncomingHttpHeaders, rawHeaders: readonly string[]): OutgoingHttpHeaders {
  const named = new Set((headers.connection ?? '').split(',').map(name => name.trim().toLowerCase()))
  const passed = new Map<string, string[]>()
  for (let at = 0; at + 1 < rawHeaders.length; at += 2) {
    const name = (rawHeaders[at] as string).toLowerCase()
    if (name.startsWith(':') || ofConnection.has(name) || named.has(name)) continue
    const values = passed.get(name) ?? []
    values.push(rawHeaders[at + 1] as string)
    passed.set(name, values)
  }
  return Object.fromEntries(Array.from(passed, ([name, values]) => [name, values.length > 1 ? values : values[0]]))
}
