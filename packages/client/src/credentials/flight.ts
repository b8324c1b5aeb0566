/** Runs one thing at a time: a call while it is under way gets the same result. */
export class SingleFlight<T> {
  #underWay: Promise<T> | undefined

  do(run: () => Promise<T>): Promise<T> {
    this.#underWay ??= run().finally(() => {
      this.#underWay = undefined
    })
    return this.#underWay
  }
}
