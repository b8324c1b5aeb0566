import type { View } from '@wherry/client'
import { NotSyncedError } from './errors.ts'
import type { InformerState } from './informer-state.ts'

interface Waiter {
  /** Whether what it waits for is there. */
  readonly isOver: () => boolean
  /** Which rejections it goes on waiting after. */
  readonly ignores: (reason: unknown) => boolean
  resolve(): void
  reject(reason: unknown): void
}

/** Waits for a first state (rule R36), or for a handler to have received it (rule R31). */
export class SyncWaiters {
  readonly #waiting = new Set<Waiter>()

  /**
   * Resolves on {@link SyncWaiters.resolve}, where it `isOver` by then. Rejects on {@link SyncWaiters.reject}, but for a reason that it
   * `ignores`, or when the signal is aborted, with its reason.
   */
  wait(
    signal: AbortSignal | undefined,
    ignores: (reason: unknown) => boolean = () => false,
    isOver: () => boolean = () => true,
  ): Promise<void> {
    return new Promise((resolve, reject) => {
      if (signal?.aborted) return reject(signal.reason)
      const over = (settle: () => void): void => {
        this.#waiting.delete(waiter)
        signal?.removeEventListener('abort', aborted)
        settle()
      }
      const aborted = (): void => waiter.reject(signal?.reason)
      const waiter = {
        isOver,
        ignores,
        resolve: () => over(resolve),
        reject: (reason: unknown) => over(() => reject(reason)),
      }
      this.#waiting.add(waiter)
      signal?.addEventListener('abort', aborted, { once: true })
    })
  }

  resolve(): void {
    for (const waiter of [...this.#waiting]) if (waiter.isOver()) waiter.resolve()
  }

  reject(reason: unknown): void {
    for (const waiter of [...this.#waiting]) if (!waiter.ignores(reason)) waiter.reject(reason)
  }
}

/** What was waited for. */
interface Awaited {
  readonly view: Pick<View, 'key'>
  readonly state: InformerState
  readonly lastError: Error | undefined
}

/** What a wait for an informer's first state rejects with: a signal's reason comes with what the informer was doing (`idle`: nothing). */
export function whyNotSynced(
  { view, state, lastError }: Awaited,
  signal: AbortSignal | undefined,
  reason: unknown,
  idle = 'start() was not called',
): unknown {
  if (signal?.aborted !== true || reason !== signal.reason) return reason
  return new NotSyncedError(view.key, state, lastError, reason, state === 'idle' ? idle : state)
}
