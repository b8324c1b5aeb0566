/** What the server makes of one desired part. `undefined`: nothing is left of it. */
interface Fixpoint {
  /** Of copies in general: what the first answer was. */
  readonly common: string | undefined
  /** Of copies whose answer was another, by their keys: webhooks may look at the namespace. */
  readonly own: Map<string, string | undefined>
}

/**
 * What the server makes of the desired parts of one source's copies, by defaults, pruning and webhooks (rule H6): a copy that
 * is so is as desired. Learned from what it answers to writes.
 */
export class Fixpoints {
  readonly #most: number
  readonly #known = new Map<string, Fixpoint>()

  /** @param most how many desired parts are known at once; the one that was used the longest ago goes. */
  constructor(most: number) {
    this.#most = most
  }

  /** Whether anything was learned of this desired part. */
  knows(part: string, wanted: string): boolean {
    return this.#known.has(`${part}:${wanted}`)
  }

  /** Whether `held` is what the server makes of `wanted` in this copy. */
  accepts(part: string, wanted: string, held: string | undefined, copy: string): boolean {
    const fixpoint = this.#find(part, wanted)
    if (fixpoint === undefined) return false
    return fixpoint.common === held || (fixpoint.own.has(copy) && fixpoint.own.get(copy) === held)
  }

  /** Notes what the server answered to a write of `wanted`. */
  learn(part: string, wanted: string, answered: string | undefined, copy: string): void {
    const fixpoint = this.#find(part, wanted)
    if (fixpoint === undefined) {
      this.#known.set(`${part}:${wanted}`, { common: answered, own: new Map() })
      const [oldest] = this.#known.keys()
      if (this.#known.size > this.#most && oldest !== undefined) this.#known.delete(oldest)
    } else if (fixpoint.common === answered) {
      fixpoint.own.delete(copy)
    } else {
      fixpoint.own.set(copy, answered)
    }
  }

  /** Whether a part is as some desired state was before that is known: then the source has changed, not the copy. */
  wasWanted(part: string, held: string | undefined): boolean {
    for (const [key, { common, own }] of this.#known) {
      if (!key.startsWith(`${part}:`)) continue
      if (key === `${part}:${held}` || common === held || [...own.values()].includes(held)) return true
    }
    return false
  }

  /** A copy is gone: what its webhooks made of it is of no use. */
  forget(copy: string): void {
    for (const { own } of this.#known.values()) own.delete(copy)
  }

  #find(part: string, wanted: string): Fixpoint | undefined {
    const key = `${part}:${wanted}`
    const fixpoint = this.#known.get(key)
    if (fixpoint === undefined || this.#known.size === 1) return fixpoint
    this.#known.delete(key)
    this.#known.set(key, fixpoint)
    return fixpoint
  }
}
