import type { Clock, ErrorContext } from '@wherry/client'
import { isApiError, TimeoutError } from '@wherry/client'
import { isConnectionError } from '@wherry/client/internal'

/** How long the same failure of a cluster is not reported again, in milliseconds. */
const againMs = 600_000
/** The maximum number of remembered kinds of failures. */
const mostKinds = 100
/** The phases of the failures that repeat for as long as a cluster is down. */
const phases: ReadonlySet<string> = new Set(['list', 'watch', 'cluster'])

/** Picks the errors of a cluster to report: a failure that repeats is reported once in ten minutes. Each change of the cluster's state is logged, too. */
export class SeldomErrors {
  readonly #clock: Clock
  /** When a failure was reported last, by the kind of the failure. */
  readonly #reported = new Map<string, number>()

  constructor(clock: Clock) {
    this.#clock = clock
  }

  isNews(error: Error, { phase, resource }: ErrorContext): boolean {
    if (!phases.has(phase ?? '')) return true
    const now = this.#clock.monotonic()
    const kind = kindOf(error, resource)
    const last = this.#reported.get(kind)
    if (last !== undefined && now - last < againMs) return false
    if (this.#reported.size >= mostKinds) this.#reported.clear()
    this.#reported.set(kind, now)
    return true
  }
}

/** A server that can't be reached fails for all resources alike; any other failure is about one resource. */
function kindOf(error: Error, resource: string | undefined): string {
  if (isConnectionError(error) || error instanceof TimeoutError) return `${error.name} ${error.code}`
  return `${isApiError(error) ? error.status : error.message} ${resource}`
}
