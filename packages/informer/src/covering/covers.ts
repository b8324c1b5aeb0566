import type { View } from '@wherry/client'

/**
 * Whether the objects of `wide` can answer reads of `view` (rule D13). `wide` has the same resource and shard, and all namespaces of `view`. It has the
 * same projection, or its projection is default or full, and `view` needs only metadata. It has the same selectors, or none: then each read must be able
 * to check those of `view`. Labels can be checked unless the projection is named, because its values may lack them. Of fields, only name and namespace
 * can be checked, by an object's key.
 */
export function covers(wide: View, view: View): boolean {
  const { resource: a, namespaces } = wide
  const { resource: b } = view
  return (
    a.group === b.group &&
    a.version === b.version &&
    a.plural === b.plural &&
    coversProjection(wide.projection, view.projection) &&
    `${wide.shard}` === `${view.shard}` &&
    (namespaces === undefined || view.namespaces?.every(namespace => namespaces.includes(namespace)) === true) &&
    (wide.labels.text === view.labels.text || (wide.labels.text === '' && wide.projection.kind !== 'named')) &&
    (wide.fields.text === view.fields.text || (wide.fields.text === '' && view.fields.isOfKeys))
  )
}

function coversProjection(wide: View['projection'], view: View['projection']): boolean {
  if (wide.kind === view.kind && wide.name === view.name) return isSameFunction(wide, view)
  return view.kind === 'metadata' && (wide.kind === 'default' || wide.kind === 'full')
}

/** Whether two projections of one name are the same function. */
export function isSameFunction(a: View['projection'], b: View['projection']): boolean {
  return a.project === b.project || (a.selfNamed === true && b.selfNamed === true)
}
