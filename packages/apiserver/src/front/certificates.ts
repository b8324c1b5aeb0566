import { createHash, generateKeyPairSync, type KeyObject, randomBytes, sign } from 'node:crypto'
import { systemClock } from '../clock.ts'
import {
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

/** A certificate and its private key (PKCS #8), both PEM. */
export interface IssuedCertificate {
  readonly certPem: string
  readonly keyPem: string
}

/** The subject of a client certificate, which is a user for Kubernetes: user name and groups. */
export interface ClientSubject {
  readonly commonName: string
  readonly organizations?: readonly string[] | undefined
}

/** A certificate authority that exists as long as this object: its private key is never written to a file. */
export interface CertificateAuthority {
  /** The CA's own certificate, for `certificate-authority-data` of a kubeconfig. */
  readonly caPem: string
  /** A server certificate for `localhost`, `127.0.0.1` and `::1`. */
  issueServer(): IssuedCertificate
  /** A client certificate with CN `commonName` and an O for each organization. */
  issueClient(subject: ClientSubject): IssuedCertificate
}

/** Certificates are valid from an hour ago, because clocks of containers differ, and for ten years, so that no test suite outlives its CA. */
const BACKDATED_MS = 3_600_000
const LIFETIME_MS = 10 * 365 * 86_400_000

/** The object identifiers of RFC 5280 and RFC 5758. */
const ids = {
  commonName: oid('2.5.4.3'),
  organization: oid('2.5.4.10'),
  subjectKeyIdentifier: oid('2.5.29.14'),
  keyUsage: oid('2.5.29.15'),
  subjectAltName: oid('2.5.29.17'),
  basicConstraints: oid('2.5.29.19'),
  authorityKeyIdentifier: oid('2.5.29.35'),
  extendedKeyUsage: oid('2.5.29.37'),
  serverAuth: oid('1.3.6.1.5.5.7.3.1'),
  clientAuth: oid('1.3.6.1.5.5.7.3.2'),
  ecdsaWithSha256: oid('1.2.840.10045.4.3.2'),
}

/** `localhost`, `127.0.0.1` and `::1`, as a certificate has names and addresses. */
const loopback: readonly Buffer[] = [
  implicit(2, Buffer.from('localhost')),
  implicit(7, Buffer.of(127, 0, 0, 1)),
  implicit(7, Buffer.concat([Buffer.alloc(15), Buffer.of(1)])),
]

/** Makes a new CA with an ECDSA P-256 key. Each certificate that it issues has a key of its own. */
export function createCertificateAuthority(): CertificateAuthority {
  const caKey = newKey()
  const caName = nameOf([[ids.commonName, 'wherry-testing-ca']])
  const caId = keyIdentifier(caKey.spki)
  const caPem = issue(caName, caKey.privateKey, caName, caKey.spki, [
    critical(ids.basicConstraints, sequence(yes)),
    // keyCertSign, the sixth bit.
    critical(ids.keyUsage, bitString(Buffer.of(0b0000_0100), 2)),
    extension(ids.subjectKeyIdentifier, octetString(caId)),
  ])

  const leaf = (
    subject: readonly (readonly [Buffer, string])[],
    usage: Buffer,
    names: readonly Buffer[],
  ): IssuedCertificate => {
    const key = newKey()
    const extensions = [
      critical(ids.basicConstraints, sequence()),
      // digitalSignature, the first bit.
      critical(ids.keyUsage, bitString(Buffer.of(0b1000_0000), 7)),
      extension(ids.extendedKeyUsage, sequence(usage)),
      extension(ids.authorityKeyIdentifier, sequence(implicit(0, caId))),
    ]
    if (names.length > 0) extensions.push(extension(ids.subjectAltName, sequence(...names)))
    const certPem = issue(caName, caKey.privateKey, nameOf(subject), key.spki, extensions)
    return { certPem, keyPem: key.privateKey.export({ type: 'pkcs8', format: 'pem' }).toString() }
  }

  return {
    caPem,
    issueServer: () => leaf([[ids.commonName, 'wherry-testing']], ids.serverAuth, loopback),
    issueClient: ({ commonName, organizations = [] }) =>
      leaf(
        [...organizations.map(name => [ids.organization, name] as const), [ids.commonName, commonName]],
        ids.clientAuth,
        [],
      ),
  }
}

function newKey(): { readonly privateKey: KeyObject; readonly spki: Buffer } {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  return { privateKey, spki: publicKey.export({ type: 'spki', format: 'der' }) }
}

function keyIdentifier(spki: Buffer): Buffer {
  return createHash('sha256').update(spki).digest().subarray(0, 20)
}

function nameOf(attributes: readonly (readonly [type: Buffer, text: string])[]): Buffer {
  return sequence(...attributes.map(([type, text]) => setOf(sequence(type, utf8String(text)))))
}

const extension = (id: Buffer, value: Buffer): Buffer => sequence(id, octetString(value))
/** An extension that a client must understand. */
const critical = (id: Buffer, value: Buffer): Buffer => sequence(id, yes, octetString(value))

function issue(
  issuer: Buffer,
  signer: KeyObject,
  subject: Buffer,
  spki: Buffer,
  extensions: readonly Buffer[],
): string {
  const algorithm = sequence(ids.ecdsaWithSha256)
  const now = systemClock().now()
  const signed = sequence(
    // Version 3.
    explicit(0, integer(2)),
    // 120 bits are random, and the first byte gives each number the same length.
    integer(1, ...randomBytes(15)),
    algorithm,
    issuer,
    sequence(time(now - BACKDATED_MS), time(now + LIFETIME_MS)),
    subject,
    spki,
    explicit(3, sequence(...extensions)),
  )
  const certificate = sequence(signed, algorithm, bitString(sign('sha256', signed, signer)))
  const base64 = certificate.toString('base64')
  return `-----BEGIN CERTIFICATE-----\n${base64.replace(/.{1,64}/g, '$&\n')}-----END CERTIFICATE-----\n`
}
