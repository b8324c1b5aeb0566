import type { Operation } from '../../handler/request.ts'
import type { Game } from '../games.ts'
import { changes, statusChanges } from './change.ts'
import type { Plan } from './plan.ts'

/** A request that an API server gets. */
export interface Attempt {
  readonly operation: Operation
  readonly target: 'object' | 'status'
  readonly namespace: string
  readonly object: Game | undefined
  readonly old: Game | undefined
}

/** What has to come of a request. */
export interface Expected {
  /** The calls of mutating handlers, in order. */
  readonly mutating: readonly string[]
  /** The calls of validating handlers, sorted: they are called at the same time. */
  readonly validating: readonly string[]
  /** What a refusal may say; empty if the request is not refused. */
  readonly refusals: readonly string[]
  /** The object as it is stored if the request is not refused. */
  readonly object: Game | undefined
}

/** A call as handlers write it down. */
export function callOf(name: string, operation: string, object: Game | undefined, old: Game | undefined): string {
  return `${name} ${operation} ${old?.spec?.players} ${object?.spec?.players} ${object?.spec?.tags}`
}

/** Whether a picky handler acts. */
export function isActing({ isPicky }: Plan, object: Game | undefined, old: Game | undefined): boolean {
  return !isPicky || ((object ?? old)?.spec?.players ?? 0) % 2 === 1
}

/** Says what API servers promise of admission, and this package of its webhooks. */
export function expectedOf(plans: readonly Plan[], attempt: Attempt): Expected {
  const byName = plans.toSorted((one, other) => (one.name < other.name ? -1 : 1))
  const mutating: string[] = []
  const { operation, old } = attempt
  let object = structuredClone(attempt.object)
  const previously = new Set<Plan>()
  const again = new Set<Plan>()
  for (const isSecond of [false, true]) {
    for (const one of byName) {
      if (one.type !== 'mutating' || !isReviewed(one, { ...attempt, object })) continue
      if (isSecond && !again.has(one)) continue
      mutating.push(callOf(one.name, operation, object, old))
      const outcome = outcomeOf(one, object, old)
      if (outcome.refusal !== undefined)
        return { mutating, validating: [], refusals: [outcome.refusal], object: undefined }
      if (JSON.stringify(sorted(outcome.object)) !== JSON.stringify(sorted(object))) {
        for (const earlier of previously) again.add(earlier)
        previously.clear()
      }
      object = outcome.object
      if (one.reinvocation === 'IfNeeded') previously.add(one)
    }
    if (again.size === 0) break
  }
  const asked = byName.filter(one => one.type === 'validating' && isReviewed(one, { ...attempt, object }))
  const refusals = asked.flatMap(one => outcomeOf(one, object, old).refusal ?? [])
  const validating = asked.map(one => callOf(one.name, operation, object, old)).sort()
  return { mutating, validating, refusals, object }
}

function isReviewed(plan: Plan, { operation, target, namespace, object, old }: Attempt): boolean {
  const { namespaces, tier, updates, above } = plan
  if (plan.target !== target || !plan.operations.includes(operation)) return false
  if (namespaces === undefined ? ['kube-system', 'arcade-system'].includes(namespace) : !namespaces.includes(namespace))
    return false
  const hasLabels = (one: Game | undefined): boolean =>
    one !== undefined && (one.metadata?.labels?.tier === 'paid') === (tier === 'paid')
  if (tier !== undefined && !hasLabels(object) && !hasLabels(old)) return false
  if (operation === 'UPDATE' && updates === 'changed') {
    const reviewed = (one: Game | undefined): string => JSON.stringify(sorted([one?.metadata?.labels, one?.spec]))
    if (reviewed(object) === reviewed(old)) return false
  }
  return above === undefined || operation === 'DELETE' || (object?.spec?.players ?? 0) > above
}

function outcomeOf(
  plan: Plan,
  object: Game | undefined,
  old: Game | undefined,
): { readonly object: Game | undefined; readonly refusal?: string } {
  const { name, act, policy = 'Fail', target } = plan
  const says = (text: string): string =>
    `admission webhook "${name}.arcade.webhooks.wherry.dev" denied the request: ${text}`
  if (!isActing(plan, object, old) || act.kind === 'nothing') return { object }
  if (act.kind === 'deny' || act.kind === 'denyAndThrow')
    return { object, refusal: says(`spec.players: ${name} says no; again`) }
  if (act.kind === 'change') {
    const changed = structuredClone(object) as Game
    const change = (target === 'status' ? statusChanges : changes)[act.change]
    change?.(changed, name)
    return { object: changed }
  }
  return policy === 'Fail' ? { object, refusal: says(`the webhook ${name} failed: `) } : { object }
}

/** With the keys of objects in order, so that JSON of equal values is equal. */
function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted)
  if (typeof value !== 'object' || value === null) return value
  const fields = Object.entries(value).filter(([, field]) => field !== undefined)
  return Object.fromEntries(
    fields.map(([key, field]) => [key, sorted(field)] as const).sort(([a], [b]) => (a < b ? -1 : 1)),
  )
}
