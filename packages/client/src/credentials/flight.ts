/** Runs one thing at a time: who asks while it is under way gets that one's result. */
export class SingleFlight<T> {
  #underWay: Promise<T> | undefined

  do(run: () => Promise<T>): Promise<T> {
    this.#underWay ??= run().finally(() => {
      this.#underWay = undefined
    })
    return this.#underWay
  }
}
