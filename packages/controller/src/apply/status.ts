import { isNotFound, type KubernetesObject, type ObjectKey } from '@wherry/client'
import { checkOptions, checkStatus, oneOf, resourceName } from '@wherry/client/internal'
import type { Condition } from '../objects/conditions.ts'
import { readByName } from '../objects/read-by-name.ts'
import type { AppliedObject } from './applied-object.ts'
import { type ApplyFor, applyBody } from './apply.ts'
import { ApplyDelayedError, AtomicConditionsError, NoStatusError } from './errors.ts'
import { below, type FieldsV1, isLeaf } from './fields-v1.ts'
import { type Applied, type DesiredOptions, desiredChecks } from './options.ts'
import { type SummaryOptions, summaryCheck, summedUp, transitions } from './summary.ts'

/**
 * A status as you write it: the times and messages of conditions may be left out. If the type of the objects has no status, as after a projection
 * that leaves it out, it is any object.
 */
export type DesiredStatus<S> = string extends keyof S
  ? S
  : S extends { readonly conditions?: readonly (infer C)[] | undefined }
    ? Omit<S, 'conditions'> & { readonly conditions?: readonly DesiredCondition<C>[] | undefined }
    : S

type Filled = 'lastTransitionTime' | 'message'
/** A condition as you write it: its time and its message may be left out. */
export type DesiredCondition<C> = Omit<C, Filled> & { readonly [K in Filled]?: string | null | undefined }

/** The status type of an object type. */
export type StatusOf<T> = T extends { readonly status?: infer S } ? NonNullable<S> : Record<string, unknown>

/** How a status is applied. */
export interface StatusOptions extends Pick<DesiredOptions, 'formerManagers' | 'signal' | 'timeoutMs' | 'onDelay'> {
  /**
   * What happens to a status that differs from the stored one only in times. `ignore`: it is not written. `write`: each call is a request, for a
   * heartbeat that others read; the controller's option `ignoreTimes` names further times. @default 'ignore'
   */
  readonly times?: 'ignore' | 'write' | undefined
  /**
   * Adds a condition that sums up the others (`Ready`, unless it says otherwise), gives each condition the `observedGeneration` of the run's object, and
   * records an event for each condition that gets another status. The definition must declare `observedGeneration` of conditions. @default false
   */
  readonly summary?: boolean | SummaryOptions | undefined
}

/**
 * Makes the status of the primary object as desired, by server-side apply of the status subresource. The value is the whole part of the
 * status that this controller owns: a field that the next call leaves out is removed. Fields of other managers stay. No request is sent if the status
 * is already as desired.
 *
 * A condition gets its `lastTransitionTime`, and keeps it while its status stays the same. A missing `message` becomes empty. No request is sent
 * either if the status differs only in times: `lastTransitionTime`, `lastProbeTime`, `lastHeartbeatTime`, `lastUpdateTime`, and those that the
 * controller's option `ignoreTimes` names. With `{ times: 'write' }` each call is a request.
 *
 * Repeated writes are delayed as for `apply`. Rejects with a `NoStatusError` if the definition has no status subresource, and with an
 * `ApplyDelayedError` if the object was deleted during the run: that ends the run, and is no failure.
 */
export type ApplyStatus<C> = (status: DesiredStatus<StatusOf<C>>, options?: StatusOptions) => Promise<Applied<C>>

export async function applyStatus(
  about: ApplyFor,
  status: object,
  given: StatusOptions = {},
): Promise<Applied<unknown>> {
  checkStatus('status', status)
  checkOptions('status', given, statusChecks)
  const { times = 'ignore', summary = false, ...options } = given
  const summing = summary === true ? {} : summary
  const own = (status as { readonly conditions?: readonly Condition[] }).conditions ?? []
  const whole = summing === false ? status : { ...status, conditions: summedUp(own, summing, about.generation) }
  let before: readonly Condition[] = []
  const { client, owner } = about
  const { primary } = about.shared
  const { name = '', namespace } = owner.metadata ?? {}
  const key = { name, namespace, text: about.key }
  const metadata = { name, ...(namespace !== undefined && { namespace }) }
  const now = new Date(client.environment.clock.now()).toISOString().replace(/\.\d+/, '')
  const bodyOf = (seen: AppliedObject | undefined): KubernetesObject => {
    before = seen?.conditions ?? []
    return { metadata, status: timed(whole, before, now) } as KubernetesObject
  }
  try {
    const written = (object: AppliedObject): void => reportAtomic(about, whole, object)
    const task = {
      view: primary,
      key,
      bodyOf,
      objects: about.objects,
      isPrimary: true,
      isTimed: times === 'write',
      written,
    }
    const applied = await applyBody(about, task, options)
    const isWritten = applied.outcome === 'updated' || applied.outcome === 'created'
    if (summing !== false && summing.events !== false && isWritten) {
      for (const event of transitions(before, own, summing)) about.record(event)
    }
    return applied
  } catch (error) {
    if (!isNotFound(error)) throw error
    const found = await readByName(client, primary, key as ObjectKey).catch(() => 'unknown')
    if (found === 'unknown') throw error
    if (found !== undefined) throw new NoStatusError(resourceName(primary.resource), error)
    // This is no failure: the object was deleted during the run, and its event is on its way.
    about.again(goneMs, `${about.key} of ${primary.key}`)
    throw new ApplyDelayedError(primary.key, about.key, goneMs, error)
  }
}

/** When a key runs again after its object was deleted during its run, if no event runs it before, in milliseconds. */
const goneMs = 10_000

const { formerManagers, signal, timeoutMs, onDelay } = desiredChecks
const statusChecks = {
  formerManagers,
  signal,
  timeoutMs,
  onDelay,
  times: oneOf('ignore', 'write'),
  summary: summaryCheck,
}

/** The status with the times of its conditions. */
function timed(status: object, before: readonly Condition[], now: string): object {
  const { conditions } = status as { readonly conditions?: readonly Condition[] | undefined }
  if (!Array.isArray(conditions)) return status
  const byType = new Map(before.map(one => [one.type, one]))
  const withTimes = conditions.map((condition: Condition) => {
    const known = byType.get(condition.type)
    const kept = known?.status === condition.status ? known.lastTransitionTime : undefined
    const at = condition.lastTransitionTime ?? kept ?? now
    return { ...condition, message: condition.message ?? '', lastTransitionTime: at }
  })
  return { ...status, conditions: withTimes }
}

/**
 * Reports conditions that the definition does not declare as a map: the server takes the list as one value, so each manager replaces the conditions of
 * the others.
 */
function reportAtomic(about: ApplyFor, status: object, { owned }: AppliedObject): void {
  const { conditions = [] } = status as { readonly conditions?: readonly unknown[] }
  const fields = JSON.parse(owned?.fields || '{}') as FieldsV1
  const list = below(fields, ['f:status', 'f:conditions'])
  if (conditions.length === 0 || list === undefined || !isLeaf(list)) return
  about.shared.once('atomic conditions', () => {
    const { client, key } = about
    const { controller, primary } = about.shared
    const error = new AtomicConditionsError(resourceName(primary.resource))
    client.environment.onError(error, { phase: `status ${controller}`, resource: primary.key, key })
  })
}
