/** What the program did wrong. */
export type UsageCode =
  /** A value was sent by a channel that no controller uses (any more): it is lost. */
  | 'CHANNEL_NOT_CONNECTED'
  /** A controller was declared without a required part. */
  | 'CONTROLLER_INCOMPLETE'
  /** Two controllers of one operator have the same name. */
  | 'CONTROLLER_NAME_TAKEN'
  /** A controller was started twice, or after it was stopped; or a part of it, such as `reconcile`, was declared twice. */
  | 'CONTROLLER_USED'
  /** A source needs a WatchManager, and the controller was given none. */
  | 'NO_MANAGER'
  /** An election was run twice. */
  | 'ELECTION_USED'
  /** A reconcile returned something that is not a result. Counts as a failure; the key runs again with backoff. */
  | 'INVALID_RESULT'
  /** A reconcile returned while reads or writes that it had started were still running. Counts as a failure; the key runs again with backoff. */
  | 'NOT_AWAITED'
  /** A `prune` names a view that the controller does not own. */
  | 'NOT_OWNED'
  /** The cluster does not have the ring of the operator's `shards`, or the operator may not read it. */
  | 'NO_RING'
  /** The ring does not list the resource of a controller's primary objects, so no shard would ever be assigned any. */
  | 'NOT_IN_RING'
  /** A controller or a component of an operator with `shards` can't be sharded, and the operator has no leader to run it on. */
  | 'NOT_SHARDED'
  /** An object was applied after a `prune` of its view in the same run. Counts as a failure. */
  | 'PRUNED_ALREADY'
  /** The operator is in the wrong state: it was run before, was not run yet, or has ended. */
  | 'OPERATOR_USED'
  /** An apply would replace a list that others have filled and that the server takes as one value. Counts as a failure. */
  | 'SHARED_LIST'
  /** A source that serves one controller at a time was connected to a second one. */
  | 'SOURCE_TAKEN'
  /** No controller has that name. */
  | 'UNKNOWN_CONTROLLER'

/**
 * The program uses this library wrongly: `code` says how, the message says what to do. Fix the program; do not catch it.
 *
 * @example
 * ```ts
 * import { type Operator, UsageError } from '@wherry/controller'
 *
 * export function lastRun(operator: Operator, name: string): void {
 *   try {
 *     console.log(operator.explain('settings', { namespace: 'arcade', name }).lastRun)
 *   } catch (error) {
 *     console.log(error instanceof UsageError && error.code === 'OPERATOR_USED' ? 'the operator was not run' : error)
 *   }
 * }
 * ```
 */
export class UsageError extends Error {
  override readonly name = 'UsageError'
  readonly code: UsageCode

  constructor(code: UsageCode, message: string) {
    super(message)
    this.code = code
  }
}
