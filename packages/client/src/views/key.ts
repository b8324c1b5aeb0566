import { having } from '../errors/check.ts'
import { InvalidNameError } from '../errors/invalid-name.ts'
import { OptionRangeError } from '../errors/option.ts'
import { asKey, type KeyOf, type ObjectKey, type Scope } from './object.ts'
import { keyText } from './path.ts'
import type { ResourceType, View } from './resource.ts'
import { checkSegment } from './segment.ts'

/** A key that was checked, and its text. */
export interface CheckedKey {
  readonly name: string
  /** `undefined` for an object of a cluster-scoped resource. */
  readonly namespace: string | undefined
  /** `namespace/name`, or `name` for a cluster-scoped resource. */
  readonly text: string
}

/** A view, or a resource for all of its objects. */
export interface KeyScope {
  readonly resource: Pick<ResourceType, 'namespaced' | 'plural'>
  readonly namespaces?: View['namespaces']
}

/**
 * Checks that a key can name an object of a view (rule X1), in one of the view's namespaces.
 *
 * @param home the default namespace
 * @param option the name of the key in errors
 * @throws OptionTypeError for a value that is no key, InvalidNameError for a text that can't be a name or namespace, OptionRangeError for a namespace
 * outside the view
 */
export function checkedKey(scope: KeyScope, key: unknown, home?: string | undefined, option = 'key'): CheckedKey {
  having(scope.resource.namespaced ? '{ name, namespace }' : '{ name }')(option, key)
  const given = asKey(key as KeyOf) as { readonly name?: unknown; readonly namespace?: unknown }
  const name = checkSegment('name', given.name, scope.resource.plural)
  const isWithout = !scope.resource.namespaced && given.namespace === undefined
  const namespace = isWithout ? undefined : checkedNamespace(scope, given.namespace ?? home ?? given.namespace)
  return { name, namespace, text: keyText({ namespace, name }) }
}

/**
 * Checks that objects of a view can have a namespace.
 *
 * @throws InvalidNameError for a text that can't be a namespace, or if the objects have none; OptionRangeError for a namespace outside the view
 */
export function checkedNamespace({ resource, namespaces }: KeyScope, namespace: unknown): string {
  if (!resource.namespaced) {
    throw new InvalidNameError('namespace', namespace, `is given, and ${resource.plural} have none`)
  }
  const checked = checkSegment('namespace', namespace, resource.plural)
  if (namespaces === undefined || namespaces.includes(checked)) return checked
  throw new OptionRangeError('namespace', `one of the view's (${namespaces.join(', ')})`, JSON.stringify(checked))
}

/** The key of a text, which is not checked. */
export function parsedKey<S extends Scope>(
  { namespaced }: Pick<ResourceType<S>, 'namespaced'>,
  text: string,
): ObjectKey<S> {
  const slash = namespaced ? text.indexOf('/') : -1
  const key = slash === -1 ? { name: text } : { namespace: text.slice(0, slash), name: text.slice(slash + 1) }
  return key as ObjectKey<S>
}
