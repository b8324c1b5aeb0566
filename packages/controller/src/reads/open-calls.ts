/** The calls that a run has begun and that have not ended. */
export class OpenCalls {
  readonly #open = new Map<Promise<unknown>, () => string>()

  /** Notes a call until it ends. One that nobody waits for does not end the process when it fails (rule X9). */
  note<T>(call: Promise<T>, name: () => string): Promise<T> {
    this.#open.set(call, name)
    const ended = (): boolean => this.#open.delete(call)
    call.then(ended, ended)
    return call
  }

  /** For people. */
  get names(): readonly string[] {
    return Array.from(this.#open.values(), name => name())
  }

  get size(): number {
    return this.#open.size
  }

  /** Resolves when those that are open now have ended. */
  async settled(): Promise<void> {
    await Promise.allSettled(this.#open.keys())
  }
}
