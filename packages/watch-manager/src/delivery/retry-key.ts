import type { Timer } from '@wherry/client'
import type { Changed, Deleted } from '@wherry/informer'

/** An event of one object. */
export type ObjectEvent<C> = Changed<C> | Deleted<C>

/**
 * What is held beside the cursor for one object: while a call for it is under way, and while it waits to be tried again
 * (rule W12). At most a `deleted` and the `changed` of a later birth, in that order (rule W10).
 */
export class RetryKey<C> {
  readonly key: string
  /** Since when, on the monotonic clock. */
  readonly since: number
  deleted: ObjectEvent<C> | undefined
  changed: ObjectEvent<C> | undefined
  /** How often in a row its call failed. */
  failures = 0
  /** Until it may be tried again. */
  timer: Timer | undefined

  constructor(key: string, since: number) {
    this.key = key
    this.since = since
  }

  get empty(): boolean {
    return this.deleted === undefined && this.changed === undefined
  }

  /** A newer event: it takes the place of what it makes old. A deletion stays to be told before a new birth is. */
  put(event: ObjectEvent<C>): void {
    if (event.type === 'deleted') {
      this.deleted = event
      this.changed = undefined
    } else {
      this.changed = event
    }
  }

  /** An event whose call failed: back to where it was, unless a newer one made it old. */
  putBack(event: ObjectEvent<C>): void {
    if (event.type === 'deleted') this.deleted ??= event
    else if (this.empty) this.changed = event
  }

  /** The next event to tell. */
  take(): ObjectEvent<C> | undefined {
    const event = this.deleted ?? this.changed
    if (this.deleted !== undefined) this.deleted = undefined
    else this.changed = undefined
    return event
  }
}
