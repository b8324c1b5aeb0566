import { OptionRangeError } from '@wherry/client'
import { type Check, checkOptions, flag, text, texts } from '@wherry/client/internal'
import type { RecordedEvent } from '../events/event-recorder.ts'
import type { Condition } from '../objects/conditions.ts'

/** How the conditions of a status are summed up. */
export interface SummaryOptions {
  /** The type of the condition that summarizes the other conditions. @default 'Ready' */
  readonly type?: string | undefined
  /**
   * The types of conditions that are bad if they are `True`, such as `Stalled` or `Degraded`. The summary is `False` then. All other conditions are bad
   * if they are `False`. The status must have a condition of each of these types. @default none
   */
  readonly bad?: readonly string[] | undefined
  /** Whether a changed status of a condition is recorded as an event of the primary object: a `Warning` if the status is bad, else `Normal`. @default true */
  readonly events?: boolean | undefined
}

const fields = { type: text, bad: texts, events: flag }

export const summaryCheck: Check = (option, value) => {
  if (typeof value === 'boolean') return
  checkOptions(option, value as object, fields)
}

/**
 * Adds a condition that summarizes the others: `False` if any of them is bad, else `Unknown` if any is neither good nor bad, else `True`. Its reason is that
 * of the first bad condition, else of the first that is neither, and its message names that condition. Each condition without an `observedGeneration` gets
 * the generation that the run has seen.
 *
 * @throws OptionRangeError if the list has a condition of that type already, or lacks a condition that `bad` names
 */
export function summedUp(
  conditions: readonly Condition[],
  { type = 'Ready', bad = [] }: SummaryOptions,
  generation: number | undefined,
): readonly Condition[] {
  if (conditions.some(one => one.type === type)) {
    const what = `a list without ${type}, which sums up the others, or another type`
    throw new OptionRangeError('status.summary.type', what, type)
  }
  const missing = bad.find(one => !conditions.some(condition => condition.type === one))
  if (missing !== undefined) {
    const there = conditions.map(one => one.type).join(', ') || 'none'
    throw new OptionRangeError('status.summary.bad', `types of conditions that the status has: ${there}`, missing)
  }
  const first =
    conditions.find(one => stateOf(one, bad) === 'False') ?? conditions.find(one => stateOf(one, bad) === 'Unknown')
  const status = first === undefined ? 'True' : stateOf(first, bad)
  const reason = first?.reason ?? (first === undefined ? 'AllTrue' : first.type)
  const message = first === undefined ? '' : `${first.type}: ${first.message || first.reason || `is ${first.status}`}`
  return [...conditions, { type, status, reason, message }].map(one => {
    const { observedGeneration = generation, ...others } = one as Condition
    return observedGeneration === undefined ? others : { ...others, observedGeneration }
  })
}

/** The events that say which conditions got another status. The summary has no event: it would only repeat them. */
export function transitions(
  before: readonly Condition[],
  now: readonly Condition[],
  { bad = [] }: SummaryOptions,
): readonly RecordedEvent[] {
  const known = new Map(before.map(one => [one.type, one.status]))
  return now
    .filter(one => known.get(one.type) !== one.status)
    .map(one => ({
      type: stateOf(one, bad) === 'False' ? 'Warning' : 'Normal',
      reason: one.reason || one.type,
      message: `${one.type} is ${one.status}${one.message ? `: ${one.message}` : ''}`,
    }))
}

/** Returns `True` for a good condition, and `False` for a bad one. */
function stateOf({ type, status }: Condition, bad: readonly string[]): 'True' | 'False' | 'Unknown' {
  if (status !== 'True' && status !== 'False') return 'Unknown'
  return (status === 'True') === bad.includes(type) ? 'False' : 'True'
}
