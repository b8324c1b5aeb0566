import { type Clock, systemClock } from '@wherry/apiserver/clock'

/**
 * A clock of this machine that never fires timers of `ms` milliseconds and more. What a client would try again by itself
 * after so long is never tried: if it happens all the same, something else made it happen, however slow the machine is.
 */
export function shortTimers(ms: number): Clock {
  const clock = systemClock()
  return { ...clock, timer: (after, fn) => (after < ms ? clock.timer(after, fn) : { cancel() {} }) }
}
