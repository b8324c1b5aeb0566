import type { Timer } from '@wherry/client'
import type { Reset, Synced } from '@wherry/informer'

/** An event that all earlier calls must have settled before, and that nothing overtakes. */
export class Barrier<C> {
  /** `undefined`: the view was moved to another scope. */
  readonly event: Reset<C> | Synced<C> | undefined
  /** How often in a row it was refused. */
  failures = 0
  /** Its call is under way. */
  running = false
  /** Until it may be tried again. */
  timer: Timer | undefined

  constructor(event?: Reset<C> | Synced<C>) {
    this.event = event
  }

  get what(): string {
    return this.event?.type ?? 'rescoped'
  }
}
