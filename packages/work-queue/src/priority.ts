/**
 * Common priorities; any finite number is a priority. `low` is the priority that controller-runtime gives to the
 * initial list and to resyncs, so that a new change does not wait behind them.
 *
 * @example
 * ```ts
 * import { Priority, WorkQueue } from '@wherry/work-queue'
 *
 * const queue = new WorkQueue()
 * queue.add('arcade/go', { priority: Priority.low })
 * queue.add('arcade/chess')
 * console.log(await queue.take()) // arcade/chess
 * ```
 */
export const Priority: { readonly low: -100; readonly normal: 0; readonly high: 100 } = {
  low: -100,
  normal: 0,
  high: 100,
}
