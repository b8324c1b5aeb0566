import { X509Certificate } from 'node:crypto'
import { expect, it } from 'vitest'
import { createCertificateAuthority } from './certificates.ts'

it('issues a server certificate for the loopback names, signed by the CA', async () => {
  const ca = await createCertificateAuthority()
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

it('issues client certificates with the user and every group in the subject', async () => {
  const ca = await createCertificateAuthority()
  const issued = ca.issueClient({ commonName: 'system:ünï', organizations: ['system:masters', 'dev, ops'] })
  const client = new X509Certificate(issued.certPem).toLegacyObject()
  expect(client.subject.CN).toBe('system:ünï')
  expect(client.subject.O).toEqual(['system:masters', 'dev, ops'])
})

it('gives every authority and every certificate a key and serial number of its own', async () => {
  const [one, two] = await Promise.all([createCertificateAuthority(), createCertificateAuthority()])
  expect(one.caPem).not.toBe(two.caPem)
  expect(new X509Certificate(one.issueServer().certPem).verify(new X509Certificate(two.caPem).publicKey)).toBe(false)
  const serials = new Set(Array.from({ length: 20 }, () => new X509Certificate(one.issueServer().certPem).serialNumber))
  expect(serials.size).toBe(20)
})
