import { createHash, generateKeyPairSync, type KeyObject, randomBytes, sign } from 'node:crypto'
import { isIP } from 'node:net'
import { AsnConvert, OctetString } from '@peculiar/asn1-schema'
import {
  AlgorithmIdentifier,
  AttributeTypeAndValue,
  AttributeValue,
  AuthorityKeyIdentifier,
  BasicConstraints,
  Certificate,
  ExtendedKeyUsage,
  Extension,
  Extensions,
  GeneralName,
  id_ce_authorityKeyIdentifier,
  id_ce_basicConstraints,
  id_ce_extKeyUsage,
  id_ce_keyUsage,
  id_ce_subjectAltName,
  id_ce_subjectKeyIdentifier,
  id_kp_serverAuth,
  KeyIdentifier,
  KeyUsage,
  KeyUsageFlags,
  Name,
  RelativeDistinguishedName,
  SubjectAlternativeName,
  SubjectKeyIdentifier,
  SubjectPublicKeyInfo,
  TBSCertificate,
  Validity,
  Version,
} from '@peculiar/asn1-x509'

const commonName = '2.5.4.3'
const ecdsaWithSha256 = '1.2.840.10045.4.3.2'

/** A new pair of keys (ECDSA P-256). */
export interface Keys {
  readonly privateKey: KeyObject
  readonly publicKey: KeyObject
}

/** What signs a certificate. */
export interface Issuer extends Keys {
  /** Its common name. */
  readonly subject: string
}

/** What a certificate says. X.509 knows whole seconds: the times, in milliseconds since 1970, are rounded down. */
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
  const algorithm = new AlgorithmIdentifier({ algorithm: ecdsaWithSha256 })
  const tbsCertificate = new TBSCertificate({
    version: Version.v3,
    // A leading 0x01 keeps the number positive and free of leading zeros, as DER wants it. 120 bits are random.
    serialNumber: plain(Buffer.concat([Buffer.of(1), randomBytes(15)])),
    signature: algorithm,
    issuer: nameOf(issuer.subject),
    subject: nameOf(subject),
    validity: new Validity({ notBefore: seconds(notBefore), notAfter: seconds(notAfter) }),
    subjectPublicKeyInfo: AsnConvert.parse(plain(spki(publicKey)), SubjectPublicKeyInfo),
    extensions: new Extensions([
      ...(names === undefined ? ofAuthority(publicKey) : ofServer(names)),
      extension(
        id_ce_authorityKeyIdentifier,
        new AuthorityKeyIdentifier({ keyIdentifier: new KeyIdentifier(keyIdentifier(issuer.publicKey)) }),
      ),
    ]),
  })
  const signed = Buffer.from(AsnConvert.serialize(tbsCertificate))
  const signatureValue = plain(sign('sha256', signed, issuer.privateKey))
  const certificate = new Certificate({ tbsCertificate, signatureAlgorithm: algorithm, signatureValue })
  const base64 = Buffer.from(AsnConvert.serialize(certificate)).toString('base64')
  return `-----BEGIN CERTIFICATE-----\n${base64.replace(/.{1,64}/g, '$&\n')}-----END CERTIFICATE-----\n`
}

function ofAuthority(publicKey: KeyObject): Extension[] {
  return [
    extension(id_ce_basicConstraints, new BasicConstraints({ cA: true, pathLenConstraint: 0 }), true),
    extension(id_ce_keyUsage, new KeyUsage(KeyUsageFlags.keyCertSign), true),
    extension(id_ce_subjectKeyIdentifier, new SubjectKeyIdentifier(keyIdentifier(publicKey))),
  ]
}

function ofServer(names: readonly string[]): Extension[] {
  const general = names.map(name => new GeneralName(isIP(name) === 0 ? { dNSName: name } : { iPAddress: name }))
  return [
    extension(id_ce_basicConstraints, new BasicConstraints({ cA: false }), true),
    extension(id_ce_keyUsage, new KeyUsage(KeyUsageFlags.digitalSignature), true),
    extension(id_ce_extKeyUsage, new ExtendedKeyUsage([id_kp_serverAuth])),
    extension(id_ce_subjectAltName, new SubjectAlternativeName(general)),
  ]
}

function extension(extnID: string, value: object, critical = false): Extension {
  return new Extension({ extnID, critical, extnValue: new OctetString(AsnConvert.serialize(value)) })
}

function nameOf(text: string): Name {
  const value = new AttributeValue({ utf8String: text })
  return new Name([new RelativeDistinguishedName([new AttributeTypeAndValue({ type: commonName, value })])])
}

function keyIdentifier(publicKey: KeyObject): ArrayBuffer {
  return plain(createHash('sha256').update(spki(publicKey)).digest().subarray(0, 20))
}

function spki(publicKey: KeyObject): Buffer {
  return publicKey.export({ type: 'spki', format: 'der' })
}

function seconds(ms: number): Date {
  return new Date(Math.floor(ms / 1000) * 1000)
}

/** A copy that owns its memory: the ASN.1 library would serialise the whole of a pooled buffer. */
function plain(bytes: Uint8Array): ArrayBuffer {
  return new Uint8Array(bytes).buffer
}
