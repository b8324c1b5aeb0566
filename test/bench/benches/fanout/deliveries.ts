/**
 * Counts what each consumer receives of the changes of one burst. A burst is over for a consumer with the change of the object that
 * is changed last; by then it must have received each change.
 */
export class Deliveries {
  readonly #consumers: { received: number }[] = []
  #changes = 0
  #left = 0
  #ended: PromiseWithResolvers<void> | undefined

  /** One more consumer. Gives what it calls for each change that it receives. Changes outside of a burst are not counted. */
  consumer(): (isLast: boolean) => void {
    const consumer = { received: 0 }
    const number = this.#consumers.push(consumer)
    return isLast => {
      if (this.#ended === undefined) return
      consumer.received++
      if (!isLast) return
      if (consumer.received !== this.#changes) {
        this.#ended.reject(new Error(`consumer ${number} received ${consumer.received} changes, not ${this.#changes}`))
      } else if (--this.#left === 0) this.#ended.resolve()
    }
  }

  /** Makes a burst of so many changes. Resolves, with the number of deliveries, once every consumer has received each of them. */
  async burst(changes: number, make: () => Promise<void>): Promise<number> {
    const ended = Promise.withResolvers<void>()
    for (const consumer of this.#consumers) consumer.received = 0
    this.#changes = changes
    this.#left = this.#consumers.length
    this.#ended = ended
    await Promise.all([make(), ended.promise])
    this.#ended = undefined
    const deliveries = this.#consumers.reduce((sum, { received }) => sum + received, 0)
    const wanted = changes * this.#consumers.length
    if (deliveries !== wanted) throw new Error(`${deliveries} deliveries, not ${wanted}`)
    return deliveries
  }
}
