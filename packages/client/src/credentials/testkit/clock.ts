import type { Clock } from '../../clock.ts'

/** A clock that stands still until it is set forward. Its timers fire only when the test fires them. */
export class StillClock implements Clock {
  time = 1_767_225_600_000
  readonly timers: Set<() => void> = new Set()

  now(): number {
    return this.time
  }

  monotonic(): number {
    return this.time - 1_767_225_600_000
  }

  timer(_ms: number, fn: () => void): { cancel(): void } {
    this.timers.add(fn)
    return { cancel: () => void this.timers.delete(fn) }
  }

  turn(): Promise<void> {
    return Promise.resolve()
  }

  advance(ms: number): void {
    this.time += ms
  }
}
