import type { RequestHead, ResponseHeaders } from '../transport.ts'

/** The characters that Node's HTTP/1.1 refuses in headers. Node's HTTP/2 would send only their last byte. */
const notHeader = /[^\t\x20-\x7e\x80-\xff]/

/** Whether a text can be sent in a header unchanged. */
export function isHeaderText(text: string): boolean {
  return !notHeader.test(text)
}

/** The name of the first header with text that can't be sent; `undefined` if all can. */
export function unsendable(headers: RequestHead['headers']): string | undefined {
  for (const name in headers) {
    const value = headers[name] as string | readonly string[]
    if (!(typeof value === 'string' ? isHeaderText(value) : value.every(isHeaderText))) return name
  }
  return undefined
}

/** @throws TypeError, as Node does, if a header can't be sent. */
export function checkSendable(headers: RequestHead['headers']): void {
  const refused = unsendable(headers)
  if (refused !== undefined) throw new TypeError(`Invalid character in header content ["${refused}"]`)
}

/** Reads the headers of an answer from alternating names and values, and their size. A header that came more than once is a list. */
export function responseHeaders(raw: readonly string[]): { readonly headers: ResponseHeaders; readonly bytes: number } {
  const headers: Record<string, string | string[]> = Object.create(null)
  let bytes = 0
  for (let i = 0; i + 1 < raw.length; i += 2) {
    const name = (raw[i] as string).toLowerCase()
    const value = raw[i + 1] as string
    bytes += name.length + value.length
    if (name.startsWith(':')) continue
    const before = headers[name]
    if (before === undefined) headers[name] = value
    else if (typeof before === 'string') headers[name] = [before, value]
    else before.push(value)
  }
  return { headers, bytes }
}
