import { type Client, isConflict, isNotFound, type KubernetesObject, type ObjectKey, type View } from '@wherry/client'
import { checkOptions, integer, parsedKey, viewCheck } from '@wherry/client/internal'
import { noPrimary } from '../objects/no-primary.ts'
import type { Run } from '../reads/run.ts'
import { UsageError } from '../usage-error.ts'
import type { AppliedObject } from './applied-object.ts'
import type { ControllerApplies } from './controller-applies.ts'
import { objectId } from './own-events.ts'
import type { RunApplies } from './run-applies.ts'

/** Options of {@link Prune}. */
export interface PruneOptions {
  /** How many objects are deleted at once. @default 10 */
  readonly atOnce?: number | undefined
}

/** The result of a prune. */
export interface Pruned {
  /** `namespace/name` of each object that was deleted. */
  readonly deleted: readonly string[]
  /** Whether the prune deleted nothing, because not every object that this run applied is as desired. */
  readonly isSkipped: boolean
}

/**
 * Deletes the objects of an owned view that an earlier run has applied and this run has not. Call it after the last `apply`.
 *
 * It deletes only objects that the primary object controls and that this controller has applied, each by its uid. Objects that are only owned, and
 * those of others, stay. It deletes nothing while anything that this run has applied was refused or has to wait, so half a run takes nothing away.
 * Like an apply, it knows what this process has written, also in earlier runs.
 *
 * ```ts
 * for (const shard of shardsOf(object)) await apply(services, shard)
 * await prune(services)
 * ```
 *
 * After a `prune`, an `apply` in the same run rejects with a {@link UsageError} for an object of the view that the run has not applied before. `prune`
 * rejects with the server's error if a delete is refused, and with a {@link UsageError} for a view that the controller does not own.
 */
export type Prune = (view: View, options?: PruneOptions) => Promise<Pruned>

/** The run that a prune belongs to. */
export interface PruneFor {
  readonly shared: ControllerApplies
  readonly client: Client
  readonly owner: KubernetesObject
  readonly signal: AbortSignal
  readonly run: Pick<Run, 'indexed'>
  readonly applied: RunApplies
}

const controllerIndex = {
  name: 'wherry.appliedFor',
  of: (object: unknown): readonly string[] => {
    const uid = (object as AppliedObject | undefined)?.controller?.uid
    return uid === undefined ? [] : [uid]
  },
}

export async function prune(about: PruneFor, view: View, options: PruneOptions = {}): Promise<Pruned> {
  viewCheck('prune.view', view)
  checkOptions('prune', options, { atOnce: integer(1) })
  const { shared, owner, applied, run, signal } = about
  const watched = shared.objects.view(shared.narrow(view))
  const uid = owner.metadata?.uid
  if (shared.primary === noPrimary || uid === undefined || !shared.views.some(({ key }) => key === watched.key)) {
    throw new UsageError(
      'NOT_OWNED',
      `prune takes a view that the controller ${shared.controller} owns: declare it with .owns(view)`,
    )
  }
  applied.pruning(view)
  if (!applied.isWhole) return { deleted: [], isSkipped: true }
  const owned = await run.indexed(watched as View, controllerIndex, uid)
  // An apply that began meanwhile may still be refused.
  if (!applied.isWhole) return { deleted: [], isSkipped: true }
  const left = [...(owned as ReadonlyMap<string, AppliedObject>)].filter(
    ([key, { metadata, owned }]) =>
      owned !== undefined && metadata.deletionTimestamp === undefined && !applied.has(objectId(view, key)),
  )
  const deleted: string[] = []
  const work = async (): Promise<void> => {
    for (let next = left.pop(); next !== undefined; next = left.pop()) {
      signal.throwIfAborted()
      if (await remove(about, view, next)) deleted.push(next[0])
    }
  }
  const { atOnce = 10 } = options
  const ended = await Promise.allSettled(Array.from({ length: Math.min(atOnce, left.length) }, work))
  for (const one of ended) if (one.status === 'rejected') throw one.reason
  return { deleted: deleted.sort(), isSkipped: false }
}

/** Deletes an object, unless it is gone, or another object has its name. */
async function remove(
  { client, signal }: PruneFor,
  view: View,
  [key, { metadata }]: [string, AppliedObject],
): Promise<boolean> {
  const { uid } = metadata
  try {
    const options = { preconditions: { uid }, propagationPolicy: 'Background', signal } as const
    await client.delete(view, parsedKey(view.resource, key) as ObjectKey, options)
    return true
  } catch (error) {
    if (isNotFound(error) || isConflict(error)) return false
    throw error
  }
}
