import { OptionRangeError, OptionTypeError } from '@wherry/client'

/** A condition, as `metav1.Condition` has it. */
export interface Condition {
  type: string
  status: string
  reason?: string | undefined
  message?: string | undefined
  lastTransitionTime?: string | null | undefined
  observedGeneration?: number | undefined
}

/** What a condition is set to. */
export interface NewCondition {
  /** `Ready`, or `example.com/Ready`. */
  readonly type: string
  readonly status: 'True' | 'False' | 'Unknown'
  /** Why, in one CamelCase word: what programs go by. */
  readonly reason: string
  /** Why, for people. @default '' */
  readonly message?: string | undefined
  /** The `metadata.generation` that was acted on. @default that of the condition before, if any */
  readonly observedGeneration?: number | undefined
  /** When the status changed, if not now; nothing where it did not. @default `now` */
  readonly lastTransitionTime?: string | undefined
}

/**
 * Conditions with one set, in the place that it had, else at the end. Pure: the list and its items are not changed, and where
 * nothing differs the very list that was given comes back, so that `===` says whether there is something to write.
 *
 * `lastTransitionTime` changes with the status only; it is to the second, as the server keeps it.
 *
 * @param now milliseconds since 1970: `clock.now()`
 * @throws OptionTypeError or OptionRangeError for a condition that `metav1.Condition` does not take.
 */
export function setCondition<C extends Condition>(
  conditions: readonly C[] | null | undefined,
  condition: NewCondition,
  now: number,
): C[] {
  checkCondition(condition)
  if (!Number.isFinite(now)) throw new OptionRangeError('now', 'milliseconds since 1970', `${now}`)
  const list = conditions ?? []
  const index = list.findIndex(({ type }) => type === condition.type)
  const before = list[index]
  const { type, status, reason, message = '' } = condition
  const lastTransitionTime =
    (before?.status === status ? before.lastTransitionTime : undefined) ??
    toTheSecond(condition.lastTransitionTime ?? new Date(now).toISOString())
  const observedGeneration = condition.observedGeneration ?? before?.observedGeneration
  const next = { ...before, type, status, reason, message, lastTransitionTime } as C
  if (observedGeneration !== undefined) next.observedGeneration = observedGeneration
  if (before !== undefined && fields.every(field => before[field] === next[field])) return list as C[]
  return before === undefined ? [...list, next] : list.with(index, next)
}

/** As the server keeps it. */
function toTheSecond(time: string): string {
  return time.replace(/\.\d+/, '')
}

/** The condition of a type. */
export function conditionOf<C extends Condition>(
  conditions: readonly C[] | null | undefined,
  type: string,
): C | undefined {
  return conditions?.find(condition => condition.type === type)
}

/** Whether the condition of a type is `True`: not so if there is none. */
export function isConditionTrue(conditions: readonly Condition[] | null | undefined, type: string): boolean {
  return conditionOf(conditions, type)?.status === 'True'
}

const fields = ['status', 'reason', 'message', 'lastTransitionTime', 'observedGeneration'] as const

/** As `metav1.Condition`'s schema checks them. */
function checkCondition(condition: NewCondition): void {
  if (condition === null || typeof condition !== 'object') {
    throw new OptionTypeError('condition', 'a condition', condition === null ? 'null' : typeof condition)
  }
  const { type, status, reason, message, observedGeneration, lastTransitionTime } = condition
  matching('condition.type', type, /^([a-z0-9]([-a-z0-9.]*[a-z0-9])?\/)?[A-Za-z0-9]([-\w.]{0,61}[A-Za-z0-9])?$/, 316)
  matching('condition.status', status, /^(True|False|Unknown)$/, 7)
  matching('condition.reason', reason, /^[A-Za-z]([\w,:]*\w)?$/, 1024)
  if (message !== undefined) matching('condition.message', message, /^/, 32_768)
  if (lastTransitionTime !== undefined) {
    matching(
      'condition.lastTransitionTime',
      lastTransitionTime,
      /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)$/,
      40,
    )
  }
  if (observedGeneration === undefined) return
  if (typeof observedGeneration !== 'number') {
    throw new OptionTypeError('condition.observedGeneration', 'a generation', typeof observedGeneration)
  }
  if (!Number.isSafeInteger(observedGeneration) || observedGeneration < 0) {
    throw new OptionRangeError('condition.observedGeneration', 'a generation, 0 or more', `${observedGeneration}`)
  }
}

function matching(option: string, value: unknown, pattern: RegExp, maxLength: number): void {
  const takes = `text of at most ${maxLength} characters, as ${pattern.source}`
  if (typeof value !== 'string') throw new OptionTypeError(option, takes, typeof value)
  if (value.length > maxLength || !pattern.test(value)) {
    throw new OptionRangeError(option, takes, JSON.stringify(value.slice(0, 100)))
  }
}
