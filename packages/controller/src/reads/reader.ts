import type { ReadCause } from './cause.ts'
import type { Link } from './link.ts'
import type { TrackedRun } from './tracked-run.ts'

/** Who hears of keys that are to run again. */
export interface Audience {
  changed(reader: Reader, cause: ReadCause): void
  /** It depends on nothing any more. */
  freed(reader: Reader): void
}

/** A key, and what it depends on. */
export class Reader {
  readonly key: string
  readonly #audience: Audience
  /** Read by the last run that succeeded. */
  #succeeded: readonly Link[] = none
  /** Read by the last run, where that has failed. */
  #failed: readonly Link[] = none
  /** The run that is under way. */
  run: TrackedRun | undefined

  constructor(key: string, audience: Audience) {
    this.key = key
    this.#audience = audience
  }

  /** What it depends on, but for what is being read. */
  get links(): readonly Link[] {
    return this.#failed.length === 0 ? this.#succeeded : [...this.#succeeded, ...this.#failed]
  }

  changed(cause: ReadCause): void {
    this.#audience.changed(this, cause)
  }

  /** It depends on exactly this from now on (rule C11). */
  succeed(links: readonly Link[]): void {
    const before = this.links
    this.#succeeded = links.length === 0 ? none : links
    this.#failed = none
    leave(before)
    if (links.length === 0) this.#audience.freed(this)
  }

  /** It depends on this too, and no more on what the failed run before has read (rule C12). */
  fail(links: readonly Link[]): void {
    const before = this.#failed
    this.#failed = links.length === 0 ? none : links
    leave(before)
  }
}

/** Shared, since most keys have no failed run. */
const none: readonly Link[] = []

export function leave(links: readonly Link[]): void {
  for (const link of links) link.target.leave(link)
}
