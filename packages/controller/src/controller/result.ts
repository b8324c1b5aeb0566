import { UsageError } from '../usage-error.ts'

/** What a reconcile may return. Return nothing if the work is done until something that it depends on changes. */
export interface ReconcileResult {
  /**
   * Run again after this many milliseconds, unless something makes it run earlier. 0: at once; after ten such runs in a row, after the rate limiter's
   * first delay. @default never
   */
  readonly requeueAfterMs?: number | undefined
}

/** The outcome of a reconcile that has returned. */
type Returned = { readonly outcome: 'success' } | { readonly outcome: 'requeue_after'; readonly ms: number }

/** Reads the returned value of a reconcile. @throws UsageError if it is no {@link ReconcileResult} */
export function readResult(result: unknown): Returned {
  if (result === undefined || result === null) return done
  if (typeof result !== 'object') throw invalid(typeof result)
  const { requeueAfterMs, ...rest } = result as ReconcileResult
  const [unknown] = Object.keys(rest)
  if (unknown !== undefined) throw invalid(`an object with ${JSON.stringify(unknown)}`)
  if (requeueAfterMs !== undefined) {
    if (typeof requeueAfterMs !== 'number' || !Number.isFinite(requeueAfterMs) || requeueAfterMs < 0) {
      throw invalid(`requeueAfterMs: ${String(requeueAfterMs)}`)
    }
    return { outcome: 'requeue_after', ms: requeueAfterMs }
  }
  return done
}

const done = { outcome: 'success' } as const

function invalid(got: string): UsageError {
  const takes = 'nothing, or { requeueAfterMs } with 0 or more'
  return new UsageError('INVALID_RESULT', `a reconcile returns ${takes}, not ${got}`)
}
