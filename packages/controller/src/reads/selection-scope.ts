import type { KubernetesObject, LabelSelector, View } from '@wherry/client'
import { controllerOf } from '../objects/owner.ts'
import { type IndexValue, type SourceIndex, valuesOf } from './object-index.ts'

/**
 * The values of an object in the owner index: the uid of its controlling owner. Empty if there is none, or a projection leaves the owners out.
 */
export function ownerUids(object: unknown): readonly string[] {
  const owner = object == null ? undefined : controllerOf(object as KubernetesObject)
  return owner === undefined ? [] : [owner.uid]
}

/** Finds the objects of an informer by the uid of the object that controls each. */
export const ownerIndex: SourceIndex = { name: 'wherry.ownerUid', of: ownerUids }

/** The objects that a selection contains. */
export interface SelectionScope {
  readonly view: View
  /** `undefined`: all of the view's. */
  readonly namespace: string | undefined
  /** The labels that the read asks for, in addition to the view's. */
  readonly labels: LabelSelector
  /** The labels to check in each object: those of the selection, and those of the view unless its informer selects them. */
  readonly filter: LabelSelector
  /** The value of an index that the objects have. @default any */
  readonly indexed?: IndexValue | undefined
}

/** Whether a selection contains an object. Returns true if that can't be known. */
export function selects({ view, namespace, filter, indexed }: SelectionScope, key: string, object: unknown): boolean {
  if (namespace !== undefined && !key.startsWith(`${namespace}/`)) return false
  if (!isWithin(view, key)) return false
  if (indexed !== undefined && object !== undefined && !valuesOf(indexed.index, object).includes(indexed.value))
    return false
  if (filter.text === '') return true
  const { labels } = (object as KubernetesObject | undefined)?.metadata ?? {}
  // A projection may leave labels out.
  return (labels === undefined && view.projection.kind === 'named') || filter.matches(labels)
}

/** Whether a view's namespaces, and its field selectors of the key, allow an object of that key. */
export function isWithin({ namespaces, fields }: View, key: string): boolean {
  const slash = key.indexOf('/')
  const namespace = key.slice(0, Math.max(slash, 0))
  if (namespaces !== undefined && !namespaces.includes(namespace)) return false
  return fields.allows({ namespace, name: key.slice(slash + 1) })
}
