import type { Scope, View } from '@wherry/client'
import type { ControllerShard } from '../shards/controller-shard.ts'
import { narrowed } from '../sources/controller-source.ts'
import type { ControllerDefinition } from './definition.ts'

/** The definition with the views of a shard (rule C7). Owned objects have the label of a ring's shard only if the ring gives it to them. */
export function sharded<C, S extends Scope>(
  definition: ControllerDefinition<C, S>,
  shard: ControllerShard,
): ControllerDefinition<C, S> {
  const { for: view, sources } = definition
  if (view === 'singleton') return definition
  const narrow = (one: View): View => shard.narrow(one)
  return {
    ...definition,
    for: shard.primary(view),
    sources: sources?.map(one => (one.isOwned ? narrowed(one, narrow) : one)),
  }
}
