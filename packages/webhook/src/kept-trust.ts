import type { Timer } from '@wherry/client'
import { asError } from '@wherry/client/internal'
import type { Operator } from '@wherry/controller'
import type { BundleHolder } from './bundles/holder.ts'
import { KeptBundles } from './bundles/kept-bundles.ts'
import type { ManagedCertificates } from './certificates/managed.ts'
import { type CertificateOptions, livesOf } from './certificates/options.ts'
import { serviceOf, type WebhooksOptions } from './options.ts'
import { OwnService } from './own-service.ts'

/** How often the age of bundles and the life of the certificate are measured, in milliseconds. */
const everyMs = 10_000
/** How long an API server may take to notice a bundle, in milliseconds. It is less only if authorities live for minutes. */
const longestSettleMs = 10_000

/** Keeps the API server's trust in the webhooks: certificates, and the objects with their bundles. */
export class KeptTrust {
  readonly #operator: Operator
  readonly #certificates: ManagedCertificates
  readonly #options: WebhooksOptions
  #kept: readonly KeptBundles[] = []
  #timer: Timer | undefined
  /** The last problem with the certificate's expiry that was reported. */
  #problem = ''

  constructor(operator: Operator, certificates: ManagedCertificates, options: WebhooksOptions) {
    this.#operator = operator
    this.#certificates = certificates
    this.#options = options
  }

  /** Rejects if an object can't be watched. */
  async start(holders: readonly BundleHolder[]): Promise<void> {
    const { client, narrow, name } = this.#operator
    const { certificates: given = {}, configurations = 'apply', address } = this.#options
    const service =
      address === undefined ? new OwnService(client, serviceOf(this.#options, client.namespace)) : undefined
    const { authorityMs } = livesOf(given as CertificateOptions)
    const parts = {
      ...{ client, narrow, certificates: this.#certificates, service },
      ...{ isApplied: configurations === 'apply', settleMs: Math.min(longestSettleMs, authorityMs / 32) },
    }
    this.#kept = holders.map(holder => new KeptBundles({ ...parts, holder }, name))
    this.#certificates.trustedBy(fingerprint => this.#trusts(fingerprint))
    this.#measure()
    for (const one of this.#kept) await one.start()
  }

  async stop(): Promise<void> {
    this.#timer?.cancel()
    for (const one of this.#kept) await one.stop()
    await this.#certificates.stop()
    const { metrics } = this.#operator.client.environment
    metrics.forget?.('wherry_webhook_certificate_expiry_seconds')
    for (const { name } of this.#kept) metrics.forget?.('wherry_webhook_bundle_age_seconds', { configuration: name })
  }

  /** @throws NotYetError while the API server does not trust the serving certificate */
  checkReady(): void {
    for (const one of this.#kept) one.checkReady()
  }

  #trusts(fingerprint: string): boolean | undefined {
    const said = this.#kept.map(one => one.trusts(fingerprint)).filter(one => one !== undefined)
    return said.length === 0 ? undefined : said.every(one => one)
  }

  #measure(): void {
    const { clock, metrics } = this.#operator.client.environment
    const expiresAt = this.#expiresAt()
    if (expiresAt !== undefined)
      metrics.gauge('wherry_webhook_certificate_expiry_seconds', (expiresAt - clock.now()) / 1000)
    for (const { name: configuration, ageMs } of this.#kept) {
      if (ageMs === undefined) metrics.forget?.('wherry_webhook_bundle_age_seconds', { configuration })
      else metrics.gauge('wherry_webhook_bundle_age_seconds', ageMs / 1000, { configuration })
    }
    this.#timer = clock.timer(everyMs, () => this.#measure())
  }

  /** The expiry of the certificate. A program's own source may throw: then `onError` gets each error once, and the result is `undefined`. */
  #expiresAt(): number | undefined {
    try {
      const { expiresAt } = this.#certificates
      this.#problem = ''
      return expiresAt
    } catch (thrown) {
      const error = asError(thrown, 'the source of the certificate failed')
      if (error.message !== this.#problem)
        this.#operator.client.environment.onError(error, { phase: 'webhook-certificates' })
      this.#problem = error.message
      return undefined
    }
  }
}
