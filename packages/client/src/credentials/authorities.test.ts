import { rootCertificates } from 'node:tls'
import { expect, it } from 'vitest'
import { authoritiesOf } from './authorities.ts'
import { SecureContexts, secureContext } from './secure-contexts.ts'

const [a = '', b = ''] = rootCertificates.map(one => one.trim())
const broken = '-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----'
const key = '-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----'

it.each([
  ['parted by a line break', `${a}\n${b}\n`],
  ['not parted', a + b],
  ['with text around them', `# one\n${a} # two\r\n${b}# end`],
  ['behind a broken one', `${broken}\n${a}${broken}${b}`],
  ['next to a key', `${key}${a}\n${b}`],
])('certificates are found: %s', (_, pem) => {
  expect(authoritiesOf(pem)).toEqual([a, b])
  expect(() => secureContext({ ca: pem })).not.toThrow()
})

it.each([broken, key, a.slice(0, 100), a.replace('END', 'BEGIN')])('a text without any certificate is refused', pem => {
  const error = { code: 'TLS_MATERIAL_INVALID', message: expect.stringContaining('no certificate') }
  expect(() => secureContext({ ca: pem })).toThrow(expect.objectContaining(error))
})

it('a renewed certificate of the same key and authority has a context of its own, whatever the digest', () => {
  const contexts = new SecureContexts()
  const [first, again, renewed] = [a, a, b].map(cert => contexts.of({ cert }, 'one'))
  expect(again).toBe(first)
  expect(renewed).not.toBe(first)
})
