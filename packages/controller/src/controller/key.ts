import {
  asKey,
  checkSegment,
  type KeyOf,
  keyText,
  type ObjectKey,
  OptionRangeError,
  OptionTypeError,
  type ResourceType,
  type Scope,
} from '@wherry/client'

/** Which objects are meant: one, several, or none. */
export type Keys<S extends Scope = Scope> = KeyOf<S> | Iterable<KeyOf<S>> | undefined

/** A key's text as the queue has it. @throws OptionTypeError, OptionRangeError, InvalidNameError for what is no key of the resource. */
export function checkedKeyText(option: string, resource: ResourceType, key: unknown): string {
  const takes = resource.namespaced ? '{ namespace, name }' : '{ name }'
  if (key === null || typeof key !== 'object')
    throw new OptionTypeError(option, takes, key === null ? 'null' : typeof key)
  const { name, namespace } = asKey(key as KeyOf) as { readonly name?: unknown; readonly namespace?: unknown }
  if (typeof name !== 'string') throw new OptionTypeError(`${option}.name`, 'a name', typeof name)
  checkSegment('name', name)
  if (!resource.namespaced) {
    if (namespace !== undefined) {
      throw new OptionRangeError(
        `${option}.namespace`,
        `nothing for ${resource.plural}, which have no namespace`,
        `${namespace}`,
      )
    }
    return name
  }
  if (typeof namespace !== 'string') throw new OptionTypeError(`${option}.namespace`, 'a namespace', typeof namespace)
  checkSegment('namespace', namespace)
  return keyText({ namespace, name })
}

/** The texts of all keys that are meant. Throws as {@link checkedKeyText}. */
export function keyTexts(option: string, resource: ResourceType, keys: unknown): string[] {
  if (keys === undefined) return []
  if (typeof keys === 'object' && keys !== null && Symbol.iterator in keys) {
    return Array.from(keys as Iterable<unknown>, key => checkedKeyText(option, resource, key))
  }
  return [checkedKeyText(option, resource, keys)]
}

/** The key that a text names. */
export function parsedKey<S extends Scope>(resource: ResourceType<S>, text: string): ObjectKey<S> {
  const slash = resource.namespaced ? text.indexOf('/') : -1
  const key = slash === -1 ? { name: text } : { namespace: text.slice(0, slash), name: text.slice(slash + 1) }
  return key as ObjectKey<S>
}
