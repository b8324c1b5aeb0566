import { type KeyOf, type ObjectKey, OptionTypeError, type ResourceType, type Scope } from '@wherry/client'
import { objectName } from '../reads/object-key.ts'
import type { ReadKey } from '../reads/read.ts'

/** Which objects are meant: one, several, or none. */
export type Keys<S extends Scope = Scope> = KeyOf<S> | Iterable<KeyOf<S>> | undefined

/** A key's text as the queue has it. @throws OptionTypeError, InvalidNameError for what is no key of the resource. */
export function checkedKeyText(option: string, resource: ResourceType, key: unknown): string {
  const takes = resource.namespaced ? '{ namespace, name }' : '{ name }'
  if (key === null || typeof key !== 'object')
    throw new OptionTypeError(option, takes, key === null ? 'null' : typeof key)
  return objectName({ resource }, key as ReadKey, undefined).text
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
