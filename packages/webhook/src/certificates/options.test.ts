import { expect, it } from 'vitest'
import { certificatesCheck, livesOf, serverName } from './options.ts'

const check = (value: unknown) => () => certificatesCheck('webhooks.certificates', value)
const dayMs = 86_400_000
const files = { cert: 'tls.crt', key: 'tls.key' }
const source = { current: () => ({ cert: '', key: '' }), onChange: () => () => {} }

it.each([
  [{}],
  [{ names: ['games.example.com', '10.0.0.1'], authorityLifeMs: 8000, servingLifeMs: 2000 }],
  [{ servingLifeMs: 90 * dayMs }],
  [{ authorityLifeMs: 28 * dayMs }],
  [{ files }],
  [{ files: { ...files, ca: 'ca.crt' }, names: undefined }],
  [source],
])('takes %j for certificates', value => {
  expect(check(value)).not.toThrow()
})

it.each<[why: string, value: unknown]>([
  ['webhooks.certificates takes an object of options, got null', null],
  ['webhooks.certificates takes an object of options, got a string', 'self-signed'],
  ['webhooks.certificates.lives is an unknown option', { lives: 1 }],
  ['webhooks.certificates takes a source of certificates: { current, onChange }', { current: () => ({}) }],
  ['webhooks.certificates.current is an unknown option', { current: {} }],
  ['webhooks.certificates.names takes a list of names, got string', { names: 'a' }],
  ['webhooks.certificates.names[1] takes a host name or an IP address, without a port', { names: ['a', 'b:1'] }],
  ['webhooks.certificates.names[0] takes a string', { names: [1] }],
  ['webhooks.certificates.authorityLifeMs takes milliseconds, 8000 or more', { authorityLifeMs: 7999 }],
  ['webhooks.certificates.servingLifeMs takes milliseconds, 2000 or more', { servingLifeMs: 1999 }],
  [
    ...(['webhooks.certificates.authorityLifeMs takes four times servingLifeMs (8004) or more, got 8000'] as const),
    { authorityLifeMs: 8000, servingLifeMs: 2001 },
  ],
  ['webhooks.certificates.files.cert takes', { files: { key: 'tls.key' } }],
  ['webhooks.certificates.files.key takes', { files: { cert: 'tls.crt' } }],
  ['webhooks.certificates.files.ca takes', { files: { ...files, ca: 1 } }],
  ['webhooks.certificates.files.pem is an unknown option', { files: { ...files, pem: 'x' } }],
  ['webhooks.certificates.names takes nothing if files is given, got a value', { files, names: [] }],
  ['webhooks.certificates.authorityLifeMs takes nothing if files is given', { files, authorityLifeMs: 360 * dayMs }],
  ['webhooks.certificates.servingLifeMs takes nothing if files is given', { files, servingLifeMs: dayMs }],
])('X6: certificates are refused: %s', (why, value) => {
  expect(check(value)).toThrow(why)
})

it('authorities live for 360 days by default, and serving certificates for 7', () => {
  expect(livesOf({})).toEqual({ authorityMs: 360 * dayMs, servingMs: 7 * dayMs })
  expect(livesOf({ authorityLifeMs: 8000, servingLifeMs: 2000 })).toEqual({ authorityMs: 8000, servingMs: 2000 })
})

it.each([...['a', 'A-1.example.com', '*.example.com', '10.0.0.1', '::1', 'fd00::1', '1', 'a'.repeat(253)]])(
  'a server may be called %s',
  name => {
    expect(() => serverName('address', name)).not.toThrow()
  },
)

it.each([
  ...[
    'a:443',
    '[::1]',
    'fe80::1%eth0',
    'https://a',
    '-a',
    'a-',
    'a.',
    '.a',
    '*',
    '*a',
    'x*.a',
    '*.*.a',
    'a_b',
    'a b',
    'a'.repeat(254),
  ],
])('X6: a server may not be called %s', name => {
  const why = `address takes a host name or an IP address, without a port or a zone, got ${JSON.stringify(name)}`
  expect(() => serverName('address', name)).toThrow(why)
})
