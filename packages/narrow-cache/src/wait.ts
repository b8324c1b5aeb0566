import type { CacheContext } from './cache-context.ts'
import type { Entry, Waiting } from './entry.ts'
import { NarrowClosedError } from './errors.ts'

export interface WaitOptions<T> {
  readonly shared: CacheContext
  readonly entry: Entry
  readonly signal: AbortSignal | undefined
  /** What is waited for, once it is there. Throws if it will not come. */
  now(): T | undefined
  /** Called after `timeoutMs`: what there is instead; `undefined` goes on waiting. */
  late(): T | undefined
}

/** Waits for news of an entry. Rejects with the signal's reason, or a `NarrowClosedError`. */
export async function waitFor<T>({ shared, entry, signal, now, late }: WaitOptions<T>): Promise<T> {
  const is = now()
  if (is !== undefined) return is
  // Both may have happened since an earlier wait ended, and neither is told again.
  signal?.throwIfAborted()
  if (entry.isOver) throw new NarrowClosedError()
  const { timeoutMs } = shared.settings
  return new Promise<T>((resolve, reject) => {
    const end = (): void => {
      timer?.cancel()
      signal?.removeEventListener('abort', aborted)
      entry.unfollow(waiting)
    }
    const fail = (reason: unknown): void => {
      end()
      reject(reason)
    }
    const attempt = (value: () => T | undefined): void => {
      try {
        const is = value()
        if (is === undefined) return
        end()
        resolve(is)
      } catch (error) {
        fail(error)
      }
    }
    const aborted = (): void => fail(signal?.reason)
    const waiting: Waiting = { news: () => attempt(now), over: () => fail(new NarrowClosedError()) }
    const timer =
      timeoutMs !== Number.POSITIVE_INFINITY
        ? shared.environment.clock.timer(timeoutMs, () => attempt(late))
        : undefined
    signal?.addEventListener('abort', aborted, { once: true })
    entry.follow(waiting)
  })
}
