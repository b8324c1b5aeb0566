import type { Clock } from '@wherry/client'
import { within } from './within.ts'

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
  const ended = (async () => {
    while (runs.running.length > 0) await runs.ended()
  })()
  await within(ended, timeoutMs, clock)
}
