/**
 * Observes a queue, for metrics: its four methods cover the counters and times of controller-runtime's `workqueue_*`
 * metrics; `size`, `depths()` and `unfinished()` of the queue have the rest. Each method is optional, and a missing one
 * costs nothing.
 *
 * It is called synchronously, when the queue is consistent, so it may use the queue. Its errors, and those of its
 * promises, go to `onError`.
 */
export interface WorkQueueObserver<K = string> {
  /** A key is pending that was not, or that waited for its time (`workqueue_adds_total`). Not called for duplicates. */
  readonly added?: ((key: K, priority: number) => void) | undefined
  /** A key was added that has to wait, by `afterMs` or by the limiter (`workqueue_retries_total`). */
  readonly retried?: ((key: K, delayMs: number) => void) | undefined
  /** A key was handed out, `queuedMs` after it was added or came due (`workqueue_queue_duration_seconds`). */
  readonly taken?: ((key: K, queuedMs: number) => void) | undefined
  /** A key is done, `workedMs` after it was handed out (`workqueue_work_duration_seconds`). */
  readonly done?: ((key: K, workedMs: number) => void) | undefined
}

/** Where in the queue a background failure came up. */
export interface QueueErrorContext {
  /** The failed call: `observer.added`, `observer.taken` … */
  readonly phase: string
}
