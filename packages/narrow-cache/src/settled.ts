import type { Entry, Readiness } from './entry.ts'
import { NarrowTimeoutError } from './errors.ts'
import type { NarrowView } from './narrow-view.ts'
import type { Shared } from './shared.ts'

/** Waits until it is known how a read of `narrow` goes on. Rejects with the signal's reason or a `NarrowTimeoutError`. */
export async function settled(
  { environment, settings: { timeoutMs } }: Shared,
  entry: Entry,
  narrow: NarrowView,
  signal: AbortSignal | undefined,
): Promise<Exclude<Readiness, 'wait'>> {
  const first = entry.readiness(narrow)
  if (first !== 'wait') return first
  const giveUp = new AbortController()
  const aborted = (): void => giveUp.abort(signal?.reason)
  signal?.addEventListener('abort', aborted, { once: true })
  let isLate = false
  const late = (): void => {
    isLate = true
    giveUp.abort()
  }
  const timer = timeoutMs === Number.POSITIVE_INFINITY ? undefined : environment.clock.timer(timeoutMs, late)
  try {
    for (;;) {
      await entry.news(giveUp.signal)
      const readiness = entry.readiness(narrow)
      if (readiness !== 'wait') return readiness
    }
  } catch (error) {
    if (!isLate) throw error
    // What was written may not come back by this watch: the server knows.
    if (entry.isPresent !== undefined) return 'live'
    throw new NarrowTimeoutError(narrow.view.key, entry.key.text, timeoutMs, entry.lastError)
  } finally {
    timer?.cancel()
    signal?.removeEventListener('abort', aborted)
  }
}
