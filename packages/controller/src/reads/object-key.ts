import { asKey, checkSegment, InvalidNameError, type KeyOf, keyText, OptionRangeError, type View } from '@wherry/client'
import type { ReadKey } from './read.ts'

/** A key, checked and whole, and its text. */
export interface ObjectName {
  readonly name: string
  readonly namespace: string | undefined
  /** `namespace/name` */
  readonly text: string
}

/** A view, or a resource for all of it. */
interface Scoped {
  readonly resource: View['resource']
  readonly namespaces?: View['namespaces']
}

/**
 * The key of an object of `view`: where it has no namespace, that of the primary object (rule C15).
 *
 * @throws InvalidNameError for what can be no name (rule X1), OptionRangeError for a namespace that the view leaves out.
 */
export function objectName(view: Scoped, key: ReadKey, primary: string | undefined): ObjectName {
  const { name, namespace } = (asKey(key as KeyOf) ?? {}) as { readonly name?: unknown; readonly namespace?: unknown }
  const checked = checkSegment('name', name)
  const isWithout = !view.resource.namespaced && namespace === undefined
  const within = isWithout ? undefined : namespaceIn(view, namespace ?? primary)
  return { name: checked, namespace: within, text: keyText({ name: checked, namespace: within }) }
}

/**
 * A namespace that objects of `view` can have.
 *
 * @throws InvalidNameError for what can be none, or where objects of the view have none, OptionRangeError for one that it leaves out.
 */
export function namespaceIn({ resource, namespaces }: Scoped, namespace: unknown): string {
  if (!resource.namespaced) {
    throw new InvalidNameError('namespace', namespace, `is given, and ${resource.plural} have none`)
  }
  const within = checkSegment('namespace', namespace)
  if (namespaces !== undefined && !namespaces.includes(within)) {
    throw new OptionRangeError('namespace', `one of the view's (${namespaces.join(', ')})`, JSON.stringify(within))
  }
  return within
}
