import type { Entry } from '../entries/entry.ts'
import type { Journal } from '../journal/journal.ts'

/** A place in the order of birth, which stays valid when entries are added and removed. */
export class ReplayIterator<C> {
  /** All entries that were born up to this number were passed. */
  at: number
  readonly #births: Journal<C>['births']
  #index: number
  #generation: number

  constructor(journal: Journal<C>, at: number) {
    this.#births = journal.births
    this.at = at
    this.#index = this.#births.after(at)
    this.#generation = this.#births.generation
  }

  /** Returns the next entry without passing it. */
  peek(): Entry<C> | undefined {
    const births = this.#births
    if (this.#generation !== births.generation) {
      this.#index = births.after(this.at)
      this.#generation = births.generation
    }
    this.#index = births.next(this.#index)
    return this.#index < births.end ? births.at(this.#index) : undefined
  }

  pass(entry: Entry<C>): void {
    this.at = entry.born
    this.#index++
  }
}
