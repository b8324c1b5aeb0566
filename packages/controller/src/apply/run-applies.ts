import type { View } from '@wherry/client'
import { covers } from '@wherry/informer/internal'
import { UsageError } from '../usage-error.ts'
import type { Applied } from './options.ts'
import { objectId } from './own-events.ts'

/** The applies of one run so far. */
export class RunApplies {
  readonly #objects = new Set<string>()
  /** The views that this run has pruned. */
  readonly #pruned: View[] = []
  #open = 0
  #isWhole = true

  /** Whether every applied object is as desired: no apply was refused, has to wait, or is under way. */
  get isWhole(): boolean {
    return this.#isWhole && this.#open === 0
  }

  has(object: string): boolean {
    return this.#objects.has(object)
  }

  /** The run begins to prune a view. */
  pruning(view: View): void {
    this.#pruned.push(view)
  }

  /**
   * @throws UsageError if the run has pruned a view of the object: the prune deletes the object if an earlier run has applied it, so each run would delete
   * it and create it again
   */
  mayApply(view: View, key: string): void {
    const pruned = this.#pruned.find(one => covers(one, view))
    if (pruned === undefined || this.has(objectId(view, key))) return
    throw new UsageError(
      'PRUNED_ALREADY',
      `${key} of ${view.key} is applied after prune(${pruned.key}) in the same run, which deletes what the run has not applied: call prune after the last apply`,
    )
  }

  /** An apply was refused, by the server or before any request. */
  refused(): void {
    this.#isWhole = false
  }

  /** Tracks an apply until it has ended. @param object its `objectId` */
  async note<T>(object: string, apply: () => Promise<Applied<T>>): Promise<Applied<T>> {
    this.#objects.add(object)
    this.#open += 1
    let isDone = false
    try {
      const applied = await apply()
      isDone = ['unchanged', 'created', 'updated'].includes(applied.outcome)
      return applied
    } finally {
      this.#open -= 1
      if (!isDone) this.#isWhole = false
    }
  }
}
