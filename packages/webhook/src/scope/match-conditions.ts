import type { MatchCondition } from '@wherry/client/resources/admissionregistration'
import type { WebhookDefinition } from '../declaration/definition.ts'

/**
 * True unless an update changes only the status, or metadata other than labels. It compares all other fields, because not every kind keeps
 * its users' values in `spec`: a ConfigMap has `data`.
 */
const changed = [
  "request.operation != 'UPDATE'",
  'object.metadata.?labels != oldObject.metadata.?labels',
  "object.exists(key, !(key in ['metadata', 'status']) && (!(key in oldObject) || object[key] != oldObject[key]))",
  "oldObject.exists(key, !(key in ['metadata', 'status']) && !(key in object))",
].join(' || ')

/** The conditions under which the API server calls a webhook. */
export function matchConditions({ operations, updates, when }: WebhookDefinition): MatchCondition[] {
  const isNarrowed = updates === 'changed' && operations.includes('UPDATE')
  return [
    ...(isNarrowed ? [{ name: 'changed', expression: changed }] : []),
    ...(when === undefined ? [] : [{ name: 'when', expression: when }]),
  ]
}
