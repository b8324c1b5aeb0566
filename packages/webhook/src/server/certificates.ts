import { OptionRangeError } from '@wherry/client'
import { having } from '@wherry/client/internal'

/** A certificate with its chain, and its private key, both PEM. */
export interface ServingCertificate {
  readonly cert: string
  readonly key: string
}

/** A source of the server's certificate. */
export interface CertificateSource {
  /** Returns the current serving certificate. Called before the server listens, after each change, and regularly for a metric and the ready check. */
  current(): ServingCertificate
  /** Calls the listener after each change, until the returned function is called. */
  onChange(listener: () => void): () => void
}

export const certificateSourceCheck: ReturnType<typeof having> = having(
  'a source of certificates: { current, onChange }',
  'current',
  'onChange',
)

/**
 * Returns the current certificate. Refuses an empty certificate, with which Node would fail each handshake.
 *
 * @throws OptionRangeError without the text of the certificate
 */
export function certificateOf(source: CertificateSource): ServingCertificate {
  const { cert, key } = source.current()
  if (typeof cert !== 'string' || !cert.includes('-----BEGIN CERTIFICATE-----'))
    throw new OptionRangeError('certificates.current().cert', 'PEM of a certificate', 'something else')
  if (typeof key !== 'string' || !/-----BEGIN [A-Z ]*PRIVATE KEY-----/.test(key))
    throw new OptionRangeError('certificates.current().key', 'PEM of a private key', 'something else')
  return { cert, key }
}
