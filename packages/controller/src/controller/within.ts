import { type Clock, sleep } from '@wherry/client'

/** Resolves when `done` does, or when the time is over. Rejects as `done` does before that. */
export async function within(done: Promise<unknown>, timeoutMs: number, clock: Clock): Promise<void> {
  const over = new AbortController()
  const late = sleep(clock, timeoutMs, over.signal).catch(() => {})
  try {
    await Promise.race([done, late])
  } finally {
    over.abort(new Error('the wait is over'))
  }
}
