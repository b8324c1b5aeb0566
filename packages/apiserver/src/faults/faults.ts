import { checkFaultRule, type FaultEffect, type FaultMatch, type FaultRule, isForWatches } from './fault-rule.ts'

/** The attributes of a request that faults match. */
export interface FaultSubject {
  readonly verb: string
  /** `plural.group`, or `plural`. */
  readonly resource: string
  readonly namespace: string
  readonly name: string
  readonly subresource: string
}

/** A fault that was added. */
export interface FaultHandle extends AsyncDisposable {
  /** Removes the fault. Requests that it already affects stay affected. */
  remove(): Promise<void>
  /** The number of requests that the fault has affected. */
  hits(): Promise<number>
}

interface Active {
  readonly rule: FaultRule
  seen: number
  hits: number
}

/** The active faults, in the order in which they were added. */
export class Faults {
  readonly #active = new Set<Active>()

  /** Adds a fault. Throws a `TypeError` or `RangeError` for a rule that can have no effect. */
  async add(rule: FaultRule): Promise<FaultHandle> {
    checkFaultRule(rule)
    const active: Active = { rule, seen: 0, hits: 0 }
    this.#active.add(active)
    const remove = async (): Promise<void> => {
      this.#active.delete(active)
    }
    return { remove, hits: async () => active.hits, [Symbol.asyncDispose]: remove }
  }

  /** Removes all faults. */
  async clear(): Promise<void> {
    this.#active.clear()
  }

  /** The effects that apply to a request. Counts the request as seen. */
  effectsOn(subject: FaultSubject): readonly FaultEffect[] {
    if (this.#active.size === 0) return []
    const effects: FaultEffect[] = []
    for (const active of this.#active) {
      const { rule } = active
      if (!matches(rule.match, subject) || (subject.verb !== 'watch' && isForWatches(rule.effect))) continue
      active.seen++
      if (rule.nth !== undefined && active.seen < rule.nth) continue
      if (active.hits >= (rule.times ?? (rule.nth === undefined ? Number.POSITIVE_INFINITY : 1))) continue
      active.hits++
      effects.push(rule.effect)
    }
    return effects
  }
}

function matches(match: FaultMatch | undefined, subject: FaultSubject): boolean {
  if (match === undefined) return true
  return (['verb', 'resource', 'namespace', 'name', 'subresource'] as const).every(
    key => match[key] === undefined || match[key] === subject[key],
  )
}
