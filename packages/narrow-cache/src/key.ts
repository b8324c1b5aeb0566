import { asKey, checkSegment, InvalidNameError, type KeyOf, keyText, type View } from '@wherry/client'
import { checkWithin, keyCheck } from '@wherry/client/checks'

/** A key, checked, and its text. */
export interface CheckedKey {
  readonly name: string
  readonly namespace: string | undefined
  readonly text: string
}

/**
 * Checks that `key` can name an object of the view's resource (rule X1), in one of its namespaces.
 *
 * @throws InvalidNameError, OptionRangeError
 */
export function checkedKey(view: View, key: KeyOf): CheckedKey {
  const { resource } = view
  keyCheck('key', key)
  const { name, namespace } = asKey(key) as { readonly name?: unknown; readonly namespace?: unknown }
  const checkedName = checkSegment('name', name)
  if (!resource.namespaced) {
    if (namespace === undefined) return { name: checkedName, namespace: undefined, text: checkedName }
    throw new InvalidNameError('namespace', namespace, `is given, and ${resource.plural} have none`)
  }
  const checkedNamespace = checkSegment('namespace', namespace)
  checkWithin(view, checkedNamespace)
  const text = keyText({ name: checkedName, namespace: checkedNamespace })
  return { name: checkedName, namespace: checkedNamespace, text }
}

/** The text of a key that was not checked: where it is wrong, there is no entry of it. */
export function quickText({ resource }: View, of: KeyOf): string {
  const key = asKey(of)
  const namespace = key?.namespace
  if ((namespace !== undefined) !== resource.namespaced) return ''
  return namespace === undefined ? key?.name : `${namespace}/${key.name}`
}
