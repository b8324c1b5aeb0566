import { request } from 'node:http'
import { Duplex } from 'node:stream'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { chunked, lend, pieces } from '../bytes/chunks.fixture.ts'
import { ResponseParser } from './response-parser.ts'

interface Heard {
  readonly log: string[]
  readonly parser: ResponseParser
  headers: unknown
  push(...chunks: readonly (Uint8Array | string)[]): Heard
}

/** A parser that expects the answer to a GET, and what it tells. */
function parser({ method = 'GET', max = 4096 } = {}): Heard {
  const log: string[] = []
  let body: Buffer[] | undefined
  const flush = (): void => {
    if (body !== undefined) log.push(Buffer.concat(body).toString('latin1'))
    body = undefined
  }
  const heard: Heard = {
    log,
    headers: undefined,
    parser: new ResponseParser(max, {
      head(status, headers, reusable) {
        heard.headers = { ...headers }
        log.push(reusable ? `${status}` : `${status} last`)
      },
      data(part) {
        expect(part.length).toBeGreaterThan(0)
        body ??= []
        body.push(Buffer.from(part))
      },
      end(followed) {
        flush()
        log.push(followed ? 'end followed' : 'end')
      },
    }),
    push(...chunks) {
      try {
        for (const chunk of chunks) {
          lend(Buffer.from(chunk as string, 'latin1'), lent => heard.parser.push(lent as Buffer))
        }
      } catch (error) {
        flush()
        const { name, code, message } = error as Error & { code: string }
        log.push(name === 'InvalidResponseError' ? message : code)
      }
      return heard
    },
  }
  heard.parser.begin(method)
  return heard
}

const ok = 'HTTP/1.1 200 OK\r\n'

describe('reading answers', () => {
  it.each([
    ['a length', `${ok}content-length: 5\r\n\r\nhello`, ['200', 'hello', 'end']],
    ['no body', `${ok}content-length: 0\r\n\r\n`, ['200', 'end']],
    ['a long length', `${ok}content-length: 000000000000005\r\n\r\nhello`, ['200', 'hello', 'end']],
    ['chunks', `${ok}transfer-encoding: chunked\r\n\r\n4\r\nhell\r\n1\r\no\r\n0\r\n\r\n`, ['200', 'hello', 'end']],
    ['no chunk', `${ok}Transfer-Encoding: Chunked\r\n\r\n0\r\n\r\n`, ['200', 'end']],
    [
      'sizes in all ways',
      `${ok}transfer-encoding: chunked\r\n\r\n00A;x="y";\xe4\r\n0123456789\r\nb \r\n0123456789a\r\n000\r\n\r\n`,
      ['200', '01234567890123456789a', 'end'],
    ],
    [
      'trailers',
      `${ok}transfer-encoding: chunked\r\n\r\n1\r\nx\r\n0\r\nchecksum: 1\r\nb:\r\n\r\n`,
      ['200', 'x', 'end'],
    ],
    [
      'interim answers',
      `HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nlink: x\r\n\r\n${ok}content-length: 1\r\n\r\nx`,
      ['200', 'x', 'end'],
    ],
    ['no reason', 'HTTP/1.1 404\r\ncontent-length: 0\r\n\r\n', ['404', 'end']],
    ['an empty reason', 'HTTP/1.1 404 \r\ncontent-length: 0\r\n\r\n', ['404', 'end']],
    ['204', 'HTTP/1.1 204 No Content\r\n\r\n', ['204', 'end']],
    ['204 with a length', 'HTTP/1.1 204 No Content\r\ncontent-length: 3\r\n\r\n', ['204', 'end']],
    ['304 with a length', 'HTTP/1.1 304 Not Modified\r\ncontent-length: 3\r\n\r\n', ['304', 'end']],
    ['Connection: close', `${ok}connection: x, Close\r\ncontent-length: 1\r\n\r\nx`, ['200 last', 'x', 'end']],
    [
      'two Connection headers',
      `${ok}connection: x\r\nconnection: close\r\ncontent-length: 1\r\n\r\nx`,
      ['200 last', 'x', 'end'],
    ],
    ['HTTP/1.0', 'HTTP/1.0 200 OK\r\ncontent-length: 1\r\n\r\nx', ['200 last', 'x', 'end']],
    [
      'HTTP/1.0 that keeps alive',
      'HTTP/1.0 200 OK\r\nconnection: Keep-Alive\r\ncontent-length: 1\r\n\r\nx',
      ['200', 'x', 'end'],
    ],
    [
      'HTTP/1.0 in chunks',
      'HTTP/1.0 200 OK\r\nconnection: keep-alive\r\ntransfer-encoding: chunked\r\n\r\n1\r\nx\r\n0\r\n\r\n',
      ['200 last', 'x', 'end'],
    ],
  ])('reads %s, in whatever pieces it comes', (_, text, log) => {
    expect(parser().push(text).log).toEqual(log)
    for (const size of [1, 2, 3, 7])
      expect(parser().push(...pieces(Buffer.from(text, 'latin1'), size)).log).toEqual(log)
    const whole = parser().push(text)
    expect(whole.parser.finish()).toBe(true)
    expect(whole.log).toEqual(log)
  })

  it('an answer without a length goes on until the other side closes', () => {
    const heard = parser().push(`${ok}\r\n`, 'hel', 'lo')
    expect(heard.log).toEqual(['200 last'])
    expect(heard.parser.finish()).toBe(true)
    expect(heard.log).toEqual(['200 last', 'hello', 'end'])
    expect(heard.parser.finish()).toBe(true)
    expect(heard.log).toHaveLength(3)
  })

  it('the answer to a HEAD has no body, whatever it says', () => {
    for (const length of ['content-length: 5', 'transfer-encoding: chunked', 'x: y']) {
      expect(parser({ method: 'HEAD' }).push(`${ok}${length}\r\n\r\n`).log).toEqual(['200', 'end'])
    }
  })

  it('gives headers in lower case, without white space around them, as lists where they come more than once', () => {
    const { headers } = parser().push(
      `${ok}X-One: \t a  b\t \r\nx-none:\r\nX-MANY: 1\r\nx-many: 2\r\nx-Many:3\r\n__proto__: \xe4\r\nx!#$%&'*+-.^_\`|~9: 1\r\n\r\n`,
    )
    expect(Object.entries(headers as object)).toEqual([
      ['x-one', 'a  b'],
      ['x-none', ''],
      ['x-many', ['1', '2', '3']],
      ['__proto__', '\xe4'],
      ["x!#$%&'*+-.^_`|~9", '1'],
    ])
  })

  it('reads one answer after the other', () => {
    const heard = parser().push(`${ok}content-length: 1\r\na: b\r\n\r\nx`)
    heard.parser.begin('GET')
    heard.push('HTTP/1.1 201 Created\r\ntransfer-encoding: chunked\r\n\r\n1\r\ny\r\n0\r\n\r\n')
    expect(heard.headers).toEqual({ 'transfer-encoding': 'chunked' })
    heard.parser.begin('HEAD')
    heard.push(`${ok}\r\n`)
    expect(heard.log).toEqual(['200', 'x', 'end', '201', 'y', 'end', '200', 'end'])
  })

  it('X9: what follows an answer is nobody’s: neither its own nor the next one’s', () => {
    const next = `${ok}content-length: 4\r\n\r\nevil`
    for (const text of [
      `${ok}content-length: 1\r\n\r\nx`,
      `${ok}content-length: 0\r\n\r\n`,
      `${ok}transfer-encoding: chunked\r\n\r\n1\r\nx\r\n0\r\n\r\n`,
    ]) {
      const { log } = parser().push(text + next)
      expect(log.at(-1)).toBe('end followed')
      expect(log.join()).not.toContain('evil')
      expect(parser().push(text, next).log.slice(-2)).toEqual(['end', 'bytes came that no request asked for'])
    }
  })

  it.each([
    ['another protocol', 'SSH-2.0-OpenSSH\r\n'],
    ['another version', 'HTTP/2.0 200 OK\r\n'],
    ['a status of two digits', 'HTTP/1.1 20 OK\r\n'],
    ['a status that begins with 0', 'HTTP/1.1 020 OK\r\n'],
    ['a status of four digits', 'HTTP/1.1 2000 OK\r\n'],
    ['a control character in the reason', 'HTTP/1.1 200 O\x00K\r\n'],
    ['something before it', ' HTTP/1.1 200 OK\r\n'],
    ['an empty line before it', '\r\nHTTP/1.1 200 OK\r\n'],
    ['a bare line feed', 'HTTP/1.1 200 OK\n'],
    ['a bare carriage return', 'HTTP/1.1 200 OK\rx: y\r\n'],
    ['a line feed in a header', `${ok}a: b\nc: d\r\n`],
    ['a carriage return in a header', `${ok}a: b\rc: d\r\n`],
    ['a NUL in a header', `${ok}a: b\0\r\n`],
    ['a header without a name', `${ok}: b\r\n`],
    ['a header without a colon', `${ok}a\r\n`],
    ['white space before the colon', `${ok}a : b\r\n`],
    ['a folded header', `${ok}a: b\r\n c\r\n`],
    ['an umlaut in a name', `${ok}\xe4: b\r\n`],
    ['a length that is none', `${ok}content-length: 5x\r\n\r\n`],
    ['a length with a sign', `${ok}content-length: +5\r\n\r\n`],
    ['a negative length', `${ok}content-length: -5\r\n\r\n`],
    ['a length in hex', `${ok}content-length: 0x5\r\n\r\n`],
    ['an empty length', `${ok}content-length:\r\n\r\n`],
    ['a length beyond 2^53', `${ok}content-length: 9999999999999999\r\n\r\n`],
    ['two lengths', `${ok}content-length: 5\r\ncontent-length: 6\r\n\r\n`],
    ['two lengths in one', `${ok}content-length: 5, 5\r\n\r\n`],
    ['the same length twice', `${ok}content-length: 5\r\ncontent-length: 5\r\n\r\n`],
    ['a length and chunks', `${ok}content-length: 5\r\ntransfer-encoding: chunked\r\n\r\n`],
    ['another transfer coding', `${ok}transfer-encoding: gzip\r\n\r\n`],
    ['another transfer coding and chunks', `${ok}transfer-encoding: gzip, chunked\r\n\r\n`],
    ['chunks twice', `${ok}transfer-encoding: chunked\r\ntransfer-encoding: chunked\r\n\r\n`],
    ['chunks, with something before', `${ok}transfer-encoding: xchunked\r\n\r\n`],
    ['another protocol from here on', 'HTTP/1.1 101 Switching Protocols\r\n\r\n'],
    ['a size that is none', `${ok}transfer-encoding: chunked\r\n\r\nZZ\r\n`],
    ['no size', `${ok}transfer-encoding: chunked\r\n\r\n\r\n`],
    ['a negative size', `${ok}transfer-encoding: chunked\r\n\r\n-1\r\n`],
    ['a size with 0x', `${ok}transfer-encoding: chunked\r\n\r\n0x1\r\n`],
    ['white space before a size', `${ok}transfer-encoding: chunked\r\n\r\n 1\r\n`],
    ['a size beyond 2^48', `${ok}transfer-encoding: chunked\r\n\r\n1000000000000\r\n`],
    ['a line feed after a size', `${ok}transfer-encoding: chunked\r\n\r\n1\nx\r\n`],
    ['a line feed in an extension', `${ok}transfer-encoding: chunked\r\n\r\n1;a\nx\r\n`],
    ['a carriage return in an extension', `${ok}transfer-encoding: chunked\r\n\r\n1;a\rb\r\n`],
    ['a chunk longer than it says', `${ok}transfer-encoding: chunked\r\n\r\n1\r\nxy\r\n`],
    ['a line feed after a chunk', `${ok}transfer-encoding: chunked\r\n\r\n1\r\nx\n`],
    ['a trailer that is none', `${ok}transfer-encoding: chunked\r\n\r\n0\r\nx\r\n`],
    ['a trailer with a NUL', `${ok}transfer-encoding: chunked\r\n\r\n0\r\nx: \0\r\n`],
  ])('X9: takes no answer with %s', (_, text) => {
    for (const chunks of [[text], pieces(Buffer.from(text, 'latin1'), 1)]) {
      const { log } = parser().push(...chunks)
      expect(log).not.toContain('end')
      expect(log.at(-1)).toMatch(/answer|line|header|trailer|chunk|protocol/)
      // Nothing of it is shown.
      expect(log.at(-1)).not.toMatch(/SSH|ZZ|xy/)
    }
  })

  it('X4: bounds heads, interim ones among them, and trailers', () => {
    const long = (bytes: number): string => `x: ${'y'.repeat(bytes - 5)}\r\n`
    const rest = 'content-length: 0\r\n\r\n'
    const max = ok.length + 100 + rest.length
    expect(parser({ max }).push(ok, long(100), rest).log).toEqual(['200', 'end'])
    expect(parser({ max }).push(ok, long(101), rest).log).toEqual(['HEADERS_TOO_LARGE'])
    expect(parser({ max }).push(ok + long(101) + rest).log).toEqual(['HEADERS_TOO_LARGE'])
    expect(parser({ max }).push(ok, ...pieces(Buffer.alloc(1000, 'x'), 1)).log).toEqual(['HEADERS_TOO_LARGE'])
    const interim = 'HTTP/1.1 103 Early Hints\r\n\r\n'
    expect(parser({ max: 4096 }).push(interim.repeat(1000)).log).toEqual(['HEADERS_TOO_LARGE'])
    const head = `${ok}transfer-encoding: chunked\r\n\r\n`
    const trailers = parser({ max: head.length + 102 }).push(`${head}0\r\n`, long(100), '\r\n')
    expect(trailers.log).toEqual(['200', 'end'])
    expect(
      parser({ max: head.length + 101 })
        .push(`${head}0\r\n`, long(100), '\r\n')
        .log.at(-1),
    ).toBe('HEADERS_TOO_LARGE')
    // Each answer has the bound for itself.
    const again = parser({ max }).push(ok, long(100), rest)
    again.parser.begin('GET')
    expect(again.push(ok, long(100), rest).log).toEqual(['200', 'end', '200', 'end'])
  })

  it('X4: bounds the lines of chunks, and extensions beside what they are about', () => {
    const head = `${ok}transfer-encoding: chunked\r\n\r\n`
    const extended = (bytes: number): string => `1;${'x'.repeat(bytes - 1)}\r\n.\r\n`
    expect(parser().push(`${head}${extended(1021)}0\r\n\r\n`).log).toEqual(['200', '.', 'end'])
    expect(
      parser()
        .push(`${head}${extended(1022)}0\r\n\r\n`)
        .log.at(-1),
    ).toBe('the size of a chunk is no number')
    expect(
      parser()
        .push(head, ...pieces(Buffer.alloc(2000, '0'), 1))
        .log.at(-1),
    ).toContain('size')
    expect(
      parser()
        .push(`${head}1\r\nx`, ...pieces(Buffer.alloc(2000, 'y'), 1))
        .log.at(-1),
    ).toMatch(/chunk/)
    // One byte of each is in its chunk.
    const most = extended(512).repeat(32)
    expect(
      parser()
        .push(head, most, `0;${'x'.repeat(31)}\r\n\r\n`)
        .log.at(-1),
    ).toBe('end')
    expect(
      parser()
        .push(head, most, `0;${'x'.repeat(32)}\r\n\r\n`)
        .log.at(-1),
    ).toContain('extensions')
    // Nor is a large chunk leave for many of them later.
    const large = `4000\r\n${'.'.repeat(0x4000)}\r\n`
    expect(
      parser()
        .push(head, large, most, `0;${'x'.repeat(32)}\r\n\r\n`)
        .log.at(-1),
    ).toContain('extensions')
    expect(parser().push(head, most, large, most, '0\r\n\r\n').log.at(-1)).toBe('end')
    // A stream that does not end may have them as long as it goes on.
    expect(
      parser().push(head, `14;signature=01234567\r\n${'.'.repeat(20)}\r\n`.repeat(5000), '0\r\n\r\n').log,
    ).toHaveLength(3)
    const again = parser().push(head, most, '0\r\n\r\n')
    again.parser.begin('GET')
    expect(again.push(head, most, '0\r\n\r\n').log.at(-1)).toBe('end')
  })

  it('X3, X4: names the bound that was passed, and says of no answer what it is', () => {
    const before = new ResponseParser(64, { head() {}, data() {}, end() {} })
    expect(before.finish()).toBe(true)
    const unasked = 'bytes came that no request asked for'
    expect(() => before.push(Buffer.from(ok))).toThrow(
      expect.objectContaining({ name: 'InvalidResponseError', code: 'INVALID_RESPONSE', message: unasked }),
    )
    before.begin('GET')
    expect(() => before.push(Buffer.alloc(65, 'x'))).toThrow(
      expect.objectContaining({ code: 'HEADERS_TOO_LARGE', message: "the answer's headers are longer than 64 bytes" }),
    )
  })

  it('takes a header full of blanks in a time that grows with its length alone', () => {
    const blanks = ' '.repeat(1_000_000)
    const head = `${ok}x:${blanks}y${blanks}z${blanks}\r\ncontent-length: 0\r\n\r\n`
    const heard = parser({ max: 4_000_000 }).push(head)
    expect(heard.headers).toMatchObject({ x: `y${blanks}z` })
    expect(parser({ max: 4_000_000 }).push(`${ok}x:${blanks}\0\r\n`).log).toEqual(['a header is none'])
  })

  it.each([
    ['a status line', 'HTTP/1.1 20'],
    ['a head', `${ok}content-length: 0\r\n`],
    ['a body', `${ok}content-length: 3\r\n\r\nxx`],
    ['a size', `${ok}transfer-encoding: chunked\r\n\r\n1`],
    ['a chunk', `${ok}transfer-encoding: chunked\r\n\r\n2\r\nx`],
    ['a chunk’s end', `${ok}transfer-encoding: chunked\r\n\r\n1\r\nx`],
    ['chunks', `${ok}transfer-encoding: chunked\r\n\r\n1\r\nx\r\n`],
    ['trailers', `${ok}transfer-encoding: chunked\r\n\r\n0\r\nx: y\r\n`],
    ['an interim answer', 'HTTP/1.1 100 Continue\r\n\r\n'],
    ['nothing', ''],
  ])('R14: a close in the midst of %s is no end', (_, text) => {
    const heard = parser().push(text)
    expect(heard.parser.finish()).toBe(false)
    expect(heard.log).not.toContain('end')
  })

  it.each([
    ['the head', 'head', `${ok}content-length: 2\r\n\r\nxx`],
    ['the head of an answer without a body', 'head', `${ok}content-length: 0\r\n\r\n`],
    ['the head of an answer to the end', 'head', `${ok}\r\nxx`],
    ['a part', 'data', `${ok}content-length: 2\r\n\r\nxx`],
    ['a chunk', 'data', `${ok}transfer-encoding: chunked\r\n\r\n1\r\nx\r\n1\r\ny\r\n0\r\n\r\n`],
    ['a part to the end', 'data', `${ok}\r\nxx`],
  ])('tells nothing more once it was stopped at %s', (_, at, text) => {
    const log: string[] = []
    const tell = (what: string): void => {
      log.push(what)
      if (what === at) parser.stop()
    }
    const parser = new ResponseParser(4096, {
      head: () => tell('head'),
      data: () => tell('data'),
      end: () => tell('end'),
    })
    parser.begin('GET')
    parser.push(Buffer.from(text))
    parser.push(Buffer.from('what is this?'))
    expect(parser.finish()).toBe(true)
    expect(log).toEqual(at === 'head' ? ['head'] : ['head', 'data'])
  })

  it('may begin the next answer from within the end of one', () => {
    const log: string[] = []
    const parser = new ResponseParser(4096, {
      head: status => log.push(`${status}`),
      data: part => log.push(`${part}`),
      end(followed) {
        log.push(followed ? 'end followed' : 'end')
        parser.begin('GET')
      },
    })
    parser.begin('GET')
    parser.push(Buffer.from(`${ok}content-length: 1\r\n\r\nxHTTP/1.1 201 Evil\r\n\r\n`))
    parser.push(Buffer.from(`HTTP/1.1 202 Accepted\r\ncontent-length: 1\r\n\r\ny`))
    expect(log).toEqual(['200', 'x', 'end followed', '202', 'y', 'end'])
  })
})

/** What Node makes of it: `undefined` where it takes it for no answer, or not a whole one. */
function byNode(
  chunks: readonly Uint8Array[],
): Promise<{ status: number; headers: unknown; body: string } | undefined> {
  const socket = new Duplex({ read() {}, write: (_chunk, _encoding, done) => done() })
  return new Promise(resolve => {
    const fail = (): void => {
      socket.destroy()
      resolve(undefined)
    }
    const sent = request({ createConnection: () => socket, agent: undefined, path: '/' })
    sent.on('error', fail)
    sent.on('response', response => {
      const body: Uint8Array[] = []
      response.on('data', chunk => body.push(chunk))
      response.on('error', fail)
      response.on('close', () => {
        socket.destroy()
        const { statusCode: status = 0, headersDistinct, complete } = response
        resolve(
          complete
            ? { status, headers: { ...headersDistinct }, body: Buffer.concat(body).toString('latin1') }
            : undefined,
        )
      })
    })
    sent.end()
    for (const chunk of chunks) socket.push(chunk)
    socket.push(null)
  })
}

/** And what is made of it here. What goes on after an answer is left out: whether Node minds depends on the chunks. */
function byOurs(chunks: readonly Uint8Array[]): Awaited<ReturnType<typeof byNode>> {
  const heard = parser({ max: 16_384 }).push(...chunks)
  heard.parser.finish()
  const [head = '', body = ''] = heard.log
  if (heard.log.at(-1) !== 'end') return undefined
  const headers: Record<string, unknown> = {}
  for (const [name, value] of Object.entries(heard.headers as object)) headers[name] = [value].flat()
  return { status: Number.parseInt(head, 10), headers, body: heard.log.length > 2 ? body : '' }
}

const token = fc.stringMatching(/^[a-zA-Z0-9-]{1,6}$/)
const text = fc.stringMatching(/^[\t -~\x80-\xff]{0,12}$/)
const header = fc.tuple(token, text).map(([name, value]) => `x-${name}: ${value}\r\n`)
const headers = fc.array(header, { maxLength: 4 }).map(each => each.join(''))
const body = fc.string({ unit: 'binary', maxLength: 40 }).map(each => Buffer.from(each).toString('latin1'))
const size = fc.constantFrom(
  (n: number) => n.toString(16),
  (n: number) => n.toString(16).toUpperCase(),
  (n: number) => `00${n.toString(16)};a=b`,
)
const inChunks = fc.tuple(fc.array(fc.tuple(body, size), { maxLength: 4 }), headers).map(([parts, trailers]) => {
  const chunks = parts.filter(([part]) => part !== '').map(([part, sized]) => `${sized(part.length)}\r\n${part}\r\n`)
  return `transfer-encoding: chunked\r\n\r\n${chunks.join('')}0\r\n${trailers}\r\n`
})
const answer = fc
  .tuple(
    fc.constantFrom('', 'HTTP/1.1 100 Continue\r\n\r\n', 'HTTP/1.1 103 Early Hints\r\nlink: a\r\n\r\n'),
    fc.constantFrom('HTTP/1.1 200 OK', 'HTTP/1.1 404', 'HTTP/1.0 200 OK', 'HTTP/1.1 503 Service Unavailable'),
    headers,
    fc.oneof(
      inChunks,
      body.map(each => `content-length: ${each.length}\r\n\r\n${each}`),
      body.map(each => `\r\n${each}`),
    ),
  )
  .map(([interim, status, fields, rest]) => `${interim}${status}\r\n${fields}${rest}`)
const spoilt = fc
  .tuple(
    answer,
    fc.array(
      fc.tuple(
        fc.double({ min: 0, max: 1, noNaN: true }),
        fc.nat({ max: 2 }),
        fc.constantFrom(
          '',
          '\r',
          '\n',
          '\r\n',
          ' ',
          '\t',
          '\0',
          ':',
          ';',
          ',',
          '0',
          '1',
          'a',
          '-',
          '+',
          '\xa0',
          'content-length: 3\r\n',
          'Transfer-Encoding: chunked\r\n',
          'transfer-encoding: gzip\r\n',
          'connection: close\r\n',
          '\r\n\r\n',
          ' \r\n',
          '\r\n ',
          '0\r\n\r\n',
        ),
      ),
      { minLength: 1, maxLength: 3 },
    ),
  )
  .map(([whole, spoils]) =>
    spoils.reduce((spoiling, [place, drop, put]) => {
      const at = Math.floor(place * spoiling.length)
      return spoiling.slice(0, at) + put + spoiling.slice(at + drop)
    }, whole),
  )
const cut = (whole: fc.Arbitrary<string>): fc.Arbitrary<Uint8Array[]> =>
  whole.chain(each => chunked(Buffer.from(each, 'latin1')))

describe('beside Node’s own parser', () => {
  it('reads any answer as Node does, whatever the chunking', async () => {
    await fc.assert(
      fc.asyncProperty(cut(answer), async chunks => {
        const ours = byOurs(chunks)
        expect(ours).toBeDefined()
        expect(ours).toEqual(await byNode(chunks))
      }),
      { numRuns: 500 },
    )
  })

  it('takes nothing that Node does not take, and reads nothing otherwise', async () => {
    await fc.assert(
      fc.asyncProperty(cut(spoilt), async chunks => {
        const ours = byOurs(chunks)
        if (ours !== undefined) expect(ours).toEqual(await byNode(chunks))
      }),
      { numRuns: 1500 },
    )
  })
})
