import { X509Certificate } from 'node:crypto'
import { AsnConvert } from '@peculiar/asn1-schema'
import {
  AuthorityKeyIdentifier,
  BasicConstraints,
  Certificate,
  ExtendedKeyUsage,
  KeyUsage,
  SubjectAlternativeName,
  SubjectKeyIdentifier,
} from '@peculiar/asn1-x509'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { createCertificateAuthority } from './certificates.ts'

it('issues a server certificate for the loopback names, signed by the CA', () => {
  const ca = createCertificateAuthority()
  const issued = ca.issueServer()
  const root = new X509Certificate(ca.caPem)
  const server = new X509Certificate(issued.certPem)
  expect(root.ca).toBe(true)
  expect(root.verify(root.publicKey)).toBe(true)
  expect(server.ca).toBe(false)
  expect(server.verify(root.publicKey)).toBe(true)
  expect(server.checkIssued(root)).toBe(true)
  expect(server.checkHost('localhost')).toBe('localhost')
  expect(server.checkIP('127.0.0.1')).toBe('127.0.0.1')
  expect(server.checkIP('::1')).toBe('::1')
  expect(server.checkHost('example.com')).toBeUndefined()
})

it('issues client certificates with the user and every group in the subject', () => {
  const ca = createCertificateAuthority()
  const issued = ca.issueClient({ commonName: 'system:ünï', organizations: ['system:masters', 'dev, ops'] })
  const client = new X509Certificate(issued.certPem).toLegacyObject()
  expect(client.subject.CN).toBe('system:ünï')
  expect(client.subject.O).toEqual(['system:masters', 'dev, ops'])
})

it('gives every authority and every certificate a key and serial number of its own', () => {
  const [one, two] = [createCertificateAuthority(), createCertificateAuthority()]
  expect(one.caPem).not.toBe(two.caPem)
  expect(new X509Certificate(one.issueServer().certPem).verify(new X509Certificate(two.caPem).publicKey)).toBe(false)
  const serials = new Set(Array.from({ length: 20 }, () => new X509Certificate(one.issueServer().certPem).serialNumber))
  expect(serials.size).toBe(20)
})

/** The types of the extensions, by their identifiers. */
const extensionTypes: Readonly<Record<string, new () => object>> = {
  '2.5.29.14': SubjectKeyIdentifier,
  '2.5.29.15': KeyUsage,
  '2.5.29.17': SubjectAlternativeName,
  '2.5.29.19': BasicConstraints,
  '2.5.29.35': AuthorityKeyIdentifier,
  '2.5.29.37': ExtendedKeyUsage,
}

const bytesOf = (value: object): Buffer => Buffer.from(AsnConvert.serialize(value))

it('writes as few bits of key usage as each certificate needs', () => {
  const ca = createCertificateAuthority()
  const usageOf = (pem: string): string | undefined => {
    const { extensions = [] } = AsnConvert.parse(new X509Certificate(pem).raw, Certificate).tbsCertificate
    const value = extensions.find(({ extnID }) => extnID === '2.5.29.15')?.extnValue.buffer
    return value && Buffer.from(value).toString('hex')
  }
  // The sixth bit, keyCertSign, and the first, digitalSignature.
  expect([usageOf(ca.caPem), usageOf(ca.issueServer().certPem)]).toEqual(['03020204', '03020780'])
})

it('writes certificates in the bytes of the ASN.1 library, whatever the subject', () => {
  const ca = createCertificateAuthority()
  const text = fc.string({ minLength: 1, maxLength: 400, unit: 'grapheme' })
  fc.assert(
    fc.property(text, fc.array(text, { maxLength: 100 }), (commonName, organizations) => {
      for (const pem of [ca.caPem, ca.issueServer().certPem, ca.issueClient({ commonName, organizations }).certPem]) {
        const { raw } = new X509Certificate(pem)
        const certificate = AsnConvert.parse(raw, Certificate)
        expect(bytesOf(certificate).equals(raw)).toBe(true)
        for (const { extnID, extnValue } of certificate.tbsCertificate.extensions ?? []) {
          const value = AsnConvert.parse(extnValue.buffer, extensionTypes[extnID] as new () => object)
          expect(bytesOf(value).equals(Buffer.from(extnValue.buffer)), extnID).toBe(true)
        }
      }
      const { raw } = new X509Certificate(ca.issueClient({ commonName, organizations }).certPem)
      const { subject } = AsnConvert.parse(raw, Certificate).tbsCertificate
      expect(subject.map(([attribute]) => attribute?.value.toString())).toEqual([...organizations, commonName])
    }),
    { numRuns: 20 },
  )
})
