import { isAtLeast } from '@wherry/client'

/** What is seen of a copy may be older than what was written last, but not for longer than this. */
const staleMs = 10_000

/**
 * Our own writes that the cache does not show yet: to decide by what it shows would be to write again what was written. Bounded
 * in time, since the cache never shows a copy that was deleted before it could.
 */
export class OwnWrites {
  readonly #written = new Map<string, { readonly resourceVersion: string; readonly until: number }>()

  /** A copy was written while the cache was as new as `synced`: its event may have come before the answer. */
  wrote(copy: string, resourceVersion: string | undefined, synced: string | undefined, now: number): void {
    if (resourceVersion && !isAtLeast(synced, resourceVersion)) {
      this.#written.set(copy, { resourceVersion, until: now + staleMs })
    }
  }

  /** Whether this state of a copy is that of a write that the cache did not show before, or an older one. */
  covers(copy: string, resourceVersion: string | undefined): boolean {
    return isAtLeast(this.#written.get(copy)?.resourceVersion, resourceVersion)
  }

  /** The cache shows this state of a copy. */
  saw(copy: string, resourceVersion: string | undefined): void {
    const written = this.#written.get(copy)
    if (written !== undefined && isAtLeast(resourceVersion, written.resourceVersion)) this.#written.delete(copy)
  }

  /** The copy is gone. */
  gone(copy: string): void {
    this.#written.delete(copy)
  }

  /** Whether the cache, which is as new as `synced`, lacks what was written to a copy. */
  isUnseen(copy: string, synced: string | undefined, now: number): boolean {
    const written = this.#written.get(copy)
    if (written === undefined) return false
    if (now < written.until && !isAtLeast(synced, written.resourceVersion)) return true
    this.#written.delete(copy)
    return false
  }
}
