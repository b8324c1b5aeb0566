/** Counts what somebody does, for those who wait until nothing is done any more. */
export class Activity {
  #count = 0
  #waiting: (() => void)[] = []

  /** Grows with all that is done: two equal values, and nothing was done between them. */
  get count(): number {
    return this.#count
  }

  /** Something was done. */
  happened(): void {
    this.#count += 1
    if (this.#waiting.length === 0) return
    const waiting = this.#waiting
    this.#waiting = []
    for (const resolve of waiting) resolve()
  }

  /** Resolves when something was done since. */
  next(): Promise<void> {
    return new Promise(resolve => this.#waiting.push(resolve))
  }
}
