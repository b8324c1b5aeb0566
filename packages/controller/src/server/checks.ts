import type { Clock } from '@wherry/client'
import { late, within } from '../waits.ts'

/** Whether something is well: what throws, rejects, or takes too long is not. */
export type HealthCheck = (signal: AbortSignal) => unknown

export interface CheckResult {
  readonly name: string
  /** Why not. Never sent to whoever asks, who need not have a right to know. */
  readonly error: unknown
  readonly ok: boolean
}

/** Runs checks side by side, each for `timeoutMs` at most. Never rejects. */
export function runChecks(
  checks: ReadonlyMap<string, HealthCheck>,
  clock: Clock,
  timeoutMs: number,
): Promise<readonly CheckResult[]> {
  return Promise.all([...checks].map(([name, check]) => runCheck(name, check, clock, timeoutMs)))
}

async function runCheck(name: string, check: HealthCheck, clock: Clock, timeoutMs: number): Promise<CheckResult> {
  const over = new AbortController()
  try {
    const outcome = await within((async () => check(over.signal))(), timeoutMs, clock)
    if (outcome === late) throw new Error(`the check ${name} took more than ${timeoutMs} ms`)
    return { name, ok: true, error: undefined }
  } catch (error) {
    return { name, ok: false, error }
  } finally {
    over.abort(new Error('the check is over'))
  }
}
