/** Runs an operation once at a time: calls during a run share its result. */
export class SingleFlight<T> {
  #underWay: Promise<T> | undefined

  do(run: () => Promise<T>): Promise<T> {
    this.#underWay ??= run().finally(() => {
      this.#underWay = undefined
    })
    return this.#underWay
  }
}
