/**
 * Observes a queue, for metrics: its four methods cover the counters and times of controller-runtime's `workqueue_*`
 * metrics; the queue's `size`, `depths()` and `unfinished()` give the rest. Each method is optional, and a missing method
 * costs nothing.
 *
 * Its methods are called synchronously, when the queue is consistent, so they may use the queue. Errors that they throw,
 * and rejections of promises that they return, go to `onError`.
 */
export interface WorkQueueObserver<K = string> {
  /** A key was added without delay, or came due (`workqueue_adds_total`). Not called for a key that was pending without delay already. */
  readonly added?: ((key: K, priority: number) => void) | undefined
  /** A key was added with a delay, or by `addRateLimited` with any delay, 0 too (`workqueue_retries_total`). Called for duplicates too. */
  readonly retried?: ((key: K, delayMs: number) => void) | undefined
  /** A key was handed out, `queuedMs` after it was added or came due (`workqueue_queue_duration_seconds`). */
  readonly taken?: ((key: K, queuedMs: number) => void) | undefined
  /** A key is done, `workedMs` after it was handed out (`workqueue_work_duration_seconds`). */
  readonly done?: ((key: K, workedMs: number) => void) | undefined
}

/** Where in the queue a background failure occurred. */
export interface QueueErrorContext {
  /** The failed call: `observer.added`, `observer.taken` … */
  readonly phase: string
}
