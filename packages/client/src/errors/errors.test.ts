import { describe, expect, it } from 'vitest'
import { KnownSecrets } from '../credentials/known-secrets.ts'
import { ApiError, ResourceNotFoundError } from './api-error.ts'
import {
  abortSignal,
  callback,
  checkOptions,
  flag,
  having,
  integer,
  milliseconds,
  oneOf,
  text,
  texts,
} from './check.ts'
import { errorOfAnswer, errorOfStatus, maxStatusBytes, retryAfterOf } from './error-of-answer.ts'
import * as guards from './guards.ts'
import { checkExact, InexactNumberError } from './inexact-number.ts'
import { isInvalidOption, OptionRangeError, OptionTypeError } from './option.ts'
import { withoutCredentials } from './redact.ts'
import { TimeoutError } from './timeout.ts'

const about = { method: 'GET', path: '/api/v1/namespaces/n/configmaps/c', resource: 'v1/configmaps', key: 'n/c' }
const bytes = (body: unknown) => Buffer.from(typeof body === 'string' ? body : JSON.stringify(body))
const status = (code: number, reason: string, more: object = {}) =>
  errorOfAnswer(code, {}, bytes({ kind: 'Status', code, reason, message: 'because', ...more }), about)

describe('ApiError', () => {
  it('has what the Status says, and which request it was', () => {
    const causes = [{ reason: 'FieldValueInvalid', message: 'must be', field: 'metadata.name' }]
    const details = { name: 'c', group: 'g', kind: 'configmaps', uid: 'u', causes, retryAfterSeconds: 3 }
    const error = status(422, 'Invalid', { details })
    expect(error).toBeInstanceOf(ApiError)
    expect({ ...error, message: error.message }).toEqual({
      name: 'ApiError',
      code: 'API_ERROR',
      message: 'GET /api/v1/namespaces/n/configmaps/c: 422 Invalid: because',
      status: 422,
      reason: 'Invalid',
      causes,
      details: { name: 'c', group: 'g', kind: 'configmaps', uid: 'u' },
      retryAfterMs: 3000,
      ...about,
    })
  })

  it('has the token to continue a list after its own has expired', () => {
    expect(status(410, 'Expired', { metadata: { continue: 'on' } }).continueToken).toBe('on')
    for (const metadata of [{ continue: '' }, { continue: 7 }, {}, null, 'x', undefined]) {
      expect(status(410, 'Expired', { metadata }).continueToken).toBeUndefined()
    }
  })

  it('takes Retry-After from the header first, in seconds only', () => {
    const body = bytes({ kind: 'Status', details: { retryAfterSeconds: 9 } })
    expect(errorOfAnswer(429, { 'retry-after': '2' }, body, about).retryAfterMs).toBe(2000)
    expect(retryAfterOf({ 'retry-after': ['4', '5'] })).toBe(4000)
    expect(retryAfterOf({ 'retry-after': 'Wed, 21 Oct 2026 07:28:00 GMT' })).toBeUndefined()
    expect(retryAfterOf({ 'retry-after': '-1' })).toBeUndefined()
    expect(retryAfterOf({})).toBeUndefined()
  })

  it('is made of a plain text, of nothing, and of a Status in a stream', () => {
    const plain = errorOfAnswer(
      429,
      { 'retry-after': '1' },
      bytes('Too many requests, please try again later.\n'),
      about,
    )
    expect(plain).toMatchObject({ status: 429, reason: '', retryAfterMs: 1000 })
    expect(plain.message).toMatch(/429: Too many requests, please try again later\.$/)
    expect(errorOfAnswer(500, {}, bytes(''), about).message).toMatch(/500: no message$/)
    expect(errorOfAnswer(500, {}, bytes('[1]'), about).message).toMatch(/500: \[1\]$/)
    const gone = errorOfStatus({ kind: 'Status', code: 410, reason: 'Expired', message: 'too old' }, about)
    expect(gone).toMatchObject({ status: 410, reason: 'Expired' })
    expect(errorOfStatus('nonsense', about)).toMatchObject({ status: 500, reason: '', causes: [] })
  })

  it('D7: an unknown resource is distinct from a missing object', () => {
    expect(errorOfAnswer(404, {}, bytes('404 page not found'), about)).toBeInstanceOf(ResourceNotFoundError)
    expect(status(404, 'NotFound', { details: {} })).toBeInstanceOf(ResourceNotFoundError)
    expect(status(404, 'NotFound', { details: { name: 'c' } })).not.toBeInstanceOf(ResourceNotFoundError)
    expect(status(404, 'NotFound', { details: { name: 'c' } })).toMatchObject({ code: 'API_ERROR' })
  })

  it('X4: says that a body was too long, and clips text that is too long to be a message', () => {
    const error = errorOfAnswer(500, {}, undefined, about)
    expect(error.message).toContain(`longer than ${maxStatusBytes} bytes`)
    expect(errorOfAnswer(500, {}, bytes('x'.repeat(100_000)), about).message.length).toBeLessThan(5000)
    const causes = Array.from({ length: 5000 }, () => ({ message: 'm'.repeat(10_000) }))
    const many = status(422, 'Invalid', { details: { causes } })
    expect(many.causes).toHaveLength(1000)
    expect(many.causes[0]?.message.length).toBeLessThan(5000)
  })

  it('X4: survives any body', () => {
    const odd = {
      kind: 'Status',
      code: 'x',
      reason: 7,
      message: {},
      details: { causes: { a: 1 }, retryAfterSeconds: 'x' },
    }
    const error = errorOfAnswer(422, {}, bytes(odd), about)
    expect(error).toMatchObject({ status: 422, reason: '', causes: [], retryAfterMs: undefined })
    const strange = errorOfAnswer(
      422,
      {},
      bytes({ kind: 'Status', details: { causes: [null, 3, { reason: 'r' }] } }),
      about,
    )
    expect(strange.causes.map(({ reason }) => reason)).toEqual(['', '', 'r'])
    expect(errorOfAnswer(500, {}, Buffer.from([0xff, 0xfe]), about).message).toContain('500')
  })

  describe('X3: about a secret', () => {
    const secret = 'c2VjcmV0LXZhbHVl'
    const sensitive = { ...about, path: '/api/v1/namespaces/n/secrets', resource: 'v1/secrets', sensitive: true }
    const said = (code: number, reason: string, details: object, message = `it is "${secret}"`) =>
      errorOfAnswer(code, {}, bytes({ kind: 'Status', code, reason, message, details }), sensitive)
    const unshown = "(the server's message is not shown: the resource is sensitive)"

    it('X3: has the reason, and of the causes the reasons and fields, and none of the server’s words', () => {
      const causes = [
        { reason: 'FieldValueInvalid', message: secret, field: 'data[a]' },
        { reason: secret, message: secret, field: `the field ${secret}` },
      ]
      const error = said(422, 'Invalid', { name: 'c', kind: 'secrets', uid: secret, causes })
      expect(`${error.message} ${JSON.stringify(error)} ${error.stack}`).not.toContain(secret)
      expect(error).toMatchObject({
        message: `GET /api/v1/namespaces/n/secrets: 422 Invalid: secrets "c": data[a] FieldValueInvalid ${unshown}`,
        reason: 'Invalid',
        details: { name: 'c', kind: 'secrets', group: undefined, uid: undefined },
        causes: [
          { reason: 'FieldValueInvalid', message: '', field: 'data[a]' },
          { reason: '', message: '', field: '' },
        ],
      })
      expect(said(403, secret, { name: secret, kind: secret }).message).not.toContain(secret)
    })

    it.each<[string, number, string, object, string]>([
      ['is not there', 404, 'NotFound', { name: 'c', kind: 'secrets' }, 'secrets "c" not found'],
      ['has no namespace', 404, 'NotFound', { name: 'n', kind: 'namespaces' }, 'namespaces "n" not found'],
      ['is there already', 409, 'AlreadyExists', { name: 'c', kind: 'secrets' }, 'secrets "c" already exists'],
      [
        'has changed',
        409,
        'Conflict',
        { name: 'c', kind: 'secrets' },
        'secrets "c" conflicts with what the server has',
      ],
      ['may not be read', 403, 'Forbidden', { name: 'c', kind: 'secrets' }, `secrets "c" ${unshown}`],
      [
        'has a bad name',
        422,
        'Invalid',
        { name: 'c', kind: 'Secret', causes: [{ reason: 'FieldValueInvalid', message: 'x', field: 'metadata.name' }] },
        'secrets "c": metadata.name FieldValueInvalid',
      ],
    ])('X3: says that it %s', (_, code, reason, details, words) => {
      const error = said(code, reason, details)
      expect(error.message).toContain(`: ${code} ${reason}: ${words}`)
      expect(error.message).not.toContain(secret)
    })

    it('X3: names the verb that RBAC denies, and no other word of a message like that', () => {
      const denied = (verb: string) =>
        `secrets "c" is forbidden: User "${secret}" cannot ${verb} resource "secrets" in API group "" in the namespace "n"`
      const error = said(403, 'Forbidden', { name: 'c', kind: 'secrets' }, denied('watch'))
      expect(error.message).toMatch(/: 403 Forbidden: secrets "c" is forbidden: the user cannot watch it$/)
      expect(said(403, 'Forbidden', { name: 'c', kind: 'secrets' }, denied(secret)).message).not.toContain(secret)
    })

    it('X3: says so of a create, which names its namespace in the path only', () => {
      const body = bytes({ kind: 'Status', reason: 'NotFound', details: { name: 'n', kind: 'namespaces' } })
      const error = errorOfAnswer(404, {}, body, { ...sensitive, method: 'POST', key: undefined })
      expect(error.message).toBe('POST /api/v1/namespaces/n/secrets: 404 NotFound: namespaces "n" not found')
      expect(guards.isObjectNotFound(error)).toBe(true)
    })

    it('X3: keeps the server’s words that a caller goes by', () => {
      expect(guards.isTooLarge(said(504, 'Timeout', {}, 'Too large resource version: 9, current: 2'))).toBe(true)
      expect(errorOfAnswer(404, {}, bytes('404 page not found'), sensitive)).toBeInstanceOf(ResourceNotFoundError)
    })
  })
})

describe('X3: what a client knows to be secret', () => {
  const knowing = (headers: readonly string[], key?: string): KnownSecrets => {
    const proxies = [undefined, 'no url', 'http://me:p%40ss-w0rd@proxy.test:1', 'https://proxy.test']
    const known = new KnownSecrets(() => proxies)
    const given = headers.map(authorization => ({ authorization }))
    const noted = known.noting({
      headers: () => given.shift() ?? {},
      tls: () => ({ key }),
      digest: () => '',
      refresh: () => Promise.resolve(false),
    })
    for (const _ of headers) noted.headers()
    noted.tls()
    return known
  }

  it('X3: is hidden in a text: tokens that are rotated, logins of proxies, keys', () => {
    const body = ['MIIEvQIBADANBgkqhkiG9w0B', 'AQEFAASCBKcwggSjAgEAAoIB']
    const pem = `-----BEGIN X-----\n${body.join('\n')}\n-----END X-----\n`
    const known = knowing(['Bearer token-one', 'Bearer token-two', 'Bearer tw'], pem)
    for (const [text, left] of [
      ['a token-one, "token-two" and 2 tw', 'a (hidden), "(hidden)" and 2 tw'],
      ['p@ss-w0rd p%40ss-w0rd', '(hidden) (hidden)'],
      [`Basic ${Buffer.from('me:p@ss-w0rd').toString('base64')}`, 'Basic (hidden)'],
      [body.join(' '), '(hidden) (hidden)'],
      [body.join('\\n'), '(hidden)\\n(hidden)'],
      ['nothing of that kind', 'nothing of that kind'],
    ] as const) {
      expect(known.redact(text)).toBe(left)
    }
  })

  it.each([
    ['Bearer default', 'configmaps "a" is forbidden in namespace "default"'],
    [`Basic ${Buffer.from('admin:kubernetes').toString('base64')}`, 'services "kubernetes" already exists'],
    ['Bearer u', 'configmaps "u" not found'],
  ])('X3: with the credential %s the text %j stays as it is', (credential, text) => {
    expect(knowing([credential]).redact(text)).toBe(text)
  })

  it('X3: hides a common word in the form of a header only', () => {
    expect(knowing(['Bearer default']).redact('bad header authorization: Bearer default')).toBe(
      'bad header authorization: Bearer (hidden)',
    )
  })

  it('X3: hides no name of the request itself, so that an absent object is known to be absent', () => {
    const known = knowing(['Bearer my-secret-name'])
    const request = { ...about, key: 'n/my-secret-name' }
    const body = { kind: 'Status', reason: 'NotFound', message: 'my-secret-name', details: { name: 'my-secret-name' } }
    const error = errorOfAnswer(404, {}, bytes(body), request, known.redact)
    expect(guards.isObjectNotFound(error)).toBe(true)
    expect(error.message).toContain('(hidden)')
  })

  it('X3, X4: is looked for in the beginning of a text, however a long text goes on', () => {
    const known = knowing(['Bearer token-one'])
    const jwt = 'eyJhbGciOiJSUzI1NiJ9.eyJpc3MiOiJrIn0.c2ln '
    for (const length of [4000, ...Array.from({ length: 12 }, (_, i) => 8190 + i), 9000]) {
      const cut = known.redact(`${jwt.repeat(250).slice(0, length - 6)} token-one${'.'.repeat(10_000)}`)
      expect(cut).not.toContain('token')
      expect(cut.length).toBeLessThanOrEqual(4097)
    }
  })

  it('X4: is looked for in a bounded part of a text, so that no answer holds up the process', () => {
    const known = knowing(['Bearer token-one'])
    for (const part of ['eyJhbGciOiJS-', 'Bearer+', 'authorization: Bearer ', '-----BEGIN ', ' ', 'a', 'token-on']) {
      const short = known.redact(part.repeat(Math.ceil(8192 / part.length)).slice(0, 8192))
      const long = known.redact(part.repeat(Math.ceil(1_000_000 / part.length)))
      expect(long.length).toBeLessThanOrEqual(short.length)
    }
  })

  it('X3: so is what has the form of a credential, whosever it is', () => {
    for (const [text, left] of [
      ['authorization: Bearer abcdef0123456789abcdef', 'authorization: Bearer (hidden)'],
      ['{"Authorization":"Basic bWU6bXk="}', '{"Authorization":"Basic (hidden)"}'],
      ['eyJhbGciOiJSUzI1NiJ9.eyJpc3MiOiJrIn0.c2ln is no good', '(hidden) is no good'],
      ['-----BEGIN RSA PRIVATE KEY-----\nMIIE\n-----END RSA PRIVATE KEY-----\n.', '(hidden)\n.'],
      ['-----BEGIN PRIVATE KEY-----\nMIIE', '(hidden)'],
      ['Bearer token is missing; Basic configuration2 is off', 'Bearer token is missing; Basic configuration2 is off'],
    ] as const) {
      expect(withoutCredentials(text)).toBe(left)
    }
  })
})

describe('guards', () => {
  const table: [keyof typeof guards, unknown][] = [
    ['isNotFound', status(404, 'NotFound', { details: { name: 'other' } })],
    ['isObjectNotFound', status(404, 'NotFound', { details: { name: 'c' } })],
    ['isResourceNotFound', errorOfAnswer(404, {}, bytes('404 page not found'), about)],
    ['isAlreadyExists', status(409, 'AlreadyExists')],
    ['isConflict', status(409, 'Conflict')],
    ['isExpired', status(410, 'Expired')],
    ['isExpired', status(410, 'Gone')],
    ['isTooLarge', status(504, 'Timeout', { details: { causes: [{ reason: 'ResourceVersionTooLarge' }] } })],
    ['isTooLarge', status(504, 'Timeout', { message: 'Timeout: Too large resource version: 9, current: 2' })],
    ['isTooLarge', status(429, 'TooManyRequests', { message: 'Too large resource version' })],
    ['isRequestTooLarge', status(413, 'RequestEntityTooLarge')],
    ['isRequestTooLarge', status(500, '', { message: 'etcdserver: request is too large' })],
    ['isUnauthorized', status(401, 'Unauthorized')],
    ['isForbidden', status(403, 'Forbidden')],
    ['isInvalid', status(422, 'Invalid')],
    ['isBadRequest', status(400, 'BadRequest')],
    ['isMethodNotAllowed', status(405, 'MethodNotAllowed')],
    ['isUnsupportedMediaType', status(415, 'UnsupportedMediaType')],
    ['isTooManyRequests', errorOfAnswer(429, {}, bytes('Too many requests'), about)],
    ['isServiceUnavailable', status(503, 'ServiceUnavailable')],
    ['isServerError', status(500, '')],
    ['isTimeout', status(504, 'Timeout')],
    ['isTimeout', new TimeoutError(5, about)],
    ['isApplyConflict', status(409, 'Conflict', { details: { causes: [{ reason: 'FieldManagerConflict' }] } })],
    ['isApiError', status(418, '')],
  ]
  const overlaps: Record<string, readonly string[]> = {
    isResourceNotFound: ['isNotFound'],
    isObjectNotFound: ['isNotFound'],
    isApplyConflict: ['isConflict'],
    isTooLarge: ['isTimeout', 'isServerError', 'isTooManyRequests'],
    isRequestTooLarge: ['isServerError'],
    isServiceUnavailable: ['isServerError'],
    isTimeout: ['isServerError'],
  }

  it.each(table)('%s knows its error and no other guard does', (name, error) => {
    for (const [other, guard] of Object.entries(guards)) {
      const known = guard(error)
      if (other === name) expect(known, other).toBe(true)
      else if (other !== 'isApiError' && !overlaps[name]?.includes(other)) expect(known, other).toBe(false)
    }
  })

  it.each([undefined, null, 'x', new Error('x'), { status: 404, reason: 'NotFound' }])('none knows %s', error => {
    for (const guard of Object.values(guards)) expect(guard(error)).toBe(false)
  })
})

describe('that an object is not there', () => {
  it.each<[string, object]>([
    ['it', { name: 'c', kind: 'configmaps' }],
    ['it, as an aggregated API may', { name: 'n/c', kind: 'pods' }],
    ['its namespace', { name: 'n', kind: 'namespaces' }],
  ])('D7: is known where the server names %s', (_, details) => {
    expect(guards.isObjectNotFound(status(404, 'NotFound', { details }))).toBe(true)
  })

  it.each<[string, unknown]>([
    ["a load balancer's page", errorOfAnswer(404, {}, bytes('<html>'), about)],
    ['a page that is too long to be read', errorOfAnswer(404, {}, undefined, about)],
    ['an unknown resource', status(404, 'NotFound', { details: {} })],
    ['another object', status(404, 'NotFound', { details: { name: 'n', kind: 'configmaps' } })],
    ['another reason', status(404, '', { details: { name: 'c' } })],
    ['another status', status(502, 'NotFound', { details: { name: 'c' } })],
  ])('D7: is not known from %s', (_, error) => {
    expect(guards.isObjectNotFound(error)).toBe(false)
  })
})

describe('X6: options', () => {
  const checks = {
    ms: milliseconds(),
    forever: milliseconds({ min: 1, infinite: true }),
    count: integer(1, 10),
    kind: oneOf('a', 'b'),
    on: flag,
    name: text,
    names: texts,
    fn: callback,
    signal: abortSignal,
    clock: having('a Clock', 'now'),
  }

  it.each<[object | undefined]>([
    [undefined],
    [{}],
    [{ ms: undefined, count: undefined }],
    [
      {
        ms: 0,
        forever: Number.POSITIVE_INFINITY,
        count: 10,
        kind: 'b',
        on: false,
        name: 'x',
        names: ['x'],
        fn: () => {},
      },
    ],
    [{ signal: new AbortController().signal, clock: { now: () => 1 } }],
  ])('X6: takes %j', options => {
    expect(() => checkOptions('call', options, checks)).not.toThrow()
  })

  it.each<[unknown, string]>([
    [undefined, 'call'],
    [{ ms: 1 }, 'call.name'],
    [{ ms: 1, name: undefined }, 'call.name'],
    [{ name: 'x' }, 'call.ms'],
  ])('X6: refuses %j where options are needed', (options, option) => {
    const missing = expect.objectContaining({ code: 'INVALID_OPTION', option })
    expect(() => checkOptions('call', options, checks, ['ms', 'name'])).toThrow(missing)
  })

  it.each<[string, unknown, typeof OptionRangeError | typeof OptionTypeError]>([
    ['ms', Number.NaN, OptionRangeError],
    ['ms', Number.POSITIVE_INFINITY, OptionRangeError],
    ['ms', -1, OptionRangeError],
    ['ms', '5', OptionTypeError],
    ['ms', null, OptionTypeError],
    ['forever', 0, OptionRangeError],
    ['forever', Number.NEGATIVE_INFINITY, OptionRangeError],
    ['count', 0, OptionRangeError],
    ['count', 11, OptionRangeError],
    ['count', 1.5, OptionRangeError],
    ['count', '1', OptionTypeError],
    ['kind', 'c', OptionRangeError],
    ['kind', 1, OptionTypeError],
    ['on', 'yes', OptionTypeError],
    ['name', '', OptionRangeError],
    ['name', 'a\r\nb', OptionRangeError],
    ['name', 1, OptionTypeError],
    ['names', 'a', OptionTypeError],
    ['names', [1], OptionTypeError],
    ['fn', {}, OptionTypeError],
    ['signal', {}, OptionTypeError],
    ['clock', null, OptionTypeError],
    ['toString', 1, OptionTypeError],
    ['__proto__', 1, OptionTypeError],
    ['unknown', 1, OptionTypeError],
  ])('X6: refuses %s: %s with a code, its name and what it takes', (name, value, type) => {
    const options = JSON.parse(`{${JSON.stringify(name)}:0}`) as object
    Object.defineProperty(options, name, { value, enumerable: true })
    let refused: unknown
    try {
      checkOptions('call', options, checks)
    } catch (error) {
      refused = error
    }
    expect(refused).toBeInstanceOf(type)
    expect(refused).toBeInstanceOf(type === OptionTypeError ? TypeError : RangeError)
    expect(isInvalidOption(refused)).toBe(true)
    const option = name === 'names' && Array.isArray(value) ? 'call.names[0]' : `call.${name}`
    expect(refused).toMatchObject({ code: 'INVALID_OPTION', option, takes: expect.any(String) })
  })

  it.each([null, 5, 'x', []])('X6: refuses %j for options', options => {
    expect(() => checkOptions('call', options, checks)).toThrow(OptionTypeError)
  })
})

describe('X11: exact numbers', () => {
  it.each([
    [2 ** 53, ''],
    [{ spec: { a: [1, { b: -(2 ** 53) }] } }, 'spec.a[1].b'],
    [{ metadata: { 'a.b/c': 2 ** 60 } }, 'metadata["a.b/c"]'],
    [[[Number.NaN]], '[0][0]'],
    [{ a: Number.POSITIVE_INFINITY }, 'a'],
    [{ a: 1e21 }, 'a'],
    [JSON.parse('[1,123456789012345678901234567890]'), '[1]'],
    [{ spec: { limit: -1.7e308 } }, 'spec.limit'],
    [JSON.parse('{"__proto__":{"x":9007199254740993}}'), '__proto__.x'],
  ])('X11: %j is refused by its path', (value, path) => {
    expect(() => checkExact(value)).toThrow(expect.objectContaining({ code: 'INEXACT_NUMBER', path }))
    expect(() => checkExact(value)).toThrow(InexactNumberError)
  })

  it.each([[{ a: [0, -1.5, 2 ** 53 - 1, 1e-7, 123456789.125, 5e-324, 2n ** 64n, null, 'x', true, undefined] }]])(
    'X11: %o is exact',
    value => {
      expect(() => checkExact(value)).not.toThrow()
    },
  )
})
