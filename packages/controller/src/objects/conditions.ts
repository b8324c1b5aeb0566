import { OptionRangeError, OptionTypeError } from '@wherry/client'
import { oneOf, text } from '@wherry/client/internal'

/** A condition, as `metav1.Condition` has it. */
export interface Condition {
  type: string
  status: string
  reason?: string | undefined
  message?: string | undefined
  lastTransitionTime?: string | null | undefined
  observedGeneration?: number | undefined
}

/** A condition to look for. In the types of built-in kinds, each of its fields may be missing. */
export type SomeCondition = { readonly type?: string | undefined; readonly status?: string | undefined }

/** The new value of a condition. */
export interface NewCondition {
  /** `Ready`, or `example.com/Ready`. */
  readonly type: string
  readonly status: 'True' | 'False' | 'Unknown'
  /** The reason for programs, in one CamelCase word. */
  readonly reason: string
  /** The reason for people. @default '' */
  readonly message?: string | undefined
  /** The `metadata.generation` that was acted on. @default that of the previous condition, if any */
  readonly observedGeneration?: number | undefined
  /** When the status changed, if not now. Ignored if the status did not change. @default `now` */
  readonly lastTransitionTime?: string | undefined
}

/**
 * Sets one condition of a list: in its old place, or else at the end. Pure: the list and its items are not changed. If nothing differs, it returns
 * the same list, so `===` shows whether there is something to write. `lastTransitionTime` changes only with the status; its precision is one
 * second, as on the server.
 *
 * @param now milliseconds since 1970: `clock.now()`
 * @throws OptionTypeError, OptionRangeError for a status, a reason or a time that `metav1.Condition` does not take
 *
 * @example
 * ```ts
 * import { type Condition, setCondition } from '@wherry/controller'
 *
 * const before: Condition[] = []
 * const ready = { type: 'Ready', status: 'True', reason: 'Running' } as const
 * const after = setCondition(before, ready, Date.now())
 * console.log(after === before) // false: there is something to write
 * console.log(setCondition(after, ready, Date.now()) === after) // true: nothing to write
 * ```
 */
export function setCondition<C extends Condition>(
  conditions: readonly C[] | null | undefined,
  condition: NewCondition,
  now: number,
): C[] {
  oneOf('True', 'False', 'Unknown')('condition.status', condition.status)
  text('condition.reason', condition.reason)
  if (!/^[A-Za-z]([A-Za-z0-9_,:]*[A-Za-z0-9_])?$/.test(condition.reason))
    throw new OptionRangeError(
      'condition.reason',
      'one word that begins with a letter',
      JSON.stringify(condition.reason),
    )
  const given = condition.lastTransitionTime
  if (given !== undefined) text('condition.lastTransitionTime', given)
  if (given !== undefined && !(rfc3339.test(given) && Number.isFinite(Date.parse(given))))
    throw new OptionRangeError('condition.lastTransitionTime', 'a time as RFC 3339 has it', JSON.stringify(given))
  if (!Number.isFinite(now)) throw new OptionTypeError('now', 'milliseconds since 1970', typeof now)
  const list = conditions ?? []
  const before = conditionOf(list, condition.type)
  const { type, status, reason, message = '' } = condition
  const lastTransitionTime =
    (before?.status === status ? before.lastTransitionTime : undefined) ??
    // The server keeps seconds only.
    (given ?? new Date(now).toISOString()).replace(/\.\d+/, '')
  const observedGeneration = condition.observedGeneration ?? before?.observedGeneration
  const next = { ...before, type, status, reason, message, lastTransitionTime } as C
  if (observedGeneration !== undefined) next.observedGeneration = observedGeneration
  if (before !== undefined && fields.every(field => before[field] === next[field])) return list as C[]
  return before === undefined ? [...list, next] : list.map(one => (one === before ? next : one))
}

/**
 * The condition of this type, if there is one.
 *
 * @example
 * ```ts
 * import { Client } from '@wherry/client'
 * import { deployments } from '@wherry/client/resources/apps'
 * import { conditionOf } from '@wherry/controller'
 *
 * const client = await Client.connect()
 * const deployment = await client.get(deployments, { namespace: 'arcade', name: 'chess' })
 * console.log(conditionOf(deployment?.status?.conditions, 'Available')?.message)
 * ```
 */
export function conditionOf<C extends SomeCondition>(
  conditions: readonly C[] | null | undefined,
  type: string,
): C | undefined {
  return conditions?.find(condition => condition.type === type)
}

/**
 * Whether the condition of this type is `True`; false if there is none.
 *
 * @example
 * ```ts
 * import { Client } from '@wherry/client'
 * import { deployments } from '@wherry/client/resources/apps'
 * import { isConditionTrue } from '@wherry/controller'
 *
 * const client = await Client.connect()
 * for (const { metadata, status } of (await client.list(deployments)).items)
 *   if (!isConditionTrue(status?.conditions, 'Available')) console.log(`${metadata.name} is not available`)
 * ```
 */
export function isConditionTrue(conditions: readonly SomeCondition[] | null | undefined, type: string): boolean {
  return conditionOf(conditions, type)?.status === 'True'
}

const rfc3339 = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)$/
const fields = ['status', 'reason', 'message', 'lastTransitionTime', 'observedGeneration'] as const
