/** A timer that can be cancelled. */
export interface Timer {
  /** Cancels the timer. Does nothing if it has fired or was cancelled. */
  cancel(): void
  /** Lets the process end before the timer fires. Absent if the timer never keeps the process alive. */
  unref?(): void
}

/** The only source of time: nothing in Wherry reads the time or sets a timer in another way. */
export interface Clock {
  /** Wall-clock time in milliseconds since 1970. */
  now(): number
  /** Milliseconds from an arbitrary start; never goes back. */
  monotonic(): number
  /** Calls `fn` once, `ms` milliseconds from now. */
  timer(ms: number, fn: () => void): Timer
  /** Resolves in a later turn of the event loop. */
  turn(): Promise<void>
  /**
   * For a simulated clock: a line for each thing that the process waits for and this clock does not drive, such as a `fetch` or a timer of Node. For error
   * messages only.
   */
  outside?(): readonly string[]
}

/** The clock of this machine. With `unref`, its timers do not keep the process alive. */
export function systemClock(options: { readonly unref?: boolean | undefined } = {}): Clock {
  const unref = options.unref ?? false
  return {
    now: () => Date.now(),
    monotonic: () => performance.now(),
    timer: (ms, fn) => nodeTimer(ms, fn, unref),
    turn: () => new Promise(resolve => setImmediate(resolve)),
  }
}

/** The longest time of a timer in Node, in milliseconds. */
export const longestTimerMs: number = 2 ** 31 - 1

/** A timer of Node. `setTimeout` fires at once for a longer time, so a longer wait is split. */
function nodeTimer(ms: number, fn: () => void, unref: boolean): Timer {
  let handle: NodeJS.Timeout
  const wait = (left: number): void => {
    handle =
      left > longestTimerMs ? setTimeout(() => wait(left - longestTimerMs), longestTimerMs) : setTimeout(fn, left)
    if (unref) handle.unref()
  }
  wait(ms)
  return { cancel: () => clearTimeout(handle) }
}
