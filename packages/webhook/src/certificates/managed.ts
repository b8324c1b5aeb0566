import type { CertificateSource } from '../server/certificates.ts'

/** Whether API servers trust the authority of a fingerprint; `undefined` if there is nothing to know it by. */
export type Trust = (fingerprint: string) => boolean | undefined

/** A source of certificates that runs along with the webhooks. */
export interface ManagedCertificates extends CertificateSource {
  /** Resolves when `current()` has a certificate. */
  start(): Promise<void>
  stop(): Promise<void>
  /** When the certificate of now expires, in milliseconds since 1970. */
  readonly expiresAt: number | undefined
  /** PEM of what each bundle must have; `undefined` if bundles are somebody else's. */
  readonly authorities: readonly string[] | undefined
  /** PEM of what a bundle that is written now has in addition. */
  readonly former: readonly string[]
  trustedBy(trusts: Trust): void
  /** The trusted certificates may have changed. */
  recheck(): void
}
