import type { KubernetesObject } from '@wherry/client'
import { hash } from '@wherry/hash-compare'
import { isAsDesired, type OwnedFields } from './judge.ts'

/** For how many desired states it is known at once what the server makes of them. */
const mostKnown = 10_000

/**
 * What the server makes of desired states that it stores otherwise than they were sent: a quantity in another form, a value that a webhook
 * changes. Learned from answers. Equal desired states of several objects share one answer.
 */
export class ServerNormalized {
  /** By the desired state, the oldest first. */
  readonly #known = new Map<string, string>()

  /** The server has answered an apply. */
  learn(desired: KubernetesObject, owned: OwnedFields | undefined): void {
    if (owned === undefined || isAsDesired(owned, desired)) return
    const state = stateOf(desired)
    this.#known.delete(state)
    this.#known.set(state, textOf(owned))
    const [oldest] = this.#known.keys()
    if (this.#known.size > mostKnown && oldest !== undefined) this.#known.delete(oldest)
  }

  /** Whether what a manager owns is what the server made of the desired state. */
  knows(desired: KubernetesObject, owned: OwnedFields | undefined): boolean {
    if (owned === undefined || this.#known.size === 0) return false
    const owners = (desired.metadata?.ownerReferences ?? []).map(({ uid }) => uid).sort()
    return owned.owners === owners.join(' ') && this.#known.get(stateOf(desired)) === textOf(owned)
  }
}

/** A desired state, whatever the object is called and whoever owns it. */
function stateOf({ metadata, ...rest }: KubernetesObject): string {
  const { name: _, namespace: __, ownerReferences: ___, ...own } = metadata ?? {}
  return hash([rest, own], { integers: 'bigint' })
}

function textOf({ apiVersion, fields, digest }: OwnedFields): string {
  return `${apiVersion} ${digest} ${fields}`
}
