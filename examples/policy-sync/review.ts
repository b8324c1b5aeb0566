import type { KubernetesObject } from '@wherry/client'
import type { CompiledPolicies } from './compiled-policies.ts'
import type { PolicyStore } from './config-controller.ts'
import type { Constraint } from './constraint.ts'
import { type KindName, textOf } from './kinds.ts'
import { Match, SelectorError } from './match.ts'
import { type Policy, PolicyError } from './policies.ts'
import type { ObjectStore } from './store.ts'
import { type ConstraintTemplate, constraintKind, templates as templateKinds } from './template.ts'

const { resource: templateKind } = templateKinds

/** What the constraints say of an object that somebody wants to write. Each line begins with the constraint. */
export interface Review {
  /** Violations of constraints with the `enforcementAction` `deny`. The object may be written if there are none. */
  readonly denied: readonly string[]
  /** Violations of those with the `enforcementAction` `warn`. */
  readonly warnings: readonly string[]
  /** What can't decide now, and why. The caller chooses whether that refuses the object. */
  readonly undecided: readonly string[]
}

export interface ReviewParts {
  readonly compiled: CompiledPolicies
  readonly constraints: ObjectStore<Constraint>
  /** All templates that there are. */
  readonly templates: ObjectStore<ConstraintTemplate>
  readonly synced: PolicyStore
}

/**
 * Decides on one object by the policies, constraints and synced objects that audits use: what an admission webhook answers with. Sends no
 * request. It is undecided until all templates are known and the operator has run for each.
 */
export function review(
  { compiled, constraints, synced, templates }: ReviewParts,
  name: KindName,
  object: KubernetesObject,
): Review {
  const kind = textOf(name)
  const denied: string[] = []
  const warnings: string[] = []
  const undecided: string[] = []
  const templatesKind = textOf(templateKind)
  if (!templates.isReady(templatesKind)) undecided.push('the templates are being read')
  for (const template of templates.objects(templatesKind))
    if (!compiled.knows(template)) undecided.push(`${constraintKind(template)}: its template is being compiled`)
  for (const { template, policy } of compiled.all) {
    const constraintsKind = constraintKind(template)
    if (!constraints.isReady(constraintsKind)) undecided.push(`${constraintsKind}: its constraints are being read`)
    for (const { metadata, spec } of constraints.objects(constraintsKind)) {
      const { enforcementAction: action = 'deny', parameters = {} } = spec
      if (action === 'dryrun') continue
      const line = (text: string): string => `${constraintsKind} ${metadata?.name}: ${text}`
      try {
        if (!new Match(spec).matches(kind, object)) continue
        if (policy instanceof PolicyError) throw policy
        const message = decide(policy, synced, object, parameters)
        if (message !== undefined) (action === 'warn' ? warnings : denied).push(line(message))
      } catch (error) {
        if (!(error instanceof PolicyError || error instanceof SelectorError || error instanceof NotSyncedError))
          throw error
        undecided.push(line(error.message))
      }
    }
  }
  return { denied, warnings, undecided }
}

/** A policy looks up objects that are not all there. */
class NotSyncedError extends Error {
  override readonly name = 'NotSyncedError'
}

function decide(
  policy: Policy,
  synced: PolicyStore,
  object: KubernetesObject,
  parameters: unknown,
): string | undefined {
  const missing = policy.looksUp.map(textOf).filter(kind => !synced.isReady(kind))
  if (missing.length > 0) throw new NotSyncedError(`the policy looks up what is not synced: ${missing.join(', ')}`)
  return policy.decide([object], parameters)[0]
}
