/** A timer that has been set and can be cancelled. */
export interface Timer {
  /** Cancels the timer. Does nothing if it has fired or was cancelled. */
  cancel(): void
}

/** The clock of a queue. The clock of a client's environment fits, and so does the clock of `simulate(seed)`. */
export interface Clock {
  /** Milliseconds from an arbitrary start; never goes back. */
  monotonic(): number
  /** Calls `fn` once, `ms` milliseconds from now. The queue passes at most 2,147,483,647. */
  timer(ms: number, fn: () => void): Timer
}

/** The clock of this machine. A timer keeps the process alive. */
export const systemClock: Clock = {
  monotonic: () => performance.now(),
  timer(ms, fn) {
    const handle = setTimeout(fn, ms)
    return { cancel: () => clearTimeout(handle) }
  },
}
