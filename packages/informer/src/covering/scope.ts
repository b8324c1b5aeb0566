import type { View } from '@wherry/client'
import { type ReadTarget, targetsOf } from '@wherry/client/internal'

/**
 * The form in which objects are read: only their metadata, without `managedFields`, whole, or whole with exact integers. Each form
 * but `exact` also serves views of the forms before it.
 */
export type ReadForm = 'metadata' | 'lean' | 'whole' | 'exact'

const byWidth: readonly ReadForm[] = ['metadata', 'lean', 'whole', 'exact']

/** The smallest form that can serve a view. A caller's own projection may need the whole object. */
export function formOf({ projection: { kind } }: View): ReadForm {
  if (kind === 'metadata' || kind === 'exact') return kind
  return kind === 'default' ? 'lean' : 'whole'
}

/** The smallest form that serves all of some views of one scope. */
export function formFor(views: readonly View[]): ReadForm {
  return views.map(formOf).reduce((a, b) => (byWidth.indexOf(a) < byWidth.indexOf(b) ? b : a), 'metadata')
}

/** Views of the same key can share a watch: of the same resource, namespaces, shard and selectors. Exact views have a watch of their own. */
export function scopeKey(view: View): string {
  const { group, version, plural } = view.resource
  const exact = formOf(view) === 'exact'
  const { namespaces = null, shard, labels, fields } = view
  return JSON.stringify([group, version, plural, namespaces, `${shard ?? ''}`, labels.text, fields.text, exact])
}

const kinds = { metadata: 'metadata', lean: 'default', whole: 'full', exact: 'exact' } as const

/** The read targets for the scope of a view in a form: one for each namespace, or one for all. */
export function targetsFor(scope: View, form: ReadForm): ReadTarget[] {
  const { key, resource, namespaces, shard, labels, fields } = scope
  const kind = kinds[form]
  const projection = { kind, name: kind }
  return targetsOf({ key, resource, namespaces, shard, labels, fields, projection, within: scope.within })
}
