/** A timer that has been set and can be called off. */
export interface Timer {
  /** Calls the timer off. Does nothing once it has fired or was cancelled. */
  cancel(): void
  /** Lets the process end before it fires. Absent from timers that never keep it. */
  unref?(): void
}

/** The one source of time: nothing in Wherry reads the time or sets a timer by any other way. */
export interface Clock {
  /** Wall-clock time in milliseconds since 1970. */
  now(): number
  /** Milliseconds from an arbitrary start; never goes back. */
  monotonic(): number
  /** Calls `fn` once, `ms` milliseconds from now. */
  timer(ms: number, fn: () => void): Timer
  /** Gives the event loop back: resolves in a later turn of it. */
  turn(): Promise<void>
  /**
   * Of a clock that is simulated: what the process waits for that this clock does not drive, such as a `fetch` or a timer of Node's, a line
   * each. For messages only.
   */
  outside?(): readonly string[]
}

/** The clock of this machine. Its timers do not keep the process alive when `unref` is set. */
export function systemClock(options: { readonly unref?: boolean | undefined } = {}): Clock {
  const unref = options.unref ?? false
  return {
    now: () => Date.now(),
    monotonic: () => performance.now(),
    timer(ms, fn) {
      const handle = setTimeout(fn, ms)
      if (unref) handle.unref()
      return { cancel: () => clearTimeout(handle) }
    },
    turn: () => new Promise(resolve => setImmediate(resolve)),
  }
}
