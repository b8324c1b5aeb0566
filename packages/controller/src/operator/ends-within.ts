import type { Clock } from '@wherry/client'

/** Whether a promise that never rejects ends within a time, in milliseconds. */
export function endsWithin(clock: Clock, ms: number, promise: Promise<unknown>): Promise<boolean> {
  return new Promise(resolve => {
    const timer = clock.timer(ms, () => resolve(false))
    void promise.then(() => {
      timer.cancel()
      resolve(true)
    })
  })
}
