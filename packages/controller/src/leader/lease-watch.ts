import { isForbidden } from '@wherry/client'
import { type Lease, leases } from '@wherry/client/resources/coordination'
import type { ElectionSettings } from './options.ts'

/**
 * Watches the lease, so that a candidate learns at once that the leader has released or renewed it. The candidate still reads the lease before
 * it takes it, so it works without the watch as well.
 */
export class LeaseWatch {
  readonly #settings: ElectionSettings
  readonly #onLease: (lease: Lease, isGone: boolean) => void
  #watch: { abort(): void } | undefined
  #isRefused = false

  constructor(settings: ElectionSettings, onLease: (lease: Lease, isGone: boolean) => void) {
    this.#settings = settings
    this.#onLease = onLease
  }

  /** Opens the watch if it is closed. Without the right to watch the lease, the watch stays closed for good. */
  open(): void {
    if (this.#watch !== undefined || this.#isRefused) return
    const { client, name, namespace } = this.#settings
    const lease = leases.within({ namespaces: [namespace], fields: { 'metadata.name': name } })
    this.#watch = client.watchEach(lease, {
      event: (type, object: Lease) => this.#onLease(object, type === 'DELETED'),
      end: end => {
        this.#watch = undefined
        if (end.how === 'refused' && isForbidden(end.error)) this.#isRefused = true
      },
    })
  }

  close(): void {
    this.#watch?.abort()
    this.#watch = undefined
  }
}
