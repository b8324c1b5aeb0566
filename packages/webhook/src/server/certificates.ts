import { having } from '@wherry/client/internal'

/** A certificate with its chain, and its private key, both PEM. */
export interface ServingCertificate {
  readonly cert: string
  readonly key: string
}

/** Where the server has its certificate from. */
export interface CertificateSource {
  /** The certificate to serve with now. It is called once before the server listens, and after each change. */
  current(): ServingCertificate
  /** Calls the listener after each change, until the returned function is called. */
  onChange(listener: () => void): () => void
}

export const certificateSourceCheck: ReturnType<typeof having> = having(
  'a source of certificates: { current, onChange }',
  'current',
  'onChange',
)
