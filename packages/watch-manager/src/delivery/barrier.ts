import type { Timer } from '@wherry/client'
import type { Reset, Synced } from '@wherry/informer'

/** An event that is delivered only when all earlier calls of its view have settled, and that no later event overtakes. */
export class Barrier<C> {
  /** `undefined`: the view was moved to another scope. */
  readonly event: Reset<C> | Synced<C> | undefined
  /** How often in a row its call has failed. */
  failures = 0
  /** Whether its call is under way. */
  running = false
  /** The timer of the next try. */
  timer: Timer | undefined

  constructor(event?: Reset<C> | Synced<C>) {
    this.event = event
  }

  get what(): string {
    return this.event?.type ?? 'rescoped'
  }
}
