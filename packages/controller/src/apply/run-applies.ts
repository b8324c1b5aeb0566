import type { Applied } from './options.ts'

/** What one run has applied so far. */
export class RunApplies {
  readonly #objects = new Set<string>()
  #open = 0
  #isWhole = true

  /** Whether all of it is as desired: nothing was refused, has to wait, or is still under way. */
  get isWhole(): boolean {
    return this.#isWhole && this.#open === 0
  }

  has(object: string): boolean {
    return this.#objects.has(object)
  }

  /** Notes an apply of an object, named by `objectId`, until it has ended. */
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
