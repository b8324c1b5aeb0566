import { type Clock, sleep } from '@wherry/client'

/** Who runs reconciles. */
export interface Runs {
  /** The keys that run, but for those whose runs have asked for a stop themselves. */
  readonly running: readonly string[]
  /** Resolves when a run has ended, or is not waited for any more. */
  ended(): Promise<void>
}

/** Resolves when no reconcile runs but those that have asked for a stop themselves, or the time is over. */
export async function untilEnded(runs: Runs, timeoutMs: number, clock: Clock): Promise<void> {
  if (runs.running.length === 0) return
  const over = new AbortController()
  const late = sleep(clock, timeoutMs, over.signal).catch(() => {})
  const ended = (async () => {
    while (runs.running.length > 0) await runs.ended()
  })()
  await Promise.race([late, ended])
  over.abort(new Error('the wait is over'))
}
