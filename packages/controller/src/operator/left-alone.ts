import type { Clock, Timer } from '@wherry/client'

/** The interval of the checks for a connection, in milliseconds, and the number of failed checks in a row after which there is a report. */
const lookMs = 2000
const mostLooks = 4

/** The parts of a running operator that are checked. */
export interface LeftAloneParts {
  readonly name: string
  /** The URL of its API server. */
  readonly server: string
  /** The machine's clock, with timers that do not keep the process alive. */
  readonly clock: Pick<Clock, 'timer'>
  /** Whether the operator has a connection, or nothing to watch. */
  readonly isConnected: () => boolean
  readonly say: (message: string) => void
}

/**
 * Reports once that an operator has run for 8 s without a connection. Without a log, nothing else shows why a process stays alive after its API server
 * has gone, for example because a test did not close its operator. Returns a function that ends the checks.
 */
export function sayIfLeftAlone({ name, server, clock, isConnected, say }: LeftAloneParts): () => void {
  let looks = 0
  let timer: Timer
  const look = (): void => {
    looks = isConnected() ? 0 : looks + 1
    if (looks < mostLooks) timer = clock.timer(lookMs, look)
    else {
      const seconds = (lookMs * mostLooks) / 1000
      say(
        `the operator ${name} has had no connection to ${server} for ${seconds} s, and keeps this process alive: close it if its work is over`,
      )
    }
  }
  timer = clock.timer(lookMs, look)
  return () => timer.cancel()
}
