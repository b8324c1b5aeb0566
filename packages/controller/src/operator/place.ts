import type { ControllerDefinition } from '../controller/definition.ts'
import { UsageError } from '../usage-error.ts'

/** Where a controller runs: in one process, in each process, or in each process for the objects of its shard. */
export type Place = 'leader' | 'everywhere' | 'shard'

/**
 * Finds where a controller of an operator runs.
 * @throws UsageError if the operator is sharded and elects no leader, and the controller has no primary objects, or runs only on the leader
 */
export function placeOf(
  { name, needLeaderElection, for: primary }: ControllerDefinition<unknown>,
  operator: { readonly leads: boolean; readonly isSharded: boolean },
): Place {
  if (needLeaderElection === false) return 'everywhere'
  if (operator.isSharded && needLeaderElection === undefined && primary !== 'singleton') return 'shard'
  if (operator.leads) return 'leader'
  if (!operator.isSharded) return 'everywhere'
  const why = primary === 'singleton' ? 'has no primary objects to share' : 'runs only on the leader'
  throw new UsageError(
    'NOT_SHARDED',
    `the controller ${name} ${why}, and an operator with shards runs in several processes: set the operator's option leader as well, or needLeaderElection: false to run it in every process`,
  )
}
