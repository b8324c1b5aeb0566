import { OptionRangeError, type View } from '@wherry/client'
import { viewCheck } from '@wherry/client/internal'

/** Groups of reviews of tokens and rights. A webhook for them would be called because of its own requests. */
const reviewGroups: ReadonlySet<string> = new Set(['authentication.k8s.io', 'authorization.k8s.io'])

/** Why a webhook for a resource would be dangerous, or never be called. */
function objection(group: string, plural: string): string | undefined {
  if (group === '*' || plural === '*') return 'a webhook for all resources stops the whole cluster when it fails'
  if (group === 'coordination.k8s.io' && plural === 'leases')
    return 'a webhook for leases stops the control plane, and the heartbeats of nodes, when it fails'
  if (plural === 'events' && (group === '' || group === 'events.k8s.io'))
    return 'a webhook for events is called for all that happens in the cluster'
  if (reviewGroups.has(group)) return 'a webhook for reviews would be called by the checks of its own requests'
  if (group === 'admissionregistration.k8s.io') return 'the API server calls no webhook for these'
  return undefined
}

/** Checks that a view can be the `for` of a webhook. @throws OptionTypeError, OptionRangeError */
export function checkReviewed(option: string, value: unknown): void {
  viewCheck(option, value)
  const { resource, fields, projection, labels } = value as View
  const { group, plural } = resource
  const why = objection(group, plural)
  if (why !== undefined)
    throw new OptionRangeError(option, 'another resource', `${plural}${group && `.${group}`}: ${why}`)
  if (projection.kind !== 'default')
    throw new OptionRangeError(option, 'a resource, since a handler sees whole objects', `a ${projection.kind} view`)
  if (fields.text !== '') {
    const takes = 'a view without a field selector, since the API server has none for webhooks: use when'
    throw new OptionRangeError(option, takes, JSON.stringify(fields.text))
  }
  const compared = labels.requirements.find(({ operator }) => operator === '>' || operator === '<')
  if (compared !== undefined)
    throw new OptionRangeError(option, 'label selectors without > and <: use when', JSON.stringify(labels.text))
}
