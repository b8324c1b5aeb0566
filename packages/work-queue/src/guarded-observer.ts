import diagnostics from 'node:diagnostics_channel'
import type { QueueErrorContext, WorkQueueObserver } from './observer.ts'

/** Calls an observer without throwing: its errors go to `onError`, and errors of `onError` are dropped. */
export class GuardedObserver<K> {
  readonly #observer: WorkQueueObserver<K>
  readonly #onError: (error: Error, context: QueueErrorContext) => unknown

  constructor(
    observer: WorkQueueObserver<K>,
    onError: ((error: Error, context: QueueErrorContext) => void) | undefined,
  ) {
    this.#observer = observer
    this.#onError = onError ?? publish
  }

  report(method: keyof WorkQueueObserver<K>, key: K, value: number): void {
    try {
      this.#catchRejection(this.#observer[method]?.(key, value), method)
    } catch (error) {
      this.#reportError(error, method)
    }
  }

  #catchRejection(returned: unknown, method: string): void {
    if (isThenable(returned)) returned.then(undefined, error => this.#reportError(error, method))
  }

  #reportError(error: unknown, method: string): void {
    const context = { phase: `observer.${method}` }
    try {
      const reported = this.#onError(
        error instanceof Error ? error : new Error(`${context.phase} threw`, { cause: error }),
        context,
      )
      if (isThenable(reported)) reported.then(undefined, () => {})
    } catch {
      // There is nowhere left to report to.
    }
  }
}

/** Whether a result is a promise of any kind. Most results are `undefined`. */
function isThenable(value: unknown): value is PromiseLike<unknown> {
  return (
    typeof value === 'object' && value !== null && typeof (value as { readonly then?: unknown }).then === 'function'
  )
}

function publish(error: Error, context: QueueErrorContext): void {
  diagnostics.channel('wherry:error').publish({ error, context })
}
