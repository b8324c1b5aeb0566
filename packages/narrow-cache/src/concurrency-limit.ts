/** Begun when there is a slot for it, which it gives back ({@link ConcurrencyLimit.leave}) when it is over. */
export interface Task {
  /** Must not throw. */
  begin(): void
}

/** Lets so many tasks run at a time; the others wait, in the order in which they came. */
export class ConcurrencyLimit {
  readonly #most: number
  #taken = 0
  readonly #waiting = new Set<Task>()
  #isBeginning = false
  #isClosed = false

  constructor(most: number) {
    this.#most = most
  }

  /** Tasks that have not begun. */
  get waiting(): number {
    return this.#waiting.size
  }

  /** Begins the task now, or when its turn comes. The task must not be waiting already. */
  enter(task: Task): void {
    if (this.#isClosed) return
    this.#waiting.add(task)
    this.#beginWaiting()
  }

  /** The task is not to begin any more. Returns false if it has begun. */
  withdraw(task: Task): boolean {
    return this.#waiting.delete(task)
  }

  /** A task that has begun is over. */
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
      for (const task of this.#waiting) {
        if (this.#taken >= this.#most) return
        this.#taken += 1
        this.#waiting.delete(task)
        task.begin()
      }
    } finally {
      this.#isBeginning = false
    }
  }
}
