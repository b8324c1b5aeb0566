import { createPrivateKey, randomBytes, X509Certificate } from 'node:crypto'
import { type Issuer, issue, newKeys } from './x509.ts'

/**
 * How far back certificates are dated, in milliseconds. The clocks of the replica that makes a certificate and of the API server that verifies it may
 * each be wrong by a day, in opposite directions, and an hour remains.
 */
export const backdatedMs: number = 49 * 3_600_000

/** An authority that signs serving certificates. */
export interface Authority extends Issuer {
  /** PEM. */
  readonly cert: string
  /** PEM (PKCS #8). A secret. */
  readonly key: string
  readonly fingerprint: string
  /** The time of its creation, by the clock of the replica that made it, in milliseconds since 1970. */
  readonly issuedAt: number
  readonly notBefore: number
  readonly notAfter: number
}

/** Makes an authority with a key of its own. */
export function newAuthority(now: number, notAfter: number): Authority {
  const keys = newKeys()
  const subject = `wherry-webhook-authority-${randomBytes(8).toString('hex')}`
  const content = { subject, publicKey: keys.publicKey, notBefore: now - backdatedMs, notAfter, names: undefined }
  const cert = issue(content, { ...keys, subject })
  return authorityOf(cert, keys.privateKey.export({ type: 'pkcs8', format: 'pem' }).toString()) as Authority
}

/** The authority of a certificate and its key; or the reason why they are not an authority, without any of their text. */
export function authorityOf(cert: string, key: string): Authority | string {
  let parsed: X509Certificate
  try {
    parsed = new X509Certificate(cert)
  } catch {
    return 'the certificate is no PEM of a certificate'
  }
  let privateKey: Issuer['privateKey']
  try {
    privateKey = createPrivateKey(key)
  } catch {
    return 'the key is no PEM of a private key'
  }
  const { publicKey } = parsed
  if (!parsed.ca) return 'the certificate is not of an authority'
  if (publicKey.asymmetricKeyDetails?.namedCurve !== 'prime256v1') return 'its key is not of the curve P-256'
  if (!parsed.checkPrivateKey(privateKey)) return 'the certificate is of another key'
  if (!parsed.verify(publicKey)) return 'the certificate is not signed by its own key'
  const subject = /^CN=([^\n]+)$/.exec(parsed.subject)?.[1]
  // A leaf has the subject as its issuer, and this code writes only subjects of one common name.
  if (subject === undefined) return 'its subject is not one common name'
  const notBefore = parsed.validFromDate.getTime()
  return {
    ...{ cert: parsed.toString(), key, subject, privateKey, publicKey, fingerprint: parsed.fingerprint256 },
    ...{ issuedAt: notBefore + backdatedMs, notBefore, notAfter: parsed.validToDate.getTime() },
  }
}
