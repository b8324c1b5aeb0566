import { createHash, generateKeyPairSync, type KeyObject, randomBytes, sign } from 'node:crypto'
import { isIP } from 'node:net'
import {
  addressBytes,
  bitString,
  explicit,
  implicit,
  integer,
  octetString,
  oid,
  sequence,
  setOf,
  time,
  utf8String,
  yes,
} from './der.ts'

/** The object identifiers of RFC 5280 and RFC 5758. */
const ids = {
  commonName: oid('2.5.4.3'),
  subjectKeyIdentifier: oid('2.5.29.14'),
  keyUsage: oid('2.5.29.15'),
  subjectAltName: oid('2.5.29.17'),
  basicConstraints: oid('2.5.29.19'),
  authorityKeyIdentifier: oid('2.5.29.35'),
  extendedKeyUsage: oid('2.5.29.37'),
  serverAuth: oid('1.3.6.1.5.5.7.3.1'),
  ecdsaWithSha256: oid('1.2.840.10045.4.3.2'),
}

/** A new pair of keys (ECDSA P-256). */
export interface Keys {
  readonly privateKey: KeyObject
  readonly publicKey: KeyObject
}

/** The signer of a certificate. */
export interface Issuer extends Keys {
  /** Its common name. */
  readonly subject: string
}

/** The contents of a certificate. Times are in milliseconds since 1970, and rounded down, because X.509 has whole seconds. */
export interface CertificateContent {
  readonly subject: string
  readonly publicKey: KeyObject
  readonly notBefore: number
  readonly notAfter: number
  /** The names and addresses of a server; `undefined`: the certificate is of an authority. */
  readonly names: readonly string[] | undefined
}

export function newKeys(): Keys {
  return generateKeyPairSync('ec', { namedCurve: 'P-256' })
}

/** Signs a certificate. Returns it as PEM. */
export function issue(content: CertificateContent, issuer: Issuer): string {
  const { subject, publicKey, notBefore, notAfter, names } = content
  const algorithm = sequence(ids.ecdsaWithSha256)
  const signed = sequence(
    // Version 3.
    explicit(0, integer(2)),
    // 120 bits are random, and the first byte gives each number the same length.
    integer(1, ...randomBytes(15)),
    algorithm,
    nameOf(issuer.subject),
    sequence(time(notBefore), time(notAfter)),
    nameOf(subject),
    spki(publicKey),
    explicit(
      3,
      sequence(
        ...(names === undefined ? ofAuthority(publicKey) : ofServer(names)),
        extension(ids.authorityKeyIdentifier, sequence(implicit(0, keyIdentifier(issuer.publicKey)))),
      ),
    ),
  )
  const certificate = sequence(signed, algorithm, bitString(sign('sha256', signed, issuer.privateKey)))
  const base64 = certificate.toString('base64')
  return `-----BEGIN CERTIFICATE-----\n${base64.replace(/.{1,64}/g, '$&\n')}-----END CERTIFICATE-----\n`
}

function ofAuthority(publicKey: KeyObject): readonly Buffer[] {
  return [
    // The path length is 0, so it can't sign another authority.
    critical(ids.basicConstraints, sequence(yes, integer(0))),
    // keyCertSign, the sixth bit.
    critical(ids.keyUsage, bitString(Buffer.of(0b0000_0100), 2)),
    extension(ids.subjectKeyIdentifier, octetString(keyIdentifier(publicKey))),
  ]
}

function ofServer(names: readonly string[]): readonly Buffer[] {
  const general = names.map(name =>
    isIP(name) === 0 ? implicit(2, Buffer.from(name)) : implicit(7, addressBytes(name)),
  )
  return [
    critical(ids.basicConstraints, sequence()),
    // digitalSignature, the first bit.
    critical(ids.keyUsage, bitString(Buffer.of(0b1000_0000), 7)),
    extension(ids.extendedKeyUsage, sequence(ids.serverAuth)),
    extension(ids.subjectAltName, sequence(...general)),
  ]
}

const extension = (id: Buffer, value: Buffer): Buffer => sequence(id, octetString(value))
/** An extension that a client must understand. */
const critical = (id: Buffer, value: Buffer): Buffer => sequence(id, yes, octetString(value))

/** An X.509 name with only a common name. */
function nameOf(commonName: string): Buffer {
  return sequence(setOf(sequence(ids.commonName, utf8String(commonName))))
}

function keyIdentifier(publicKey: KeyObject): Buffer {
  return createHash('sha256').update(spki(publicKey)).digest().subarray(0, 20)
}

function spki(publicKey: KeyObject): Buffer {
  return publicKey.export({ type: 'spki', format: 'der' })
}
