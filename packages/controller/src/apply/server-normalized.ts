import type { KubernetesObject } from '@wherry/client'
import { hash } from '@wherry/hash-compare'
import { isAsDesired, type OwnedFields, ownedDigest, ownersDigest } from './judge.ts'

/** The maximum number of desired states that are remembered, with two digests for each. */
const mostKnown = 10_000

/**
 * Remembers, from the server's answers, how the server changes desired states before it stores them: it normalizes a quantity, or a webhook changes a
 * value. Objects of one namespace with equal desired states share an answer. Namespaces do not, because a webhook may select namespaces. Copies of
 * one source share it in all namespaces, so that a restart costs one request for each source.
 */
export class ServerNormalized {
  readonly #isEverywhere: boolean
  /** By the desired state, the oldest first. */
  readonly #known = new Map<string, string>()

  /** @param isEverywhere the answer of one namespace counts in all of them */
  constructor(isEverywhere = false) {
    this.#isEverywhere = isEverywhere
  }

  /** Records the server's answer to an apply. @param times names of fields that are not compared by value, as for `isAsDesired`. @default none */
  learn(desired: KubernetesObject, owned: OwnedFields | undefined, times?: ReadonlySet<string>): void {
    if (owned === undefined || isAsDesired(owned, desired, times)) return
    const state = this.#stateOf(desired)
    this.#known.delete(state)
    this.#known.set(state, ownedDigest(owned))
    const [oldest] = this.#known.keys()
    if (this.#known.size > mostKnown && oldest !== undefined) this.#known.delete(oldest)
  }

  /** Whether the owned fields are what the server stored for this desired state. */
  knows(desired: KubernetesObject, owned: OwnedFields | undefined): boolean {
    if (owned === undefined || this.#known.size === 0) return false
    return (
      owned.owners === ownersDigest(desired.metadata?.ownerReferences ?? []) &&
      this.#known.get(this.#stateOf(desired)) === ownedDigest(owned)
    )
  }

  /** The desired state without the object's name and owners. */
  #stateOf({ metadata, ...rest }: KubernetesObject): string {
    const { name: _, namespace, ownerReferences: __, ...own } = metadata ?? {}
    return hash([rest, own, this.#isEverywhere ? '' : (namespace ?? '')], { integers: 'bigint' })
  }
}
