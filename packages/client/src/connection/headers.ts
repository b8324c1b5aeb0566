import type { RequestHead } from '../transport.ts'

/** What no header may hold, as Node's HTTP/1.1 has it. Its HTTP/2 sends the last byte of such a character. */
const notHeader = /[^\t\x20-\x7e\x80-\xff]/

/** Whether a text can be sent in a header as it is. */
export function isHeaderText(text: string): boolean {
  return !notHeader.test(text)
}

/** The name of the first header whose text can't be sent; `undefined` if all can. */
export function unsendable(headers: RequestHead['headers']): string | undefined {
  for (const name in headers) {
    const value = headers[name] as string | readonly string[]
    if (!(typeof value === 'string' ? isHeaderText(value) : value.every(isHeaderText))) return name
  }
  return undefined
}
