import { AsyncLocalStorage } from 'node:async_hooks'

/** Begun when there is a slot for it, which it gives back ({@link ConcurrencyLimit.leave}) when it is over. */
export interface Task {
  /** Must not throw. */
  begin(): void
}

/**
 * Lets so many tasks run at a time; the others wait, in the order in which they came. They are begun in the async context of
 * who has made this, not of who happens to ask first: a watch would keep that for as long as it lasts.
 */
export class ConcurrencyLimit {
  readonly #most: number
  readonly #apart = AsyncLocalStorage.snapshot()
  #taken = 0
  readonly #waiting = new Set<Task>()
  /** Stands behind those that have begun: from the front of the set it would pass over the places of all of them each time. */
  #order = this.#waiting.values()
  #isBeginning = false
  #isClosed = false

  constructor(most: number) {
    this.#most = most
  }

  /** Tasks that have not begun. */
  get waiting(): number {
    return this.#waiting.size
  }

  /** Begins it: now, or when its turn comes. It must not be waiting already. */
  enter(task: Task): void {
    if (this.#isClosed) return
    this.#waiting.add(task)
    this.#beginWaiting()
  }

  /** It is not to begin any more. Gives whether it has not. */
  withdraw(task: Task): boolean {
    return this.#waiting.delete(task)
  }

  /** One that has begun is over. */
  leave(): void {
    this.#taken -= 1
    this.#beginWaiting()
  }

  /** Nothing is begun any more. */
  close(): void {
    this.#isClosed = true
    this.#waiting.clear()
  }

  /** One after the other, also where each is over as soon as it has begun. */
  #beginWaiting(): void {
    if (this.#isBeginning) return
    this.#isBeginning = true
    try {
      while (this.#taken < this.#most && this.#waiting.size > 0) {
        this.#taken += 1
        this.#apart(begin, this.#next())
      }
    } finally {
      this.#isBeginning = false
    }
  }

  #next(): Task {
    let next = this.#order.next()
    if (next.done === true) {
      // It had come to the end before this one came, and never goes on from there.
      this.#order = this.#waiting.values()
      next = this.#order.next()
    }
    const task = next.value as Task
    this.#waiting.delete(task)
    return task
  }
}

function begin(task: Task): void {
  task.begin()
}
