import type { Clock, Timer } from '../clock.ts'

/** Keys to be processed a moment later, each once, however often it was added. */
export class Work {
  readonly #clock: Clock
  readonly #delayMs: number
  readonly #handle: (key: string) => void
  readonly #keys = new Set<string>()
  #timer: Timer | undefined

  constructor(clock: Clock, delayMs: number, handle: (key: string) => void) {
    this.#clock = clock
    this.#delayMs = delayMs
    this.#handle = handle
  }

  add(key: string): void {
    this.#keys.add(key)
    this.#timer ??= this.#clock.timer(this.#delayMs, () => this.#run())
  }

  #run(): void {
    this.#timer = undefined
    const keys = [...this.#keys]
    this.#keys.clear()
    for (const key of keys) this.#handle(key)
  }
}
