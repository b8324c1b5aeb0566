import type { Timer } from '@wherry/client'
import type { Changed, Deleted } from '@wherry/informer'

/** An event of one object. */
export type ObjectEvent<C> = Changed<C> | Deleted<C>

/**
 * The events that are held for one object, apart from the cursor: while a call for it is under way, and while it waits to be retried
 * (rule W12). At most a `deleted` and the `changed` of a later birth, in that order (rule W10).
 */
export class RetryKey<C> {
  readonly key: string
  /** Since when the oldest held event has been waiting, or its call has been under way, on the monotonic clock. */
  since: number
  /** When the oldest event that waits was added. */
  #addedAt: number
  deleted: ObjectEvent<C> | undefined
  changed: ObjectEvent<C> | undefined
  /** How often in a row its call failed. */
  failures = 0
  /** The timer of the next try. */
  timer: Timer | undefined

  constructor(key: string, since: number) {
    this.key = key
    this.since = since
    this.#addedAt = since
  }

  get empty(): boolean {
    return this.deleted === undefined && this.changed === undefined
  }

  /** Adds a newer event, which replaces those that it makes obsolete. A deletion stays: it is delivered before the new object. */
  put(event: ObjectEvent<C>, now: number): void {
    if (this.empty) this.#addedAt = now
    if (event.type === 'deleted') {
      this.deleted = event
      this.changed = undefined
    } else {
      this.changed = event
    }
  }

  /** Puts back an event after its call failed, unless a newer event made it obsolete. */
  putBack(event: ObjectEvent<C>): void {
    if (event.type === 'deleted') this.deleted ??= event
    else if (this.empty) this.changed = event
  }

  /** Records that the call for the event that was taken last has succeeded: only the others wait. */
  delivered(): void {
    this.failures = 0
    this.since = this.#addedAt
  }

  /** Takes the next event to deliver. */
  take(): ObjectEvent<C> | undefined {
    const event = this.deleted ?? this.changed
    if (this.deleted !== undefined) this.deleted = undefined
    else this.changed = undefined
    return event
  }
}
