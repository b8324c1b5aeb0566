import { describe, expect, it } from 'vitest'
import type { RequestHead } from '../transport.ts'
import { requestText } from './request-text.ts'

const text = (head: Partial<RequestHead>): string =>
  requestText({ method: 'GET', path: '/', headers: {}, ...head }, 'api.test:6443')

describe('the head of a request', () => {
  it('has its host and its headers, those of a list as lines of their own', () => {
    expect(text({ path: '/a?b=%20', headers: { accept: 'x', warning: ['1', '2'], name: 'caf\u00e9' } })).toBe(
      'GET /a?b=%20 HTTP/1.1\r\nhost: api.test:6443\r\nconnection: keep-alive\r\naccept: x\r\nwarning: 1\r\nwarning: 2\r\nname: caf\u00e9\r\n\r\n',
    )
  })

  it('says how long the body is, and where one was to be expected that there is none', () => {
    expect(text({ method: 'PATCH', body: Buffer.from('\u00e9') })).toContain('\r\ncontent-length: 2\r\n\r\n')
    expect(text({ method: 'DELETE', body: Buffer.alloc(0) })).toContain('\r\ncontent-length: 0\r\n\r\n')
    for (const method of ['POST', 'PUT', 'PATCH']) expect(text({ method })).toContain('\r\ncontent-length: 0\r\n\r\n')
    for (const method of ['GET', 'HEAD', 'DELETE']) expect(text({ method })).not.toContain('content-length')
  })

  it.each([
    ['a line in the method', { method: 'GET / HTTP/1.1\r\nx:' }],
    ['no method', { method: '' }],
    ['a space in the path', { path: '/a b' }],
    ['a line in the path', { path: '/a\r\nx:' }],
    ['more than ASCII in the path', { path: '/\u00e9' }],
    ['no path', { path: '' }],
    ['a line in a header', { headers: { a: 'b\r\nc: d' } }],
    ['a line in one of several', { headers: { a: ['b', 'c\nd'] } }],
    ['more than latin1 in a header', { headers: { a: '\u0161' } }],
    ['a line in a name', { headers: { 'a\r\nb': 'c' } }],
    ['a colon in a name', { headers: { 'a:': 'c' } }],
    ['no name', { headers: { '': 'c' } }],
    ['a length of its own', { headers: { 'content-length': '5' } }],
    ['a length of its own in capitals', { headers: { 'Content-Length': '5' } }],
    ['a transfer coding', { headers: { 'transfer-encoding': 'chunked' } }],
    ['another host', { headers: { host: 'x' } }],
    ['an end of the connection', { headers: { connection: 'close' } }],
    ['a wish to go on', { headers: { expect: '100-continue' } }],
    ['another protocol', { headers: { upgrade: 'h2c' } }],
    ['trailers', { headers: { te: 'trailers' } }],
    ['trailers to come', { headers: { trailer: 'x' } }],
  ])('X9: is not made with %s', (_, head) => {
    expect(() => text(head)).toThrow(TypeError)
  })
})
