import { type Clock, systemClock } from '@wherry/apiserver/clock'

/**
 * A clock of this machine that never fires timers of `ms` milliseconds or more. So a client never makes a retry that it delays by
 * so long. If the retry comes all the same, it has another cause, however slow the machine is.
 */
export function shortTimers(ms: number): Clock {
  const clock = systemClock()
  return { ...clock, timer: (after, fn) => (after < ms ? clock.timer(after, fn) : { cancel() {} }) }
}
