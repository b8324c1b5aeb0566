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
  #isBeginning = false
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
    this.#waiting.push(task)
    this.#beginWaiting()
  }

  /** One that has begun is over. */
  leave(): void {
    this.#taken -= 1
    this.#beginWaiting()
  }

  /** Nothing is begun any more. */
  close(): void {
    this.#isClosed = true
    this.#waiting.length = 0
    this.#begun = 0
  }

  /** One after the other, also where each is over as soon as it has begun. */
  #beginWaiting(): void {
    if (this.#isBeginning) return
    this.#isBeginning = true
    try {
      while (this.#taken < this.#most && this.waiting > 0) {
        this.#taken += 1
        this.#apart(begin, this.#next())
      }
    } finally {
      this.#isBeginning = false
    }
  }

  #next(): Task {
    const task = this.#waiting[this.#begun] as Task
    this.#begun += 1
    // So that what has begun is let go of, without moving the others each time.
    if (this.#begun * 2 >= this.#waiting.length) {
      this.#waiting.splice(0, this.#begun)
      this.#begun = 0
    }
    return task
  }
}

function begin(task: Task): void {
  task.begin()
}
