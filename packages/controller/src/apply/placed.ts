import { type CheckedKey, type KubernetesObject, OptionRangeError, OptionTypeError, type View } from '@wherry/client'
import { checkedKey } from '@wherry/client/internal'
import { isWithin } from '../reads/selection-scope.ts'

/** A desired object in its namespace, with the labels of its view, and its key. */
export interface Placed {
  readonly object: KubernetesObject
  readonly key: CheckedKey
}

/**
 * Sets the namespace of a desired object that has none: that of its view if the view has one, else that of the primary object.
 *
 * @throws OptionTypeError, OptionRangeError, InvalidNameError for an object that can't be in the view.
 */
export function place(primary: View, owner: KubernetesObject, view: View, desired: KubernetesObject): Placed {
  const { metadata = {} } = desired
  const { name } = metadata
  if (typeof name !== 'string' || name === '') {
    throw new OptionTypeError(
      'apply.desired.metadata.name',
      'a name (apply does not take generateName: it finds the object again by its name)',
      `${name}`,
    )
  }
  const only = view.namespaces?.length === 1 ? view.namespaces[0] : undefined
  const home = primary.resource.namespaced ? owner.metadata?.namespace : undefined
  const key = checkedKey(view, { name, namespace: metadata.namespace ?? only }, home)
  if (!isWithin(view, key.text)) {
    throw new OptionRangeError('apply.desired.metadata', `what the view selects (${view.fields})`, key.text)
  }
  const own = Object.fromEntries(
    view.labels.requirements.flatMap(({ key, operator, values }) =>
      operator === 'in' && values.length === 1 ? [[key, values[0] as string]] : [],
    ),
  )
  const labels = { ...own, ...metadata.labels }
  if (!view.labels.matches(labels)) {
    throw new OptionRangeError(
      'apply.desired.metadata.labels',
      `labels that the view selects (${view.labels})`,
      'others',
    )
  }
  const { namespace } = key
  const place = { ...(namespace !== undefined && { namespace }), ...(Object.keys(labels).length > 0 && { labels }) }
  return { object: { ...desired, metadata: { ...metadata, ...place } }, key }
}
