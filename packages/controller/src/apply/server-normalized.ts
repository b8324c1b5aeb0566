import type { KubernetesObject } from '@wherry/client'
import { hash } from '@wherry/hash-compare'
import { isAsDesired, type OwnedFields, ownedDigest, ownersDigest } from './judge.ts'

/** For how many desired states it is known at once what the server makes of them: two digests each, whatever the states hold. */
const mostKnown = 10_000

/**
 * What the server makes of desired states that it stores otherwise than they were sent: a quantity in another form, a value that a webhook
 * changes. Learned from answers. Equal desired states of several objects of one namespace share one answer: a webhook may be for some
 * namespaces only. Copies of one source share it everywhere, so that a restart costs one request for each source.
 */
export class ServerNormalized {
  readonly #isEverywhere: boolean
  /** By the desired state, the oldest first. */
  readonly #known = new Map<string, string>()

  /** @param isEverywhere the answer of one namespace counts in all of them */
  constructor(isEverywhere = false) {
    this.#isEverywhere = isEverywhere
  }

  /** The server has answered an apply. */
  learn(desired: KubernetesObject, owned: OwnedFields | undefined): void {
    if (owned === undefined || isAsDesired(owned, desired)) return
    const state = this.#stateOf(desired)
    this.#known.delete(state)
    this.#known.set(state, ownedDigest(owned))
    const [oldest] = this.#known.keys()
    if (this.#known.size > mostKnown && oldest !== undefined) this.#known.delete(oldest)
  }

  /** Whether what a manager owns is what the server made of the desired state. */
  knows(desired: KubernetesObject, owned: OwnedFields | undefined): boolean {
    if (owned === undefined || this.#known.size === 0) return false
    return (
      owned.owners === ownersDigest(desired.metadata?.ownerReferences ?? []) &&
      this.#known.get(this.#stateOf(desired)) === ownedDigest(owned)
    )
  }

  /** A desired state, whatever the object is called and whoever owns it. */
  #stateOf({ metadata, ...rest }: KubernetesObject): string {
    const { name: _, namespace, ownerReferences: __, ...own } = metadata ?? {}
    return hash([rest, own, this.#isEverywhere ? '' : (namespace ?? '')], { integers: 'bigint' })
  }
}
