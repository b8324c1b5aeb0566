import type { Clock, Timer } from '@wherry/client'

/** How often it is looked whether there is a connection, in milliseconds, and how often in a row there is none until that is said. */
const lookMs = 2000
const mostLooks = 4

/** An operator that runs, as far as it is looked at here. */
export interface LeftAloneParts {
  readonly name: string
  /** Where its API server is. */
  readonly server: string
  /** Of this machine, with timers that do not keep the process alive. */
  readonly clock: Pick<Clock, 'timer'>
  /** Whether it has a connection, or nothing to watch. */
  readonly isConnected: () => boolean
  readonly say: (message: string) => void
}

/**
 * Says once if an operator runs for 8 s without a connection. Without a log, nothing else shows an operator that keeps a process alive after its API server
 * has gone, such as that of a test that did not close it. Returns what ends the looking.
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
