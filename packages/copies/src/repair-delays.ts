import type { Clock } from '@wherry/client'

/** The number of repairs of a copy's status without a delay. */
const mostAtOnce = 3
/** The delay of the next repair, in milliseconds. It doubles with each further repair. */
const firstDelayMs = 1000
const longestDelayMs = 60_000
/** The time without a repair after which the count starts again, in milliseconds. Twice the last delay counts instead if it is longer. */
const peaceMs = 10_000

interface Repaired {
  count: number
  /** When the last repair was sent, on the monotonic clock. */
  at: number
  /** Whether it was reported that repairs are delayed. */
  isReported: boolean
}

/**
 * Delays repairs that another program undoes again and again: three are sent at once, and the next after 1 s, doubling to 60 s, as with a
 * controller's applies. Only recently repaired copies are stored.
 */
export class RepairDelays {
  readonly #repaired = new Map<string, Repaired>()

  /** Returns 0 if a repair may be sent now, and counts it. Otherwise returns the time that the repair has to wait, in milliseconds. */
  admit(key: string, clock: Clock): number {
    const now = clock.monotonic()
    this.#forget(now)
    const known = this.#repaired.get(key)
    const { count, at, isReported } =
      known === undefined || isPast(known, now) ? { count: 0, at: now, isReported: false } : known
    const waitMs = at + delayOf(count) - now
    // A wait below the resolution of a timer counts as none.
    if (waitMs >= 1) return Math.ceil(waitMs)
    this.#repaired.delete(key)
    this.#repaired.set(key, { count: count + 1, at: now, isReported })
    return 0
  }

  /** Records that a repair has to wait. Returns true the first time. */
  isNews(key: string): boolean {
    const repaired = this.#repaired.get(key)
    if (repaired === undefined || repaired.isReported) return false
    repaired.isReported = true
    return true
  }

  /**
   * Frees the memory of copies without a recent repair, the oldest repair first. A repair that still counts keeps the repairs after it in memory, for two
   * minutes at most.
   */
  #forget(now: number): void {
    for (const [key, repaired] of this.#repaired) {
      if (!isPast(repaired, now)) break
      this.#repaired.delete(key)
    }
  }
}

/** Whether the repairs of a copy no longer count, because the last one was long ago. */
function isPast({ count, at }: Repaired, now: number): boolean {
  return now - at >= Math.max(peaceMs, 2 * delayOf(count))
}

function delayOf(count: number): number {
  return count < mostAtOnce ? 0 : Math.min(longestDelayMs, firstDelayMs * 2 ** (count - mostAtOnce))
}
