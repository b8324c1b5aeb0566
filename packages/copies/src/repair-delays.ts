import type { Clock } from '@wherry/client'

/** How often a copy's status is repaired at once. */
const mostAtOnce = 3
/** How long the next repair waits then, in milliseconds, doubling. */
const firstDelayMs = 1000
const longestDelayMs = 60_000
/** After so long without a repair the count starts again, in milliseconds, or after twice the last delay if that is longer. */
const peaceMs = 10_000

interface Repaired {
  count: number
  /** When the last repair was sent, on the monotonic clock. */
  at: number
  /** It was reported that repairs wait. */
  isReported: boolean
}

/**
 * Delays repairs that somebody undoes again and again: three are sent at once, then one after 1 s, doubling to 60 s. So it is with applies of a
 * controller. It knows only the copies that were repaired of late.
 */
export class RepairDelays {
  readonly #repaired = new Map<string, Repaired>()

  /** 0: the repair is to be sent now, and was counted. Else how long it has to wait, in milliseconds. */
  admit(key: string, clock: Clock): number {
    const now = clock.monotonic()
    this.#forget(now)
    const { count, at, isReported } = this.#repaired.get(key) ?? { count: 0, at: now, isReported: false }
    const waitMs = at + delayOf(count) - now
    // Later than now by less than the resolution of a timer.
    if (waitMs >= 1) return Math.ceil(waitMs)
    this.#repaired.delete(key)
    this.#repaired.set(key, { count: count + 1, at: now, isReported })
    return 0
  }

  /** A repair has to wait. Returns whether that is so for the first time. */
  isNews(key: string): boolean {
    const repaired = this.#repaired.get(key)
    if (repaired === undefined || repaired.isReported) return false
    repaired.isReported = true
    return true
  }

  /** Forgets the copies that had peace. The oldest repair is first, and one that counts still keeps those after it: for two minutes at most. */
  #forget(now: number): void {
    for (const [key, { count, at }] of this.#repaired) {
      if (now - at < Math.max(peaceMs, 2 * delayOf(count))) break
      this.#repaired.delete(key)
    }
  }
}

function delayOf(count: number): number {
  return count < mostAtOnce ? 0 : Math.min(longestDelayMs, firstDelayMs * 2 ** (count - mostAtOnce))
}
