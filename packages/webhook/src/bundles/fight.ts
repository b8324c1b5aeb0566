import type { Environment, KubernetesObject } from '@wherry/client'
import { Backoff } from '@wherry/client/internal'
import { BundleFightError } from '../errors.ts'

/** The number of resets that is reported as a fight, if no two minutes pass without a reset. */
const manyResets = 5

/**
 * Counts the resets of a configuration's bundles by other writers. The first reset is repaired at once, and later resets with a growing delay of up to five
 * seconds.
 */
export class Fight {
  readonly #environment: Environment
  readonly #configuration: string
  readonly #own: ReadonlySet<string>
  readonly #backoff: Backoff
  #count = 0
  #lastAt = Number.NEGATIVE_INFINITY
  #isNamed = false

  /** @param own the field managers of the operator */
  constructor(environment: Environment, configuration: string, own: ReadonlySet<string>) {
    this.#environment = environment
    this.#configuration = configuration
    this.#own = own
    this.#backoff = new Backoff(environment, { initialMs: 50, maxMs: 2500 })
  }

  /**
   * Records a reset. Returns the time to wait before the repair, in milliseconds.
   *
   * @param what the warning for a change of another field, which is not reported as a fight over bundles
   */
  noteReset(live: KubernetesObject, what?: string): number {
    const now = this.#environment.clock.monotonic()
    if (now - this.#lastAt > 120_000) {
      this.#count = 0
      this.#isNamed = false
    }
    this.#lastAt = now
    this.#count += 1
    const managers = bundleManagers(live, this.#own)
    this.#environment.onWarning(what ?? 'a bundle of the webhooks was reset, and is mended', {
      configuration: this.#configuration,
      managers: managers.join(', '),
    })
    if (this.#count === 1) return 0
    const waitMs = this.#backoff.next()
    if (this.#count >= manyResets && !this.#isNamed && what === undefined) {
      this.#isNamed = true
      const error = new BundleFightError(this.#configuration, managers)
      this.#environment.onError(error, { phase: 'webhook-bundles', key: this.#configuration })
    }
    return waitMs
  }
}

/** The other field managers that own a bundle; if none does, the managers that wrote last, by times in seconds, except for writers of the status. */
function bundleManagers({ metadata }: KubernetesObject, own: ReadonlySet<string>): readonly string[] {
  const entries = (metadata?.managedFields ?? []).filter(
    ({ manager, subresource }) => manager !== undefined && !own.has(manager) && !subresource,
  )
  const owners = entries.filter(({ fieldsV1 }) => JSON.stringify(fieldsV1 ?? {}).includes('"f:caBundle"'))
  const lastAt = entries
    .map(({ time }) => `${time}`)
    .sort()
    .at(-1)
  const found = owners.length > 0 ? owners : entries.filter(({ time }) => `${time}` === lastAt)
  return [...new Set(found.map(({ manager = '' }) => manager))].sort()
}
