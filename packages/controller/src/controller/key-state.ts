import type { Drive } from '../loops/causality.ts'
import type { Cause } from '../sources/cause.ts'

/** What came of a run. */
export type Outcome =
  | 'success'
  | 'requeue_after'
  /** A write waits; the key runs again when it may be sent. */
  | 'delayed'
  /** It waits for an object: `ready` or `gone` has ended the run. */
  | 'waiting'
  | 'error'
  | 'terminal'
  | 'aborted'
  | 'gone'

/** The last run of a key. */
export interface LastRun {
  /** When it began: milliseconds since 1970. */
  readonly startedAt: number
  /** How long it took, in milliseconds; `undefined`: it is still running. */
  readonly tookMs: number | undefined
  readonly attempt: number
  /** Why it ran: the first change since the run before it. */
  readonly cause: Cause | undefined
  /** How many further changes came. */
  readonly moreCauses: number
  /** How the run ended; `undefined`: it is still running. */
  readonly outcome: Outcome | undefined
  /** The error that the run has failed with. */
  readonly error: unknown
}

/** The state of one key that the queue does not have. Fields take less memory than a record of the last run. */
export class KeyState {
  /** Why it is queued, since its last run began: the first change, and how many more. */
  pending: Cause | undefined
  more = 0
  /** How far its own process drives it, by all that has come since its last run began. */
  drive: Drive | undefined
  /** It waits for its turn after a failure, or because it asked for one. */
  isRetrying = false
  /** Its object went, and that was not seen to yet: as it was last, if there is an `onGone` that wants it. */
  gone: { readonly last: unknown } | undefined
  /** How many runs in a row asked for another run at once. */
  hurried = 0
  /** The objects with writes that wait. */
  waitsFor: Set<string> | undefined
  // The last run of the key, as LastRun says
  #startedAt: number | undefined
  #tookMs: number | undefined
  #attempt = 0
  #cause: Cause | undefined
  #moreCauses = 0
  #outcome: Outcome | undefined
  #error: unknown

  get lastRun(): LastRun | undefined {
    if (this.#startedAt === undefined) return undefined
    const about = { startedAt: this.#startedAt, tookMs: this.#tookMs, attempt: this.#attempt }
    return { ...about, cause: this.#cause, moreCauses: this.#moreCauses, outcome: this.#outcome, error: this.#error }
  }

  /** Why the run that was begun last was begun. */
  get cause(): Cause | undefined {
    return this.#cause
  }

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

  begin(startedAt: number, attempt: number): void {
    this.#startedAt = startedAt
    this.#attempt = attempt
    this.#cause = this.pending
    this.#moreCauses = this.more
    this.end(undefined, undefined, undefined)
    this.pending = undefined
    this.more = 0
    this.drive = undefined
    this.isRetrying = false
    this.waitsFor = undefined
  }

  end(outcome: Outcome | undefined, tookMs: number | undefined, error: unknown): void {
    this.#outcome = outcome
    this.#tookMs = tookMs
    this.#error = error
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
