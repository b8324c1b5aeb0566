import { AsyncLocalStorage } from 'node:async_hooks'

/** What is begun when there is a slot for it, and gives that back ({@link Slots.leave}) when it is over. */
export interface Task {
  /** Must not throw. */
  begin(): void
}

/**
 * Lets so many tasks run at a time; the others wait, in the order in which they came. They are begun in the async context of
 * who has made this, not of who happens to ask first: a watch would keep that for as long as it lasts.
 */
export class Slots {
  readonly #most: number
  readonly #apart = AsyncLocalStorage.snapshot()
  #taken = 0
  readonly #waiting: Task[] = []
  /** How many of those that waited have begun. */
  #begun = 0
  #isClosed = false

  constructor(most: number) {
    this.#most = most
  }

  /** Tasks that have not begun. */
  get waiting(): number {
    return this.#waiting.length - this.#begun
  }

  /** Begins it: now, or when its turn comes. */
  enter(task: Task): void {
    if (this.#isClosed) return
    if (this.#taken >= this.#most) this.#waiting.push(task)
    else {
      this.#taken += 1
      this.#apart(begin, task)
    }
  }

  /** One that has begun is over. */
  leave(): void {
    const next = this.#waiting[this.#begun]
    if (next === undefined) {
      this.#taken -= 1
      return
    }
    this.#begun += 1
    // So that what has begun is let go of, without moving the others each time.
    if (this.#begun * 2 >= this.#waiting.length) {
      this.#waiting.splice(0, this.#begun)
      this.#begun = 0
    }
    this.#apart(begin, next)
  }

  /** Nothing is begun any more. */
  close(): void {
    this.#isClosed = true
    this.#waiting.length = 0
    this.#begun = 0
  }
}

function begin(task: Task): void {
  task.begin()
}
