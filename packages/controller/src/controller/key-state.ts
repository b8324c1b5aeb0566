import type { Drive } from '../loops/causality.ts'
import type { Cause } from '../sources/cause.ts'

/** The outcome of a run. */
export type Outcome =
  | 'success'
  | 'requeue_after'
  /** A write waits; the key runs again when it may be sent. */
  | 'delayed'
  /** The key waits for an object: `ready` or `gone` has ended the run. */
  | 'waiting'
  | 'error'
  | 'terminal'
  | 'aborted'
  | 'gone'

/** The last run of a key. */
export interface LastRun {
  /** The start of the run, in milliseconds since 1970. */
  readonly startedAt: number
  /** The duration of the run, in milliseconds; `undefined` while it is running. */
  readonly tookMs: number | undefined
  readonly attempt: number
  /** The cause of the run: the first change since the run before. */
  readonly cause: Cause | undefined
  /** How many further changes came. */
  readonly moreCauses: number
  /** How the run ended; `undefined` while it is running. */
  readonly outcome: Outcome | undefined
  /** The error that the run has failed with. */
  readonly error: unknown
}

/** The state of one key besides its place in the queue. Plain fields take less memory than a record of the last run. */
export class KeyState {
  /** The cause of the next run: the first change since the last run began. */
  pending: Cause | undefined
  more = 0
  /** To what extent writes of this process cause the next run. All changes since the last run began count. */
  drive: Drive | undefined
  /** Whether the key waits for a retry, because its last run has failed. */
  isRetrying = false
  /** The deletion of the key's object, if it was not handled yet, with the object's last state if `onGone` needs it. */
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

  /** The cause of the run that has begun last. */
  get cause(): Cause | undefined {
    return this.#cause
  }

  /** Records a cause of the next run. A change replaces a retry, or a run that the key has asked for, as the cause. */
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

/** The states of a controller's keys. */
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
