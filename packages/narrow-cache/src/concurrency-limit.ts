/** Begun when there is a slot for it, which it gives back ({@link ConcurrencyLimit.leave}) when it is over. */
export interface Task {
  /** Must not throw. */
  begin(): void
}

/** Lets so many tasks run at a time; the others wait, in the order in which they came. */
export class ConcurrencyLimit {
  readonly #most: number
  readonly #running = new Set<Task>()
  readonly #waiting = new Set<Task>()
  #isBeginning = false

  constructor(most: number) {
    this.#most = most
  }

  /** Tasks that have not begun. */
  get waiting(): number {
    return this.#waiting.size
  }

  /** Returns whether the task waits or runs. */
  has(task: Task): boolean {
    return this.#running.has(task) || this.#waiting.has(task)
  }

  /** Begins the task now, or when its turn comes, unless it waits or runs already. */
  enter(task: Task): void {
    if (this.has(task)) return
    this.#waiting.add(task)
    this.#beginWaiting()
  }

  /** The task is over, or is not to begin any more. */
  leave(task: Task): void {
    if (!this.#waiting.delete(task) && this.#running.delete(task)) this.#beginWaiting()
  }

  /** One after the other, also where each is over as soon as it has begun. */
  #beginWaiting(): void {
    if (this.#isBeginning) return
    this.#isBeginning = true
    try {
      for (const task of this.#waiting) {
        if (this.#running.size >= this.#most) return
        this.#waiting.delete(task)
        this.#running.add(task)
        task.begin()
      }
    } finally {
      this.#isBeginning = false
    }
  }
}
