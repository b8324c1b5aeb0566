import { type JsonObject, objectAt, objectsAt } from '@wherry/cel/internal'

/** A condition without its times. */
export interface Condition {
  readonly type: string
  readonly status: 'True' | 'False' | 'Unknown'
  readonly reason?: string | undefined
  readonly message?: string | undefined
}

/**
 * The conditions of an object's status after the conditions of `set` were set, each in its place. A condition that keeps its status keeps its
 * `lastTransitionTime`. `times` names further time fields, which are set if anything in the condition has changed.
 */
export function withConditions(
  object: JsonObject,
  set: readonly Condition[],
  now: string,
  times: readonly string[] = [],
): JsonObject[] {
  const conditions = [...objectsAt(objectAt(object, 'status'), 'conditions')]
  for (const { type, status, reason, message } of set) {
    const at = conditions.findIndex(one => one.type === type)
    const old = conditions[at]
    const said: JsonObject = { type, status, ...(reason && { reason }), ...(message && { message }) }
    const isSame = old?.status === status
    if (isSame && old.reason === said.reason && old.message === said.message) continue
    const stamped = Object.fromEntries(times.map(time => [time, now]))
    const next = { ...said, lastTransitionTime: isSame ? (old.lastTransitionTime ?? now) : now, ...stamped }
    if (at === -1) conditions.push(next)
    else conditions[at] = next
  }
  return conditions
}

/** Whether an object's condition is true. */
export function isTrue(object: JsonObject, type: string): boolean {
  return objectsAt(objectAt(object, 'status'), 'conditions').some(one => one.type === type && one.status === 'True')
}
