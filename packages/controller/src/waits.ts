import { type Clock, sleep } from '@wherry/client'

/** The time was over. */
export const late: unique symbol = Symbol('late')

/**
 * Resolves with what `done` does, or with `late` when the time is over; `Infinity`: it never is. Rejects as `done` does before that.
 */
export async function within<T>(done: Promise<T>, timeoutMs: number, clock: Clock): Promise<T | typeof late> {
  if (timeoutMs === Number.POSITIVE_INFINITY) return done
  const over = new AbortController()
  const timer = sleep(clock, timeoutMs, over.signal).then((): typeof late => late)
  timer.catch(() => {})
  try {
    return await Promise.race([done, timer])
  } finally {
    over.abort(new Error('the wait is over'))
  }
}

/** Resolves when the signal is aborted. */
export function aborted(signal: AbortSignal): Promise<void> {
  return new Promise(resolve => {
    if (signal.aborted) resolve()
    else signal.addEventListener('abort', () => resolve(), { once: true })
  })
}

/** Waits for what others wait for too: ends with the signal, which does not end it for them. */
export function abortable<T>(promise: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (signal === undefined) return promise
  return new Promise((resolve, reject) => {
    const aborted = (): void => reject(signal.reason)
    signal.addEventListener('abort', aborted, { once: true })
    promise.then(resolve, reject).finally(() => signal.removeEventListener('abort', aborted))
    if (signal.aborted) aborted()
  })
}
