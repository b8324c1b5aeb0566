import type { Cause } from './cause.ts'

/** What came of a run. */
export type Outcome = 'success' | 'requeue' | 'requeue_after' | 'error' | 'terminal' | 'aborted' | 'gone'

/** What a controller knows of one key beside the queue. Fields, not objects of their own: there is one for each key. */
export class KeyState {
  /** Why it is queued, since its last run began: the first change, and how many more. */
  pending: Cause | undefined
  more = 0
  /** It waits for its turn after a failure, or because it asked for one. */
  isRetrying = false
  /** Of the last run: why, and how many changes more. */
  cause: Cause | undefined
  causeMore = 0
  /** When it began, on the wall clock, in milliseconds; `undefined`: it has not run. */
  startedAt: number | undefined
  tookMs: number | undefined
  attempt = 0
  outcome: Outcome | undefined
  error: unknown
  /** Its object went, and that was not seen to yet: as it was last, if there is an `onGone` that wants it. */
  gone: { readonly last: unknown } | undefined
  /** The objects whose writes wait. */
  waitsFor: Set<string> | undefined

  /** It is to run. A change says more than that it was to be tried again. */
  add(cause: Cause): void {
    const { pending } = this
    if (pending === undefined || isOwn(pending)) this.pending = cause
    else if (!isOwn(cause)) this.more += 1
  }

  waits(object: string): void {
    this.waitsFor ??= new Set()
    this.waitsFor.add(object)
  }

  begin(at: number, attempt: number): void {
    this.cause = this.pending
    this.causeMore = this.more
    this.pending = undefined
    this.more = 0
    this.isRetrying = false
    this.waitsFor = undefined
    this.startedAt = at
    this.tookMs = undefined
    this.attempt = attempt
    this.outcome = undefined
    this.error = undefined
  }

  end(outcome: Outcome, tookMs: number, error: unknown): void {
    this.outcome = outcome
    this.tookMs = tookMs
    this.error = error
  }
}

/** What a controller knows of its keys. */
export class KeyStates extends Map<string, KeyState> {
  obtain(key: string): KeyState {
    const found = this.get(key)
    if (found !== undefined) return found
    const state = new KeyState()
    this.set(key, state)
    return state
  }
}

function isOwn({ change }: Cause): boolean {
  return change === 'retry' || change === 'due'
}
