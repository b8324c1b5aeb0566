import type { Clock, Timer } from './clock.ts'

/** A clock that moves only when a test advances it. */
export class FakeClock implements Clock {
  readonly #timers = new Set<{ readonly at: number; readonly fn: () => void }>()
  /** The delays of all timers, in order. */
  readonly asked: number[] = []
  #now = 1000

  /** How many timers are set. */
  get timers(): number {
    return this.#timers.size
  }

  monotonic(): number {
    return this.#now
  }

  timer(ms: number, fn: () => void): Timer {
    this.asked.push(ms)
    const timer = { at: this.#now + ms, fn }
    this.#timers.add(timer)
    return { cancel: () => this.#timers.delete(timer) }
  }

  /** Lets `ms` pass; each timer fires at its time. */
  advance(ms: number): void {
    const until = this.#now + ms
    for (;;) {
      const next = [...this.#timers].sort((a, b) => a.at - b.at)[0]
      if (next === undefined || next.at > until) break
      this.#timers.delete(next)
      this.#now = next.at
      next.fn()
    }
    this.#now = until
  }
}

/** Takes until nothing is ready; each key is done at once. */
export function takeAll<K extends NonNullable<unknown>>(queue: { tryTake(): K | undefined; done(key: K): void }): K[] {
  const keys: K[] = []
  for (let key = queue.tryTake(); key !== undefined; key = queue.tryTake()) {
    keys.push(key)
    queue.done(key)
  }
  return keys
}
