import { X509Certificate } from 'node:crypto'
import { AsnConvert } from '@peculiar/asn1-schema'
import { Certificate, SubjectAlternativeName } from '@peculiar/asn1-x509'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { addressBytes, integer, oid, tagged, time } from './der.ts'
import { issue, newKeys } from './x509.ts'

const keys = newKeys()
const hostName = fc.stringMatching(/^[a-z0-9]([-a-z0-9.]{0,40}[a-z0-9])?$/).filter(name => !/^[\d.]+$/.test(name))
const names = fc.array(fc.oneof(hostName, fc.ipV4(), fc.ipV6()), { minLength: 1, maxLength: 2000 })
const seconds = fc.integer({ min: 0, max: Date.UTC(9999, 11, 31) / 1000 })

it('B3: certificates of random names and times are read by the ASN.1 library as they were meant, and it writes the same bytes', () =>
  fc.assert(
    fc.property(
      fc.string({ minLength: 1, maxLength: 400, unit: 'grapheme' }),
      names,
      seconds,
      seconds,
      (subject, names, from, to) => {
        const content = { subject, publicKey: keys.publicKey, notBefore: from * 1000, notAfter: to * 1000 + 999, names }
        const pem = issue(content, { ...keys, subject: 'authority' })
        const { raw } = new X509Certificate(pem)
        const read = AsnConvert.parse(raw, Certificate)
        expect(Buffer.from(AsnConvert.serialize(read)).equals(raw)).toBe(true)
        const { tbsCertificate } = read
        expect(tbsCertificate.subject[0]?.[0]?.value.toString()).toBe(subject)
        const { notBefore, notAfter } = tbsCertificate.validity
        expect([notBefore.getTime().getTime(), notAfter.getTime().getTime()]).toEqual([from * 1000, to * 1000])
        const extension = tbsCertificate.extensions?.find(({ extnID }) => extnID === '2.5.29.17')
        const general = AsnConvert.parse(extension?.extnValue.buffer as ArrayBuffer, SubjectAlternativeName)
        const canonical = (name: string): string => (name.includes(':') ? new URL(`http://[${name}]`).hostname : name)
        const found = general.map(({ dNSName, iPAddress }) => dNSName ?? canonical(iPAddress as string))
        expect(found).toEqual(names.map(canonical))
      },
    ),
  ))

it('B3: an address has one form, however it is written', () => {
  const hex = (address: string): string => addressBytes(address).toString('hex')
  expect(hex('10.0.255.1')).toBe('0a00ff01')
  expect(hex('::')).toBe('0'.repeat(32))
  expect(hex('::1')).toBe(`${'0'.repeat(31)}1`)
  expect(hex('fe80::')).toBe(`fe80${'0'.repeat(28)}`)
  expect(hex('1:2:3:4:5:6:7:8')).toBe('00010002000300040005000600070008')
  expect(hex('2001:DB8::a:0:1')).toBe(['2001', '0db8', '0000', '0000', '0000', '000a', '0000', '0001'].join(''))
  expect(hex('::ffff:10.0.255.1')).toBe('00000000000000000000ffff0a00ff01')
})

it('B3: lengths, numbers and identifiers take as many bytes as they need', () => {
  const hex = (bytes: Uint8Array): string => Buffer.from(bytes).toString('hex')
  const head = (length: number): string => hex(tagged(4, Buffer.alloc(length)).subarray(0, -length || undefined))
  expect([0, 127, 128, 255, 256, 65_536].map(head)).toEqual([
    '0400',
    '047f',
    '048180',
    '0481ff',
    '04820100',
    '0483010000',
  ])
  expect([[0], [0, 0], [127], [128], [0, 0, 1, 2]].map(bytes => hex(integer(...bytes)))).toEqual([
    '020100',
    '020100',
    '02017f',
    '02020080',
    '02020102',
  ])
  expect(hex(oid('1.2.840.10045.4.3.2'))).toBe('06082a8648ce3d040302')
  expect(
    [time(Date.UTC(2049, 11, 31, 23, 59, 59)), time(Date.UTC(2050, 0, 1))].map(each => each.toString('latin1', 2)),
  ).toEqual(['491231235959Z', '20500101000000Z'])
})
