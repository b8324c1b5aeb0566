import type { Clock } from '@wherry/client'
import { sleep } from '@wherry/client/internal'

/** The result of a wait that timed out, or that its signal aborted. */
export const late: unique symbol = Symbol('late')

/**
 * Resolves or rejects as `done`, or resolves with `late` after `timeoutMs`, or when the signal is aborted. `Infinity`: there is no time limit.
 */
export async function within<T>(
  done: Promise<T>,
  timeoutMs: number,
  clock: Clock,
  signal?: AbortSignal | undefined,
): Promise<T | typeof late> {
  if (timeoutMs === Number.POSITIVE_INFINITY && signal === undefined) return done
  const over = new AbortController()
  const end = (): void => over.abort()
  signal?.addEventListener('abort', end)
  const wait = Number.isFinite(timeoutMs) ? sleep(clock, timeoutMs, over.signal).catch(() => {}) : aborted(over.signal)
  // A promise that is settled already, or is just about to, is in time.
  const time = signal?.aborted ? clock.turn() : wait
  try {
    return await Promise.race([done, time.then((): typeof late => late)])
  } finally {
    end()
    signal?.removeEventListener('abort', end)
  }
}

/** Resolves when the signal is aborted. */
export function aborted(signal: AbortSignal): Promise<void> {
  return new Promise(resolve => {
    if (signal.aborted) resolve()
    else signal.addEventListener('abort', () => resolve(), { once: true })
  })
}

/** Waits for a shared promise. The signal ends this wait, and not the waits of others. */
export function abortable<T>(promise: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (signal === undefined) return promise
  return new Promise((resolve, reject) => {
    const aborted = (): void => reject(signal.reason)
    signal.addEventListener('abort', aborted, { once: true })
    promise.then(resolve, reject).finally(() => signal.removeEventListener('abort', aborted))
    if (signal.aborted) aborted()
  })
}
