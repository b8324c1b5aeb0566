/** The character between the lines of one `Impersonate-*` header. No header contains it. */
export const lineBreak = '\n'

/** Whether a header, with a lower-case name, is about acting as another user. */
export function isImpersonation(name: string): boolean {
  return name.startsWith('impersonate-')
}

/**
 * The `Impersonate-*` headers among `rawHeaders`, names and values in turn, as Node has them. The lines of one name are joined by line breaks and not by commas,
 * because a group or an extra value can contain a comma.
 */
export function impersonationHeaders(rawHeaders: readonly string[]): Record<string, string> {
  const found: Record<string, string> = {}
  for (let at = 0; at + 1 < rawHeaders.length; at += 2) {
    const name = (rawHeaders[at] as string).toLowerCase()
    if (!isImpersonation(name)) continue
    const value = rawHeaders[at + 1] as string
    found[name] = name in found ? `${found[name]}${lineBreak}${value}` : value
  }
  return found
}

/** `headers` with the lines of the `Impersonate-*` headers among them, which Node has joined by commas. */
export function withImpersonation<Headers extends object>(headers: Headers, rawHeaders: readonly string[]): Headers {
  for (const name in headers) if (isImpersonation(name)) return { ...headers, ...impersonationHeaders(rawHeaders) }
  return headers
}
