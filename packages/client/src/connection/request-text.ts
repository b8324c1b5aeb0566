import type { RequestHead } from '../transport.ts'
import { unsendable } from './headers.ts'

const token = /^[!#$%&'*+\-.^_`|~\w]+$/
const target = /^[\x21-\x7e]+$/

/**
 * The head of an HTTP/1.1 request as it is sent, in latin1. Its length and host are of this side.
 * @throws TypeError for what would not arrive as it is, or as more than it is.
 */
export function requestText({ method, path, headers, body }: RequestHead, host: string): string {
  if (!token.test(method)) throw new TypeError('Invalid character in the method of a request')
  if (!target.test(path)) throw new TypeError('Invalid character in the path of a request')
  const refused = unsendable(headers)
  if (refused !== undefined) throw new TypeError(`Invalid character in header content ["${refused}"]`)
  let text = `${method} ${path} HTTP/1.1\r\nhost: ${host}\r\nconnection: keep-alive\r\n`
  for (const name in headers) {
    if (!token.test(name) || own.has(name.toLowerCase())) throw new TypeError(`Invalid header ["${name}"]`)
    const value = headers[name] as string | readonly string[]
    for (const each of typeof value === 'string' ? [value] : value) text += `${name}: ${each}\r\n`
  }
  if (body !== undefined) text += `content-length: ${body.length}\r\n`
  else if (withBody.has(method)) text += 'content-length: 0\r\n'
  return `${text}\r\n`
}

/** Headers that say where a request ends, or for whom it is: not its caller's. */
const own: ReadonlySet<string> = new Set([
  'host',
  'connection',
  'content-length',
  'transfer-encoding',
  'upgrade',
  'te',
  'expect',
  'trailer',
])
const withBody: ReadonlySet<string> = new Set(['POST', 'PUT', 'PATCH'])
