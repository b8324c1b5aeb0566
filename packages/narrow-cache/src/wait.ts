import type { Timer } from '@wherry/client'
import type { CacheContext } from './cache-context.ts'
import type { Entry, Waiting } from './entry.ts'
import { NarrowClosedError } from './errors.ts'

export interface WaitOptions<T> {
  readonly shared: CacheContext
  readonly entry: Entry
  readonly signal: AbortSignal | undefined
  /** What is waited for, once it is there. Throws if it will not come. */
  now(): T | undefined
  /** What there is instead after `timeoutMs`, or throws. @default the wait has no bound */
  readonly late?: (() => T) | undefined
}

/** Waits for news of an entry. Rejects with the signal's reason, or a `NarrowClosedError`. */
export async function waitFor<T>(options: WaitOptions<T>): Promise<T> {
  const is = options.now()
  if (is !== undefined) return is
  // Both may have happened since an earlier wait ended, and neither is told again.
  options.signal?.throwIfAborted()
  if (options.entry.isOver) throw new NarrowClosedError()
  return new Promise<T>((resolve, reject) => new Wait(options, resolve, reject))
}

class Wait<T> implements Waiting {
  readonly #options: WaitOptions<T>
  readonly #resolve: (value: T) => void
  readonly #reject: (reason: unknown) => void
  readonly #timer: Timer | undefined
  readonly #aborted = (): void => this.#fail(this.#options.signal?.reason)

  constructor(options: WaitOptions<T>, resolve: (value: T) => void, reject: (reason: unknown) => void) {
    const { shared, entry, signal, late } = options
    const { timeoutMs } = shared.settings
    this.#options = options
    this.#resolve = resolve
    this.#reject = reject
    const isBound = late !== undefined && timeoutMs !== Number.POSITIVE_INFINITY
    this.#timer = isBound ? shared.environment.clock.timer(timeoutMs, () => this.#try(late)) : undefined
    signal?.addEventListener('abort', this.#aborted, { once: true })
    entry.follow(this)
  }

  news(): void {
    this.#try(this.#options.now)
  }

  over(): void {
    this.#fail(new NarrowClosedError())
  }

  #try(value: () => T | undefined): void {
    try {
      const is = value()
      if (is === undefined) return
      this.#end()
      this.#resolve(is)
    } catch (error) {
      this.#fail(error)
    }
  }

  #fail(reason: unknown): void {
    this.#end()
    this.#reject(reason)
  }

  #end(): void {
    const { entry, signal } = this.#options
    this.#timer?.cancel()
    signal?.removeEventListener('abort', this.#aborted)
    entry.unfollow(this)
  }
}
