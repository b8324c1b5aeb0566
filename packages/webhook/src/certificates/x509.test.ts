import { X509Certificate } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { type Authority, authorityOf, backdatedMs, newAuthority } from './authority.ts'
import { newLeaf } from './leaf.ts'
import { certificatesOf, isSignedBy } from './pem.ts'

const now = Date.UTC(2026, 0, 1)
const dayMs = 86_400_000
const names = ['arcade.games.svc', 'arcade.games.svc.cluster.local', '127.0.0.1', '::1']

/** The DER of the critical extension keyUsage, with its bits. */
const usage = (bits: string): string => `0603551d0f0101ff0404${bits}`

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
    ]).toEqual([
      'the certificate is no PEM of a certificate',
      'the certificate is no PEM of a certificate',
      'the key is no PEM of a private key',
      'the certificate is of another key',
      'the certificate is not of an authority',
    ])
  })
})
