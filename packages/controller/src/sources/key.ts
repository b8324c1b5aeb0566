import type { KeyOf, ResourceType, Scope } from '@wherry/client'
import { checkedKey } from '@wherry/client/internal'

/** Keys of objects: one, several, or none. */
export type Keys<S extends Scope = Scope> = KeyOf<S> | Iterable<KeyOf<S>> | undefined

/** The texts of keys. @throws OptionTypeError, InvalidNameError for a value that is no key of the resource */
export function keyTexts(option: string, resource: ResourceType, keys: unknown): string[] {
  if (keys === undefined) return []
  const isList = typeof keys === 'object' && keys !== null && Symbol.iterator in keys
  return Array.from(
    isList ? (keys as Iterable<unknown>) : [keys],
    key => checkedKey({ resource }, key, undefined, option).text,
  )
}
