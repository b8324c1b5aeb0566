import { sleep } from '../backoff.ts'
import type { Bound, Caller } from '../verbs/caller.ts'

/** The minimum time between two reads, in milliseconds. */
const minIntervalMs = 1_000

/** A read that many callers share, at most once a second. Its answer is never older than the call. Only the client's close ends it. */
export class SharedRead<T> {
  readonly #caller: Caller
  readonly #path: string
  readonly #timeoutMs: number | undefined
  readonly #read: (bound: Bound) => Promise<T>
  /** The next read, for callers before its start. */
  #next: Promise<T> | undefined
  #askedAt = Number.NEGATIVE_INFINITY
  #last: { readonly value: T; readonly askedAt: number } | undefined

  /** @param path for errors */
  constructor(caller: Caller, path: string, read: (bound: Bound) => Promise<T>, timeoutMs?: number | undefined) {
    this.#caller = caller
    this.#path = path
    this.#read = read
    this.#timeoutMs = timeoutMs
  }

  /** The last answer, if it is less than a second old, so that the server would not be asked again. */
  get recent(): T | undefined {
    const last = this.#last
    if (last === undefined) return undefined
    return this.#caller.environment.clock.monotonic() - last.askedAt < minIntervalMs ? last.value : undefined
  }

  /** Whether no caller waits and the server may be asked again at once, so that this object can be dropped: a new one would do the same. */
  get isIdle(): boolean {
    const { clock } = this.#caller.environment
    return this.#next === undefined && clock.monotonic() - this.#askedAt >= minIntervalMs
  }

  /** Resolves with an answer to a request that begins after the call. */
  fresh(): Promise<T> {
    this.#next ??= this.#ask()
    return this.#next
  }

  #ask(): Promise<T> {
    const { clock } = this.#caller.environment
    const about = { method: 'GET', path: this.#path }
    return this.#caller.within({ timeoutMs: this.#timeoutMs }, about, async bound => {
      await undefined // so that #next is set before it is cleared
      try {
        const wait = this.#askedAt + minIntervalMs - clock.monotonic()
        if (wait > 0) await sleep(clock, wait, bound.signal)
      } finally {
        // Later callers need a newer answer than this one.
        this.#next = undefined
      }
      const askedAt = clock.monotonic()
      this.#askedAt = askedAt
      const value = await this.#read(bound)
      this.#last = { value, askedAt }
      return value
    })
  }
}
