import type { View } from '@wherry/client'
import { NotSyncedError } from './errors.ts'
import type { InformerState } from './informer-state.ts'

interface Waiter {
  /** Whether the awaited state is there. */
  readonly isOver: () => boolean
  /** Whether the wait continues after a rejection with this reason. */
  readonly ignores: (reason: unknown) => boolean
  resolve(): void
  reject(reason: unknown): void
}

/** Waits for a first state (rule R36), or until a handler has received it (rule R31). */
export class SyncWaiters {
  readonly #waiting = new Set<Waiter>()

  /**
   * Resolves on {@link SyncWaiters.resolve} if the wait `isOver` then. Rejects on {@link SyncWaiters.reject}, except for a reason that the wait
   * `ignores`, and with the signal's reason when the signal is aborted.
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

/** The awaited state, for the error. */
interface Awaited {
  readonly view: Pick<View, 'key'>
  readonly state: InformerState
  readonly lastError: Error | undefined
}

/** The error of a wait for an informer's first state. An aborted signal gives a `NotSyncedError` with the informer's state. */
export function whyNotSynced(
  { view, state, lastError }: Awaited,
  signal: AbortSignal | undefined,
  reason: unknown,
  idle = 'start() was not called',
): unknown {
  if (signal?.aborted !== true || reason !== signal.reason) return reason
  return new NotSyncedError(view.key, state, lastError, reason, state === 'idle' ? idle : state)
}
