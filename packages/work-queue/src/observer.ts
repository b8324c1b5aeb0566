/**
 * Observes what a queue does, for metrics: its four methods give what controller-runtime's `workqueue_*`
 * metrics count and time; `size`, `depths()` and `unfinished()` of the queue give the rest when they
 * are asked. Each method is optional, and one that is not there costs nothing.
 *
 * Called synchronously, when the queue is in order again: it may use the queue. What one throws goes
 * to `onError`, and so does what a promise that it returns is rejected with.
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
  /** What failed: `observer.added`, `observer.taken` … */
  readonly phase: string
}
