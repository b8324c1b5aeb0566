import type { Environment, KubernetesObject, View } from '@wherry/client'
import type { Webhooks } from '@wherry/webhook'
import type { Constraint } from './constraint.ts'
import { type KindName, textOf } from './kinds.ts'
import type { Review } from './review.ts'

/**
 * Which requests are reviewed before an object is stored. Webhooks are declared before the operator runs, and constraints come later: so the kinds are
 * chosen by the program, and what constraints say of other kinds is found by audits alone.
 */
export interface AdmissionOptions {
  readonly webhooks: Webhooks
  /** The kinds, and the versions at which policies see their objects. */
  readonly views: readonly View<KubernetesObject>[]
}

/** Policies, constraints or objects are not known yet, so a review can't decide: the `failurePolicy` of the webhook does. */
export class UndecidedError extends Error {
  override readonly name = 'UndecidedError'
  readonly code = 'UNDECIDED'

  constructor(undecided: readonly string[]) {
    super(`the review is undecided: ${undecided.join('; ')}`)
  }
}

/** Declares a webhook for each kind. A request that can't be decided passes, with a warning: `failurePolicy` is `Ignore` for kinds of others. */
export function declareAdmission(
  { webhooks, views }: AdmissionOptions,
  review: (kind: KindName, object: KubernetesObject) => Review,
): void {
  for (const view of views) {
    const { group, plural } = view.resource
    webhooks
      .webhook([plural, ...group.split('.')].filter(Boolean).join('-'))
      .for(view)
      .validate(({ object, deny, warn }) => {
        const { denied, warnings, undecided } = review(view.resource, object)
        for (const line of [...warnings, ...undecided]) warn(line)
        for (const line of denied) deny(line)
        // A denied object is refused, whatever the others would say.
        if (denied.length === 0 && undecided.length > 0) throw new UndecidedError(undecided)
      })
  }
}

/** Says in the log which kinds of a constraint no webhook reviews. Otherwise its author finds out by an object that was stored. */
export function logUnreviewed(
  { log }: Environment,
  { views }: AdmissionOptions,
  kind: string,
  { metadata, spec }: Constraint,
): void {
  if (spec.enforcementAction === 'dryrun') return
  const reviewed = new Set(views.map(({ resource }) => textOf(resource)))
  const unreviewed = spec.match.map(textOf).filter(one => !reviewed.has(one))
  if (unreviewed.length === 0) return
  const message = 'no webhook reviews these kinds of a constraint: only audits find what violates it'
  log('warn', message, { constraint: `${kind} ${metadata?.name}`, kinds: unreviewed, reviewed: [...reviewed] })
}
