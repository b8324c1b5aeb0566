import { createPrivateKey, generateKeyPairSync, X509Certificate } from 'node:crypto'
import { simulate } from '@wherry/testing'
import { describe, expect, it } from 'vitest'
import { type Authority, authorityOf, backdatedMs, newAuthority } from './authority.ts'
import { Former } from './former.ts'
import { newLeaf } from './leaf.ts'
import { certificatesOf, isSignedBy } from './pem.ts'
import { type Issuer, issue, type Keys, newKeys } from './x509.ts'

const now = Date.UTC(2026, 0, 1)
const dayMs = 86_400_000
const names = ['arcade.games.svc', 'arcade.games.svc.cluster.local', '127.0.0.1', '::1']

/** The DER of the critical extension keyUsage, with its bits. */
const usage = (bits: string): string => `0603551d0f0101ff0404${bits}`

/** An authority of its own, or one that another authority has signed. */
function selfSigned(subject: string, keys: Keys, issuer: Issuer = { ...keys, subject }): [cert: string, key: string] {
  const content = { subject, publicKey: keys.publicKey, notBefore: now, notAfter: now + dayMs, names: undefined }
  return [issue(content, issuer), keys.privateKey.export({ type: 'pkcs8', format: 'pem' }).toString()]
}

function parsed(cert: string): X509Certificate {
  return new X509Certificate(cert)
}

describe('the certificates that an operator makes', () => {
  const authority = newAuthority(now, now + 360 * dayMs)
  const leaf = newLeaf(authority, names, now, 7 * dayMs)

  it('B3: are of an authority that may sign certificates of servers, and nothing below', () => {
    const cert = parsed(authority.cert)
    expect([cert.ca, cert.verify(cert.publicKey), cert.checkIssued(cert)]).toEqual([true, true, true])
    const hex = cert.raw.toString('hex')
    // keyCertSign alone.
    expect(hex).toContain(usage('03020204'))
    // CA: true, and no authority below it.
    expect(hex).toContain('0603551d130101ff040830060101ff020100')
    expect(cert.publicKey.asymmetricKeyDetails?.namedCurve).toBe('prime256v1')
  })

  it('B3: are of a server with the names of its Service, which any client can verify', () => {
    const cert = parsed(leaf.cert)
    expect([cert.ca, cert.verify(authority.publicKey), cert.checkIssued(parsed(authority.cert))]).toEqual([
      ...[false, true, true],
    ])
    expect(names.slice(0, 2).map(name => cert.checkHost(name))).toEqual(names.slice(0, 2))
    expect(names.slice(2).map(address => cert.checkIP(address))).toEqual(names.slice(2))
    expect(cert.checkHost('other.games.svc')).toBeUndefined()
    expect(cert.keyUsage).toEqual(['1.3.6.1.5.5.7.3.1'])
    expect(cert.raw.toString('hex')).toContain(usage('03020780'))
    expect(isSignedBy(leaf.cert, certificatesOf(authority.cert))).toBe(true)
    const other = newAuthority(now, now + dayMs)
    expect(isSignedBy(leaf.cert, certificatesOf(other.cert))).toBe(false)
  })

  it('B3: are backdated, and a serving one does not outlive its authority', () => {
    expect(parsed(authority.cert).validFromDate.getTime()).toBe(now - backdatedMs)
    expect(parsed(leaf.cert).validFromDate.getTime()).toBe(now - backdatedMs)
    expect(parsed(leaf.cert).validToDate.getTime()).toBe(now + 7 * dayMs)
    expect(authority.issuedAt).toBe(now)
    const late = newLeaf(authority, names, now + 356 * dayMs, 7 * dayMs)
    expect(late.notAfter).toBe(authority.notAfter)
    // Past 2049 a certificate writes its times in another form.
    expect(parsed(newAuthority(now, Date.UTC(2051, 1, 3)).cert).validToDate.getTime()).toBe(Date.UTC(2051, 1, 3))
  })

  it('B3: have serial numbers of 120 random bits', () => {
    const serials = Array.from({ length: 50 }, () => parsed(newLeaf(authority, names, now, dayMs).cert).serialNumber)
    expect(new Set(serials).size).toBe(50)
    for (const serial of serials) expect(serial).toMatch(/^01[0-9A-F]{30}$/)
  })

  it('are refused if they are not of an authority that can sign here, without repeating them', () => {
    const other = newAuthority(now, now + dayMs)
    const read = (cert: string, key: string): Authority | string => authorityOf(cert, key)
    expect(read(authority.cert, authority.key)).toMatchObject({ fingerprint: authority.fingerprint })
    expect([
      read('', authority.key),
      read(authority.cert.slice(0, 200), authority.key),
      read(authority.cert, 'x'),
      read(authority.cert, other.key),
      read(leaf.cert, leaf.key),
      read(...selfSigned('', newKeys())),
      read(...selfSigned('a', generateKeyPairSync('ec', { namedCurve: 'P-384' }))),
      read(...selfSigned('a', newKeys(), authority)),
    ]).toEqual([
      'the certificate is no PEM of a certificate',
      'the certificate is no PEM of a certificate',
      'the key is no PEM of a private key',
      'the certificate is of another key',
      'the certificate is not of an authority',
      'its subject is not one common name',
      'its key is not of the curve P-256',
      'the certificate is not signed by its own key',
    ])
  })

  it('B3: name their authority, so that a client finds it among several of one bundle', () => {
    const [own, cert] = [parsed(authority.cert), parsed(leaf.cert)]
    expect(own.subject).toMatch(/^CN=wherry-webhook-authority-[0-9a-f]{16}$/)
    expect([own.issuer, cert.issuer, cert.subject]).toEqual([own.subject, own.subject, 'CN=wherry-webhook'])
    expect(authority.subject).toBe(own.subject.slice(3))
    const other = newAuthority(now, now + dayMs)
    expect(other.subject).not.toBe(authority.subject)
    // The authority's own identifier, and the leaf's of it, are the same 20 bytes.
    const [, id] = /0603551d0e04160414([0-9a-f]{40})/.exec(own.raw.toString('hex')) ?? []
    expect(cert.raw.toString('hex')).toContain(`0603551d230418301680 14${id}`.replace(' ', ''))
    expect(cert.raw.toString('hex')).toContain('0603551d130101ff04023000')
  })

  it('B3: are PEM of lines of 64 characters, with their times in whole seconds', () => {
    const odd = newLeaf(authority, names, now + 1999, dayMs)
    expect(parsed(odd.cert).validToDate.getTime()).toBe(now + dayMs + 1000)
    for (const pem of [authority.cert, leaf.cert, authority.key, leaf.key]) {
      const lines = pem.split('\n')
      expect(lines.slice(1, -3).every(line => line.length === 64)).toBe(true)
      expect([lines[0]?.slice(0, 10), lines.at(-2)?.slice(0, 8), lines.at(-1)]).toEqual(['-----BEGIN', '-----END', ''])
    }
    expect([authority.key, leaf.key].map(key => createPrivateKey(key).asymmetricKeyType)).toEqual(['ec', 'ec'])
  })

  it('B3: are replaced at half of their life, also if their authority cuts that short', () => {
    expect(leaf).toMatchObject({ signer: authority, notBefore: now - backdatedMs, renewAt: now + 3.5 * dayMs })
    expect(newLeaf(authority, names, now + 358 * dayMs, 7 * dayMs).renewAt).toBe(now + 359 * dayMs)
  })

  it('are found in a text of several, and other blocks are left out', () => {
    const { cert, fingerprint, notAfter } = authority
    const broken = cert.replaceAll('M', 'A')
    const found = certificatesOf(`# a comment\n${cert}${broken}${leaf.cert}`)
    expect(found).toEqual([
      { cert, fingerprint, notAfter },
      { cert: leaf.cert, fingerprint: parsed(leaf.cert).fingerprint256, notAfter: leaf.notAfter },
    ])
    expect(certificatesOf('')).toEqual([])
  })

  it('are trusted by any authority of a bundle, also if an intermediate one has signed them', () => {
    const other = newAuthority(now, now + dayMs)
    const bundle = certificatesOf(`${other.cert}${authority.cert}`)
    expect(isSignedBy(leaf.cert, bundle)).toBe(true)
    expect(isSignedBy(`${newLeaf(other, names, now, dayMs).cert}${leaf.cert}`, certificatesOf(authority.cert))).toBe(
      true,
    )
    expect(isSignedBy(leaf.cert, [])).toBe(false)
    // An authority of the same name has another key.
    const [imitation] = selfSigned(authority.subject, newKeys())
    expect(isSignedBy(leaf.cert, certificatesOf(imitation))).toBe(false)
  })
})

it('B3: an authority that was replaced by hand stays in bundles for an hour', () => {
  const simulation = simulate(1)
  let now = 0
  const former = new Former({ ...simulation.clock, monotonic: () => now })
  former.add('a')
  now = 1000
  former.add('b')
  expect(former.certs).toEqual(['a', 'b'])
  now = 3_599_999
  expect(former.certs).toEqual(['a', 'b'])
  now = 3_600_000
  expect(former.certs).toEqual(['b'])
  former.add('b')
  now = 3_601_000
  expect(former.certs).toEqual(['b'])
})
