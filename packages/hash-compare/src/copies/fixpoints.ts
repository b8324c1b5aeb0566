/** What the server makes of one desired part. `undefined`: nothing is left of it. */
interface Fixpoint {
  readonly part: string
  /** Of copies in general: what the first answer was. */
  readonly common: string | undefined
  /** Of copies whose answer was another, by their keys: webhooks may look at the namespace. */
  readonly own: Map<string, string | undefined>
}

/**
 * What the server makes of the desired parts of one source's copies, by defaults, pruning and webhooks (rule H6): a copy that
 * is so is as desired. Learned from what it answers to writes. What is asked of one copy costs the same however many there are (rule H7).
 */
export class Fixpoints {
  readonly #most: number
  readonly #known = new Map<string, Fixpoint>()
  /** How many answers each digest of a part is. */
  readonly #answers = new Map<string, number>()
  /** Of how many desired parts a copy has an answer of its own. */
  readonly #owners = new Map<string, number>()

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
      this.#known.set(`${part}:${wanted}`, { part, common: answered, own: new Map() })
      this.#counted(this.#answers, `${part}:${answered}`, 1)
      if (this.#known.size > this.#most) this.#forgetOldest()
      return
    }
    this.#disown(fixpoint, copy)
    if (fixpoint.common === answered) return
    fixpoint.own.set(copy, answered)
    this.#counted(this.#answers, `${part}:${answered}`, 1)
    this.#counted(this.#owners, copy, 1)
  }

  /** Whether a part is as some desired state was before that is known: then the source has changed, not the copy. */
  wasWanted(part: string, held: string | undefined): boolean {
    return this.#known.has(`${part}:${held}`) || this.#answers.has(`${part}:${held}`)
  }

  /** A copy is gone: what its webhooks made of it is of no use. */
  forget(copy: string): void {
    if (!this.#owners.has(copy)) return
    for (const fixpoint of this.#known.values()) this.#disown(fixpoint, copy)
  }

  #forgetOldest(): void {
    for (const [key, fixpoint] of this.#known) {
      this.#known.delete(key)
      this.#counted(this.#answers, `${fixpoint.part}:${fixpoint.common}`, -1)
      for (const copy of [...fixpoint.own.keys()]) this.#disown(fixpoint, copy)
      return
    }
  }

  #disown({ part, own }: Fixpoint, copy: string): void {
    if (!own.has(copy)) return
    this.#counted(this.#answers, `${part}:${own.get(copy)}`, -1)
    this.#counted(this.#owners, copy, -1)
    own.delete(copy)
  }

  #counted(counts: Map<string, number>, key: string, by: number): void {
    const count = (counts.get(key) ?? 0) + by
    if (count === 0) counts.delete(key)
    else counts.set(key, count)
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
