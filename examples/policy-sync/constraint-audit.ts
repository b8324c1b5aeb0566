import { isDeepStrictEqual } from 'node:util'
import { isNotFound, type KubernetesObject, type Resource, type View } from '@wherry/client'
import { type NewCondition, type ReconcileContext, setCondition } from '@wherry/controller'
import type { Audit } from './audit.ts'
import type { Changes } from './changes.ts'
import type { CompiledPolicies } from './compiled-policies.ts'
import { configName, theConfig } from './config.ts'
import type { PolicyStore } from './config-controller.ts'
import type { Constraint, ConstraintStatus, Violation } from './constraint.ts'
import { type KindName, type Kinds, textOf } from './kinds.ts'
import { Match, SelectorError } from './match.ts'
import { type Policy, PolicyError } from './policies.ts'
import type { ObjectStore } from './store.ts'
import { type ConstraintTemplate, constraintKind } from './template.ts'

type Context = ReconcileContext<ConstraintTemplate, 'cluster'>

/** What the controller of templates works with. */
export interface TemplateParts {
  readonly kinds: Kinds
  readonly compiled: CompiledPolicies
  /** The policy store. */
  readonly synced: PolicyStore
  readonly constraints: ObjectStore<Constraint>
  readonly audit: Audit
  readonly changes: Changes
}

/** What came of the audits of a template's constraints. */
export interface AuditResult {
  /** Why the policy can't be used. */
  readonly failure?: PolicyError | undefined
  /** Something is waited for that no event reports. */
  readonly isWaiting: boolean
}

/** What a constraint matches, and for which kinds it waits. */
interface Matched {
  readonly constraint: Constraint
  readonly match: Match | SelectorError
  readonly views: readonly View<KubernetesObject>[]
  readonly absent: readonly KindName[]
}

/** Audits all constraints of a template, and writes what was found in their status. */
export async function auditConstraints(
  context: Context,
  parts: TemplateParts,
  resource: Resource<Constraint, 'cluster'>,
  policy: Policy | PolicyError,
): Promise<AuditResult> {
  const { object: template, key, read, signal } = context
  const { audit, changes, constraints, kinds, synced } = parts
  const kind = constraintKind(template)
  kinds.dropLost()
  const matched = await Promise.all(
    constraints.objects(kind).map(async (constraint): Promise<Matched> => {
      const found = await Promise.all(
        constraint.spec.match.map(async name => ({ name, view: await kinds.find(name, signal) })),
      )
      const absent = found.flatMap(({ name, view }) => (view === undefined ? [name] : []))
      return { constraint, match: matchOf(constraint), views: found.flatMap(({ view }) => view ?? []), absent }
    }),
  )
  const views = [...new Map(matched.flatMap(one => one.views).map(view => [view.key, view])).values()]
  const looksUp = policy instanceof PolicyError ? [] : policy.looksUp
  const names = matched.flatMap(({ constraint }) => constraint.spec.match).concat(looksUp)
  changes.reads(key.name, [kind, ...names.map(textOf)])
  await audit.watch(key.name, views)

  const config = looksUp.length > 0 ? await read.get(theConfig, { name: configName }) : undefined
  const unsynced = looksUp.filter(one => !(config?.spec.sync ?? []).some(other => textOf(other) === textOf(one)))
  let failure = policy instanceof PolicyError ? policy : undefined
  let isWaiting = false

  /** Why a constraint can't be audited. `reading`: its objects are still being read. */
  const obstacle = ({ match, views, absent }: Matched): NewCondition | 'reading' | undefined => {
    kinds.dropLost()
    if (failure !== undefined) return notAudited('PolicyFailed', failure.message)
    if (match instanceof SelectorError) return notAudited('InvalidSelector', match.message)
    if (absent.length > 0) return notAudited('NotInstalled', `not installed: ${absent.map(textOf).join(', ')}`)
    if (unsynced.length > 0) {
      const names = unsynced.map(textOf).join(', ')
      return notAudited('NotSynced', `the policy looks up what the Config does not name: ${names}`)
    }
    const unreadable = looksUp.flatMap(one => {
      const why = synced.whyNot(textOf(one))
      return why === undefined ? [] : `${textOf(one)}: ${why}`
    })
    if (unreadable.length > 0) return notAudited('NotSynced', `the policy looks up ${unreadable.join('; ')}`)
    const lost = views.filter(view => !audit.wants(view))
    if (lost.length > 0) return notAudited('NotWatched', `no longer served: ${lost.map(servedName).join(', ')}`)
    const unread = audit.unread(views)
    const refused = unread.flatMap(view => audit.whyPending(view)?.message ?? [])
    if (refused.length > 0) return notAudited('NotWatched', refused.join('; '))
    const isReading = looksUp.some(one => !synced.isReady(textOf(one)))
    return unread.length > 0 || isReading ? 'reading' : undefined
  }

  /** Whether a constraint can't be audited; its status says why. */
  const isObstructed = async (one: Matched): Promise<boolean> => {
    const why = obstacle(one)
    if (why === undefined) return false
    // This runs again when all objects are there. Until then the status stays as it was.
    if (why === 'reading') return true
    if (failure === undefined && !(one.match instanceof SelectorError)) isWaiting = true
    await write(context, resource, one.constraint, withoutKinds(one.constraint, one.absent), why)
    return true
  }

  const auditOne = async (one: Matched): Promise<void> => {
    const { constraint, match, views } = one
    if ((await isObstructed(one)) || policy instanceof PolicyError || match instanceof SelectorError) return
    const kindsOf = new Set(views.map(view => textOf(view.resource)))
    const found = await audit.find(policy, constraint.spec.parameters ?? {}, match, kindsOf, signal)
    // A kind may have left while its objects were decided on.
    if (await isObstructed(one)) return
    await write(context, resource, constraint, found, { type: 'Audited', status: 'True', reason: 'Audited' })
  }

  return audit.run(async () => {
    for (const one of matched) {
      try {
        await auditOne(one)
      } catch (error) {
        if (!(error instanceof PolicyError)) throw error
        failure = error
        await auditOne(one)
      }
    }
    return { failure, isWaiting }
  })
}

/**
 * What was found before, without the objects of kinds that are not installed any more: they are gone. If not all violations have been named, nobody
 * knows how many are left, unless no kind is.
 */
export function withoutKinds(
  { spec, status }: Pick<Constraint, 'spec' | 'status'>,
  absent: readonly KindName[],
): ConstraintStatus | undefined {
  const { totalViolations = 0, violations = [] } = status ?? {}
  const gone = new Set(absent.map(textOf))
  if (gone.size > 0 && totalViolations > 0) {
    if (spec.match.every(name => gone.has(textOf(name)))) return { ...status, totalViolations: 0, violations: [] }
    if (totalViolations > violations.length) {
      const { totalViolations: _, ...rest } = status ?? {}
      return { ...rest, violations: violations.filter(({ kind }) => !gone.has(kind)) }
    }
  }
  const left = violations.filter(({ kind }) => !gone.has(kind))
  if (left.length === violations.length) return status
  return { ...status, totalViolations: totalViolations - (violations.length - left.length), violations: left }
}

/** `widgets.example.com/v1` */
function servedName({ resource: { group, version, plural } }: View): string {
  return `${group === '' ? plural : `${plural}.${group}`}/${version}`
}

function matchOf({ spec }: Constraint): Match | SelectorError {
  try {
    return new Match(spec)
  } catch (error) {
    if (error instanceof SelectorError) return error
    throw error
  }
}

function notAudited(reason: string, message: string): NewCondition {
  return { type: 'Audited', status: 'False', reason, message }
}

/** Sends nothing if the status is so already. Sends an event for each violation that was not there before, except on a dry run. */
async function write(
  { client, events, now, signal }: Context,
  resource: Resource<Constraint, 'cluster'>,
  constraint: Constraint,
  status: ConstraintStatus | undefined,
  condition: NewCondition,
): Promise<void> {
  const { metadata: { name = '', generation } = {}, status: before = {} } = constraint
  const observed = generation === undefined ? condition : { ...condition, observedGeneration: generation }
  const next = { ...status, conditions: setCondition(before.conditions, observed, now().getTime()) }
  if (isDeepStrictEqual(before, next)) return
  try {
    const patch = next.totalViolations === undefined ? { ...next, totalViolations: null } : next
    await client.status.patch(resource, { name }, { status: patch } as never, { signal })
  } catch (error) {
    if (isNotFound(error)) return // it has gone meanwhile, or its kind has
    throw error
  }
  if (constraint.spec.enforcementAction === 'dryrun') return
  const known = new Set((before.violations ?? []).map(lineOf))
  for (const violation of status?.violations ?? []) {
    const message = lineOf(violation)
    if (!known.has(message)) events.about(resource, constraint, { type: 'Warning', reason: 'Violated', message })
  }
}

function lineOf({ kind, namespace, name, message }: Violation): string {
  return `${kind} ${namespace === '' ? '' : `${namespace}/`}${name}: ${message}`
}
