import { InvalidNameError, type KeyOf, type ResourceType } from '@wherry/client'
import { checkedKey, parsedKey } from '@wherry/client/internal'

interface Identified {
  readonly metadata: {
    readonly name: string
    readonly namespace?: string | undefined
    readonly uid?: string | undefined
    readonly resourceVersion?: string | undefined
  }
}

/** The identity of a decoded object. */
export interface Identity {
  readonly key: string
  readonly uid: string | undefined
  readonly resourceVersion: string | undefined
}

export function identityOf(object: object): Identity {
  const { name, namespace, uid, resourceVersion } = (object as Identified).metadata
  // Joined, not added: V8 would keep a sum as its parts in addition to the text, 8 to 32 bytes for each object.
  return { key: namespace ? [namespace, name].join('/') : name, uid, resourceVersion }
}

/** Whether both are the same state of the same object. Without a resourceVersion no two states are known to be the same. */
export function isSameState(
  held: { readonly uid: string | undefined; readonly resourceVersion: string | undefined },
  other: Identity,
): boolean {
  return (
    held.resourceVersion === other.resourceVersion &&
    held.uid === other.uid &&
    other.resourceVersion !== undefined &&
    other.resourceVersion !== ''
  )
}

/** A key's text, checked (rule X1). @throws InvalidNameError for a value that can't be a key of the resource */
export function checkKey(resource: ResourceType, key: KeyOf | string): string {
  const given: unknown = typeof key === 'string' ? parsedKey(resource, key) : key
  if (typeof given !== 'object' || given === null) {
    throw new InvalidNameError('key', key, "must be { name, namespace } or its text, 'namespace/name'")
  }
  return checkedKey({ resource }, given).text
}
