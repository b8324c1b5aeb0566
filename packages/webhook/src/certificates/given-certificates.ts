import { X509Certificate } from 'node:crypto'
import type { CertificateSource, ServingCertificate } from '../server/certificates.ts'
import type { ManagedCertificates } from './managed.ts'

/** Certificates from the program's own source. The program also writes the bundles. */
export class GivenCertificates implements ManagedCertificates {
  readonly #source: CertificateSource
  readonly authorities = undefined
  readonly former: readonly string[] = []

  constructor(source: CertificateSource) {
    this.#source = source
  }

  async start(): Promise<void> {}

  async stop(): Promise<void> {}

  current(): ServingCertificate {
    return this.#source.current()
  }

  onChange(listener: () => void): () => void {
    return this.#source.onChange(listener)
  }

  get expiresAt(): number {
    return new X509Certificate(this.current().cert).validToDate.getTime()
  }

  trustedBy(): void {}

  recheck(): void {}
}
