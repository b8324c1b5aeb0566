/** A timer that has been set and can be called off. */
export interface Timer {
  /** Calls the timer off. Does nothing once it has fired or was cancelled. */
  cancel(): void
}

/** What the queue needs of time. The clock of a client's environment is one, and so is that of `simulate(seed)`. */
export interface Clock {
  /** Milliseconds from an arbitrary start; never goes back. */
  monotonic(): number
  /** Calls `fn` once, `ms` milliseconds from now. Is asked for at most 2,147,483,647. */
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
