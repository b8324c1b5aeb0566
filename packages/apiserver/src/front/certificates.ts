import { createHash, generateKeyPairSync, type KeyObject, randomBytes, sign } from 'node:crypto'
import { systemClock } from '../clock.ts'

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

const COMMON_NAME = '2.5.4.3'
const ORGANIZATION = '2.5.4.10'
const ECDSA_WITH_SHA256 = '1.2.840.10045.4.3.2'

type Asn1 = typeof import('@peculiar/asn1-x509') & typeof import('@peculiar/asn1-schema')

/**
 * Makes a new CA with an ECDSA P-256 key. Each certificate that it issues has a key of its own.
 *
 * The ASN.1 library is imported only here, so that servers on plain http do not load it.
 */
export async function createCertificateAuthority(): Promise<CertificateAuthority> {
  const asn1: Asn1 = { ...(await import('@peculiar/asn1-schema')), ...(await import('@peculiar/asn1-x509')) }
  const caKey = newKey()
  const caName = nameOf(asn1, [[COMMON_NAME, 'wherry-testing-ca']])
  const caId = keyIdentifier(caKey.spki)
  const caPem = issue(asn1, caName, caKey.privateKey, caName, caKey.spki, [
    extension(asn1, asn1.id_ce_basicConstraints, new asn1.BasicConstraints({ cA: true }), true),
    extension(asn1, asn1.id_ce_keyUsage, new asn1.KeyUsage(asn1.KeyUsageFlags.keyCertSign), true),
    extension(asn1, asn1.id_ce_subjectKeyIdentifier, new asn1.SubjectKeyIdentifier(caId)),
  ])

  const leaf = (subject: readonly (readonly [string, string])[], usage: string, names: readonly string[]) => {
    const key = newKey()
    const extensions = [
      extension(asn1, asn1.id_ce_basicConstraints, new asn1.BasicConstraints({ cA: false }), true),
      extension(asn1, asn1.id_ce_keyUsage, new asn1.KeyUsage(asn1.KeyUsageFlags.digitalSignature), true),
      extension(asn1, asn1.id_ce_extKeyUsage, new asn1.ExtendedKeyUsage([usage])),
      extension(
        asn1,
        asn1.id_ce_authorityKeyIdentifier,
        new asn1.AuthorityKeyIdentifier({ keyIdentifier: new asn1.KeyIdentifier(caId) }),
      ),
    ]
    if (names.length > 0) {
      const general = names.map(
        name => new asn1.GeneralName(/[:\d]$/.test(name) ? { iPAddress: name } : { dNSName: name }),
      )
      extensions.push(extension(asn1, asn1.id_ce_subjectAltName, new asn1.SubjectAlternativeName(general)))
    }
    const certPem = issue(asn1, caName, caKey.privateKey, nameOf(asn1, subject), key.spki, extensions)
    return { certPem, keyPem: key.privateKey.export({ type: 'pkcs8', format: 'pem' }).toString() }
  }

  return {
    caPem,
    issueServer: () =>
      leaf([[COMMON_NAME, 'wherry-testing']], asn1.id_kp_serverAuth, ['localhost', '127.0.0.1', '::1']),
    issueClient: ({ commonName, organizations = [] }) =>
      leaf(
        [...organizations.map(name => [ORGANIZATION, name] as const), [COMMON_NAME, commonName]],
        asn1.id_kp_clientAuth,
        [],
      ),
  }
}

function newKey(): { readonly privateKey: KeyObject; readonly spki: Buffer } {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  return { privateKey, spki: publicKey.export({ type: 'spki', format: 'der' }) }
}

function keyIdentifier(spki: Buffer): ArrayBuffer {
  return plain(createHash('sha256').update(spki).digest().subarray(0, 20))
}

function nameOf(asn1: Asn1, attributes: readonly (readonly [string, string])[]) {
  return new asn1.Name(
    attributes.map(
      ([type, text]) =>
        new asn1.RelativeDistinguishedName([
          new asn1.AttributeTypeAndValue({ type, value: new asn1.AttributeValue({ utf8String: text }) }),
        ]),
    ),
  )
}

function extension(asn1: Asn1, extnID: string, value: object, critical = false) {
  return new asn1.Extension({
    extnID,
    critical,
    extnValue: new asn1.OctetString(asn1.AsnConvert.serialize(value)),
  })
}

function issue(
  asn1: Asn1,
  issuer: InstanceType<Asn1['Name']>,
  signer: KeyObject,
  subject: InstanceType<Asn1['Name']>,
  spki: Buffer,
  extensions: InstanceType<Asn1['Extension']>[],
): string {
  const algorithm = new asn1.AlgorithmIdentifier({ algorithm: ECDSA_WITH_SHA256 })
  // A leading 0x01 keeps the serial number positive and free of leading zeros, as DER requires.
  const serialNumber = plain(Buffer.concat([Buffer.of(1), randomBytes(15)]))
  const now = systemClock().now()
  const tbsCertificate = new asn1.TBSCertificate({
    version: asn1.Version.v3,
    serialNumber,
    signature: algorithm,
    issuer,
    subject,
    validity: new asn1.Validity({ notBefore: new Date(now - BACKDATED_MS), notAfter: new Date(now + LIFETIME_MS) }),
    subjectPublicKeyInfo: asn1.AsnConvert.parse(plain(spki), asn1.SubjectPublicKeyInfo),
    extensions: new asn1.Extensions(extensions),
  })
  const signatureValue = plain(sign('sha256', Buffer.from(asn1.AsnConvert.serialize(tbsCertificate)), signer))
  const certificate = new asn1.Certificate({ tbsCertificate, signatureAlgorithm: algorithm, signatureValue })
  const base64 = Buffer.from(asn1.AsnConvert.serialize(certificate)).toString('base64')
  return `-----BEGIN CERTIFICATE-----\n${base64.replace(/.{1,64}/g, '$&\n')}-----END CERTIFICATE-----\n`
}

/** A copy with its own memory, because the ASN.1 library would serialise the whole of a pooled buffer. */
function plain(bytes: Uint8Array): ArrayBuffer {
  return new Uint8Array(bytes).buffer
}
