import type { CertificateSource } from '../server/certificates.ts'

/** Returns whether API servers trust the authority with a fingerprint; `undefined` if that is unknown. */
export type Trust = (fingerprint: string) => boolean | undefined

/** A source of certificates that runs along with the webhooks. */
export interface ManagedCertificates extends CertificateSource {
  /** Resolves when `current()` has a certificate. */
  start(): Promise<void>
  stop(): Promise<void>
  /** The expiry of the current certificate, in milliseconds since 1970. */
  readonly expiresAt: number | undefined
  /** PEM of the certificates that each bundle must have; `undefined` if another program writes the bundles. */
  readonly authorities: readonly string[] | undefined
  /** PEM of earlier certificates that a new bundle has in addition. */
  readonly former: readonly string[]
  trustedBy(trusts: Trust): void
  /** Called when the trusted certificates may have changed. */
  recheck(): void
}
