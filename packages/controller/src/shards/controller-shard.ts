import type { Scope, View } from '@wherry/client'
import type { LeaderElectionOptions } from '../leader/options.ts'
import type { RingPart } from './ring-shard.ts'

/** The part of a controller that one shard runs. */
export interface ControllerShard {
  /** The ring; `undefined` if the shards share the objects by their uids. */
  readonly ring: string | undefined
  /** The name of the shard in its ring, or `INDEX-of-COUNT`. */
  readonly name: string
  /** What a ring may ask back; `undefined` if no object ever goes to another shard. */
  readonly assigned: RingPart | undefined
  /** The view of the primary objects that this shard runs. */
  primary<C, S extends Scope>(view: View<C, S>): View<C, S>
  /** The view in which this shard sees the objects of a view that its primary objects own. */
  narrow(view: View): View
}

/** This process as a shard of an operator. */
export interface Shard {
  readonly ring: string | undefined
  readonly name: string
  readonly election: Omit<LeaderElectionOptions, 'client'>
  /**
   * The part of a controller that this shard runs.
   * @param view of its primary objects
   * @throws UsageError if the primary objects can't be shared
   */
  part(controller: string, view: View): ControllerShard
  /** Resolves when the shard may start its controllers: it holds its lease, and no process divides the objects in another way. */
  mayStart(signal: AbortSignal): Promise<void>
}
