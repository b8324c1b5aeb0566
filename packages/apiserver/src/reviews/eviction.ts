import { isObject, type Json, type JsonObject, objectAt, objectsAt, own, stringAt } from '@wherry/cel/internal'
import type { KubeObject } from '../objects/object.ts'
import { materialise } from '../objects/stored.ts'
import { timestamp } from '../objects/timestamp.ts'
import type { ResourceType } from '../resources/resource-type.ts'
import { labelsMatch, selectsAll } from '../selectors/match.ts'
import { type Status, StatusError } from '../status.ts'
import type { Version } from '../store/version.ts'
import { parseObject } from '../write/body.ts'
import type { FieldValidation } from '../write/fields.ts'
import { ownByServer } from '../write/managed.ts'
import { readDeleteOptions } from '../write/options.ts'
import { readObject } from '../write/read-object.ts'
import type { WriteRequest } from '../write/write-request.ts'
import type { DeleteOptions } from '../write/writer.ts'
import type { ActionHost } from './action-host.ts'

interface Stored {
  readonly version: Version
  readonly object: KubeObject
}

const longestDisrupted = 2000

/** Carries out `pods/eviction`: deletes the pod, if its disruption budget allows a disruption. */
export function evict(
  host: Pick<ActionHost, 'webhooks' | 'writer' | 'clock' | 'registry' | 'store'>,
  write: WriteRequest,
  validation: FieldValidation,
): { readonly code: number; readonly status: Status } {
  const { target, type, request, info } = write
  const kind: ResourceType = { ...type, kind: 'Eviction', group: 'policy', version: 'v1', apiVersion: 'policy/v1' }
  const body = readObject(parseObject(request, kind), { ...write, type: kind }, validation)
  const given = host.webhooks.mutate(body, undefined)
  if ((given.metadata.name ?? '') !== target.name) {
    throw StatusError.badRequest('name in URL does not match name in Eviction object')
  }
  const options = optionsOf(given)
  const dryRun = options.dryRun || info.query.getAll('dryRun').some(one => one !== '')
  host.webhooks.validate(given, undefined)
  const pod = host.writer.read(type, target.namespace, target.name)
  const done = {
    code: 201,
    status: { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Success', code: 201 } as Status,
  }
  const remove = (): typeof done => {
    deletePod(host, type, pod, { ...options, dryRun })
    return done
  }
  if (mayGo(pod.object)) return remove()
  const budgets = budgetsOf(host, pod.object)
  if (budgets.length > 1) {
    const why = 'This pod has more than one PodDisruptionBudget, which the eviction subresource does not support.'
    throw new StatusError(500, '', why)
  }
  const [budget] = budgets
  if (budget !== undefined && !isSpare(pod.object, budget.object)) takeFrom(host, budget, target.name, dryRun)
  return remove()
}

/** The options of the delete that an eviction carries out. */
function optionsOf(eviction: KubeObject): DeleteOptions {
  const body = Buffer.from(JSON.stringify(objectAt(eviction, 'deleteOptions') ?? {}))
  return readDeleteOptions({ body, headers: {} }, new URLSearchParams())
}

/** Whether a pod can be deleted without a disruption, because it has ended, never ran or is being deleted. */
function mayGo({ status, metadata }: KubeObject): boolean {
  const phase = isObject(status) ? stringAt(status, 'phase') : undefined
  return ['Succeeded', 'Failed', 'Pending'].includes(phase ?? '') || metadata.deletionTimestamp !== undefined
}

/** Whether a pod is not ready and not needed by its budget. */
function isSpare(pod: KubeObject, budget: KubeObject): boolean {
  const ready = objectsAt(objectAt(pod, 'status') ?? {}, 'conditions').some(
    one => own(one, 'type') === 'Ready' && own(one, 'status') === 'True',
  )
  if (ready) return false
  if (stringAt(objectAt(budget, 'spec'), 'unhealthyPodEvictionPolicy') === 'AlwaysAllow') return true
  const status = objectAt(budget, 'status') ?? {}
  const desired = numberAt(status, 'desiredHealthy')
  return desired > 0 && numberAt(status, 'currentHealthy') >= desired
}

function budgetsOf({ store, registry }: Pick<ActionHost, 'store' | 'registry'>, pod: KubeObject): Stored[] {
  const type = registry.resolve('policy', 'v1', 'poddisruptionbudgets')
  return store
    .collection(type)
    .snapshot(`${pod.metadata.namespace ?? ''}/`)
    .map(version => ({ version, object: materialise(version, type.apiVersion, type.kind) }))
    .filter(({ object }) => {
      const selector = objectAt(objectAt(object, 'spec'), 'selector')
      // An absent selector selects no pods, and an empty selector all pods.
      return selector !== undefined && (selectsAll(selector) || labelsMatch(selector, pod.metadata.labels))
    })
}

/** Takes a disruption from a budget. Throws the server's refusal if the budget allows none. */
function takeFrom(
  host: Pick<ActionHost, 'webhooks' | 'writer' | 'clock' | 'registry'>,
  { version, object }: Stored,
  pod: string,
  dryRun: boolean,
): void {
  const { name = '', generation = 0 } = object.metadata
  const status = objectAt(object, 'status') ?? {}
  if (numberAt(status, 'observedGeneration') < generation) {
    throw tooMany(10, `The disruption budget ${name} is still being processed by the server.`)
  }
  const allowed = numberAt(status, 'disruptionsAllowed')
  const disrupted = objectAt(status, 'disruptedPods') ?? {}
  if (allowed < 0) {
    throw forbidden(name, 'pdb disruptions allowed is negative', 'pdb disruptions allowed is negative')
  }
  if (Object.keys(disrupted).length > longestDisrupted) {
    const why = 'DisruptedPods map too big - too many evictions not confirmed by PDB controller'
    throw forbidden(name, why, 'too many pending evictions not confirmed by PDB controller')
  }
  if (allowed === 0) throw tooMany(0, whyNot(name, status))
  if (dryRun) return
  const now = timestamp(host.clock.now())
  const next: JsonObject = { ...status, disruptionsAllowed: allowed - 1, disruptedPods: { ...disrupted, [pod]: now } }
  if (allowed === 1) next.conditions = withInsufficient(objectsAt(status, 'conditions'), generation, now)
  const type = host.registry.resolve('policy', 'v1', 'poddisruptionbudgets')
  const written: KubeObject = { ...object, metadata: { ...object.metadata }, status: next }
  ownByServer(type, object, written, { now: host.clock.now(), subresource: 'status' })
  host.webhooks.unasked(() => {
    host.writer.update(type, { version, object }, written, 'status', { dryRun: false, viaPatch: true })
  })
}

function withInsufficient(conditions: readonly JsonObject[], observedGeneration: number, now: string): Json[] {
  const before = conditions.find(one => own(one, 'type') === 'DisruptionAllowed')
  const lastTransitionTime =
    stringAt(before, 'status') === 'False' ? (stringAt(before, 'lastTransitionTime') ?? now) : now
  const reason = 'InsufficientPods'
  const condition = {
    type: 'DisruptionAllowed',
    status: 'False',
    observedGeneration,
    lastTransitionTime,
    reason,
    message: '',
  }
  return before === undefined ? [...conditions, condition] : conditions.map(one => (one === before ? condition : one))
}

function whyNot(name: string, status: JsonObject): string {
  const condition = objectsAt(status, 'conditions').find(one => own(one, 'type') === 'DisruptionAllowed')
  const message = stringAt(condition, 'message') ?? ''
  const reason = stringAt(condition, 'reason') ?? ''
  const said = condition !== undefined && stringAt(condition, 'status') === 'False' && message !== ''
  const budget = `The disruption budget ${name}`
  if (said && reason === 'SyncFailed') {
    return `${budget} does not allow evicting pods currently because it failed sync: ${message}`
  }
  const [healthy, desired] = [numberAt(status, 'currentHealthy'), numberAt(status, 'desiredHealthy')]
  if (healthy <= desired) return `${budget} needs ${desired} healthy pods and has ${healthy} currently`
  if (said) return `${budget} does not allow evicting pods currently (${reason}): ${message}`
  return `${budget} does not allow evicting pods currently`
}

function tooMany(retryAfterSeconds: number, message: string): StatusError {
  const why = "Cannot evict pod as it would violate the pod's disruption budget."
  const causes = [{ reason: 'DisruptionBudget', message }]
  return new StatusError(429, 'TooManyRequests', why, {
    details: retryAfterSeconds === 0 ? { causes } : { causes, retryAfterSeconds },
    headers: retryAfterSeconds === 0 ? {} : { 'retry-after': String(retryAfterSeconds) },
  })
}

function forbidden(name: string, why: string, cause: string): StatusError {
  const refusal = StatusError.forbidden(
    { group: 'policy', plural: 'poddisruptionbudget', kind: 'PodDisruptionBudget' },
    name,
    why,
  )
  const message = `The disruption budget ${name} does not allow evicting pods currently: ${cause}`
  const causes = [{ reason: 'DisruptionBudget', message }]
  return new StatusError(403, 'Forbidden', refusal.message, { details: { ...refusal.details, causes } })
}

/** Writes the reason for the deletion into a pod, and deletes it. */
function deletePod(
  host: Pick<ActionHost, 'webhooks' | 'writer' | 'clock'>,
  type: ResourceType,
  pod: Stored,
  options: DeleteOptions,
): void {
  const { metadata } = pod.object
  const qualified = { group: '', plural: 'Pod', kind: 'Pod' }
  if (options.uid !== undefined && options.uid !== '' && options.uid !== metadata.uid) {
    const why = `the UID in the precondition (${options.uid}) does not match the UID in record (${metadata.uid}). The object might have been deleted and then recreated`
    throw StatusError.conflict(qualified, metadata.name ?? '', why)
  }
  const asked = options.resourceVersion
  if (asked !== undefined && asked !== '' && asked !== metadata.resourceVersion) {
    const why = `the ResourceVersion in the precondition (${asked}) does not match the ResourceVersion in record (${metadata.resourceVersion}). The object might have been modified`
    throw StatusError.conflict(qualified, metadata.name ?? '', why)
  }
  // The webhooks were called for the eviction. They are not called for its delete.
  host.webhooks.unasked(() => {
    if (!options.dryRun) {
      const status = objectAt(pod.object, 'status') ?? {}
      const condition = {
        type: 'DisruptionTarget',
        status: 'True',
        lastTransitionTime: timestamp(host.clock.now()),
        reason: 'EvictionByEvictionAPI',
        message: 'Eviction API: evicting',
      }
      const others = objectsAt(status, 'conditions').filter(one => own(one, 'type') !== 'DisruptionTarget')
      const next: KubeObject = { ...pod.object, status: { ...status, conditions: [...others, condition] } }
      host.writer.update(type, pod, next, 'status', { dryRun: false, viaPatch: true })
    }
    const current = host.writer.read(type, metadata.namespace ?? '', metadata.name ?? '')
    host.writer.delete(type, current, { ...options, uid: undefined, resourceVersion: undefined })
  })
}

function numberAt(object: JsonObject, key: string): number {
  const value = own(object, key)
  return typeof value === 'number' ? value : 0
}
