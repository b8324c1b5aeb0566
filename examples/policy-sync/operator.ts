import type { KubernetesObject } from '@wherry/client'
import type { Operator, OperatorSettings } from '@wherry/controller'
import { WatchManager } from '@wherry/watch-manager'
import { type AdmissionOptions, declareAdmission, logUnreviewed } from './admission.ts'
import { Audit } from './audit.ts'
import { Changes } from './changes.ts'
import { CompiledPolicies } from './compiled-policies.ts'
import { declareConfig, PolicyStore, retryMs } from './config-controller.ts'
import type { Constraint } from './constraint.ts'
import { type KindName, Kinds } from './kinds.ts'
import { type OwnPolicy, Policies } from './policies.ts'
import { type Review, review } from './review.ts'
import { ObjectStore } from './store.ts'
import { type ConstraintTemplate, templates } from './template.ts'
import { declareTemplates } from './template-controller.ts'

/** How the operator must cache: a kind that is not installed yet is waited for. */
export const cache: NonNullable<OperatorSettings['cache']> = { whenUnknown: 'wait' }

export interface PolicySyncOptions {
  /** How long after a change of an object the audits begin that read it, in milliseconds. @default 1_000 */
  readonly auditDelayMs?: number | undefined
  /** Policies in TypeScript, by the names that templates use. @default none */
  readonly policies?: Readonly<Record<string, OwnPolicy>> | undefined
  /** Webhooks that review requests by the policies. @default none: there are audits only */
  readonly admission?: AdmissionOptions | undefined
}

/** What the operator has in memory. */
export interface PolicySync {
  /** What policies may look up. */
  readonly synced: ObjectStore<KubernetesObject>
  readonly constraints: ObjectStore<Constraint>
  /** What constraints match. */
  readonly audited: ObjectStore<KubernetesObject>
  /** Decides on one object, as the webhooks do. */
  review(kind: KindName, object: KubernetesObject): Review
}

/** Four registrars of the operator's watch manager, `sync`, `constraints`, `audit` and `templates`, and the controllers that say what they watch. */
export function declarePolicySync(operator: Operator, options: PolicySyncOptions = {}): PolicySync {
  const { auditDelayMs = 1000, policies = {}, admission } = options
  const { client } = operator
  const manager = operator.manager(WatchManager)
  const kinds = new Kinds(client)
  const changes = new Changes(client.environment.clock, {
    delayMs: auditDelayMs,
    everyMs: retryMs,
    look: () => kinds.dropLost(),
  })
  const changed = (kind: string): void => changes.changed(kind)
  const synced = new PolicyStore(changed)
  const constraints: ObjectStore<Constraint> = new ObjectStore((kind, before, after) => {
    // A status that was written here is no reason for another audit.
    const isSame = after !== undefined && before?.metadata?.generation === after.metadata?.generation
    if (isSame) return
    if (admission !== undefined && after !== undefined) logUnreviewed(client.environment, admission, kind, after)
    if (constraints.isReady(kind)) changes.ready(kind)
    else changed(kind)
  })
  const audit = new Audit(manager, kinds, changed)
  declareConfig(operator, kinds, synced)
  const compiled = new CompiledPolicies(new Policies(synced, policies))
  const all = new ObjectStore<ConstraintTemplate>(() => {})
  const registrar = manager.registrar<ConstraintTemplate>('templates', all)
  // If the operator is closed before that, nobody asks for a review.
  registrar.add(templates).catch((error: Error) => client.environment.onError(error, { phase: 'registrar' }))
  declareTemplates(operator, { kinds, compiled, synced, constraints, audit, changes })
  const decide: PolicySync['review'] = (kind, object) =>
    review({ compiled, constraints, synced, templates: all }, kind, object)
  if (admission !== undefined) declareAdmission(admission, decide)
  return { synced, constraints, audited: audit.objects, review: decide }
}
