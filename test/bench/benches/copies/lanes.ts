import { setTimeout as after } from 'node:timers/promises'

/** Runs tasks, so many at a time. A task that fails fails `done`. */
export class Lanes {
  readonly #width: number
  readonly #waiting: (() => Promise<void>)[] = []
  #running = 0
  #failure: unknown
  #idle = Promise.withResolvers<void>()

  constructor(width: number) {
    this.#width = width
    this.#idle.resolve()
  }

  add(task: () => Promise<void>): void {
    if (this.#running === 0 && this.#waiting.length === 0) this.#idle = Promise.withResolvers()
    this.#waiting.push(task)
    this.#next()
  }

  /** Resolves when no task is left. */
  async done(): Promise<void> {
    await this.#idle.promise
    if (this.#failure !== undefined) throw this.#failure
  }

  /** Resolves when it holds, which is looked at every few milliseconds. */
  async until(holds: () => boolean): Promise<void> {
    while (!holds()) await after(5)
  }

  #next(): void {
    while (this.#running < this.#width) {
      const task = this.#waiting.shift()
      if (task === undefined) break
      this.#running += 1
      task()
        .catch((error: unknown) => {
          this.#failure ??= error
        })
        .finally(() => {
          this.#running -= 1
          if (this.#running === 0 && this.#waiting.length === 0) this.#idle.resolve()
          else this.#next()
        })
    }
  }
}
