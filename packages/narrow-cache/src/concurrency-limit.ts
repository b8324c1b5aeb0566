/** A task that begins when there is a slot, and returns the slot by {@link ConcurrencyLimit.leave} at its end. */
export interface Task {
  /** Must not throw. */
  begin(): void
}

/** Bounds the number of tasks that run at the same time. Other tasks wait in their order. */
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

  /** Begins a task now, or when its turn comes. Does nothing if the task waits or runs already. */
  enter(task: Task): void {
    if (this.has(task)) return
    this.#waiting.add(task)
    this.#beginWaiting()
  }

  /** Ends a task, or removes it from the waiting tasks. */
  leave(task: Task): void {
    if (!this.#waiting.delete(task) && this.#running.delete(task)) this.#beginWaiting()
  }

  /** Begins waiting tasks one after the other. Not recursive, although a task may end as soon as it has begun. */
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
