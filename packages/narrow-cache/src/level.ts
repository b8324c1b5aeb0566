import { FieldSelector, type ProjectionKind, type ReadTarget, targetsOf, type View } from '@wherry/client'

/** How much of its objects an entry must ask for: the metadata, all but `managedFields`, or all. */
export type Level = 0 | 1 | 2

/** The least level that a view can be made of. */
export function levelOf({ projection: { kind } }: View): Level {
  if (kind === 'metadata') return 0
  return kind === 'default' ? 1 : 2
}

/** What an entry of the view's form asks for: the metadata, or the whole object. */
export function formOf(view: View): Level {
  return levelOf(view) === 0 ? 0 : 2
}

/** What `view` selects, at another level. Exact views stay exact, at whatever level. */
export function atLevel(view: View, level: Level): View<object> {
  const isExact = view.projection.kind === 'exact'
  const kind: ProjectionKind = isExact ? 'exact' : level === 0 ? 'metadata' : level === 1 ? 'default' : 'full'
  const { key, resource, namespaces, labels, fields, within } = view
  return { key, resource, namespaces, labels, fields, projection: { kind, name: kind }, within } as View<object>
}

/** What to read for all objects of a view in one namespace, at a level. */
export function targetAt(view: View, namespace: string | undefined, level: Level): ReadTarget {
  return targetOf(atLevel(view, level), namespace)
}

/** What to read for one of those that `target` is of. */
export function named(target: ReadTarget, { fields }: View, name: string): ReadTarget {
  const fieldSelector = fields.and(FieldSelector.of({ 'metadata.name': name })).text
  return { ...target, selection: { ...target.selection, fieldSelector } }
}

/** The metadata of all that a view selects in one namespace; `undefined`: in all, or of a cluster-scoped resource. */
export function metadataTarget(view: View, namespace: string | undefined): ReadTarget {
  return targetOf({ ...atLevel(view, 0), projection: { kind: 'metadata', name: 'metadata' } }, namespace)
}

function targetOf(view: View, namespace: string | undefined): ReadTarget {
  const { key, resource, labels, fields, projection, within } = view
  const namespaces = namespace === undefined ? undefined : [namespace]
  const [target] = targetsOf({ key, resource, labels, projection, within, namespaces, fields })
  return target as ReadTarget
}
