import {
  asKey,
  checkSegment,
  InvalidNameError,
  type KeyOf,
  keyText,
  type ObjectKey,
  type ResourceType,
} from '@wherry/client'

interface Identified {
  readonly metadata: {
    readonly name: string
    readonly namespace?: string | undefined
    readonly uid?: string | undefined
    readonly resourceVersion?: string | undefined
  }
}

/** What an object as decoded is known by. */
export interface Identity {
  readonly key: string
  readonly uid: string | undefined
  readonly resourceVersion: string | undefined
}

export function identityOf(object: object): Identity {
  const { name, namespace, uid, resourceVersion } = (object as Identified).metadata
  // Joined, not added: V8 would keep a sum as its parts beside the text, 8 to 32 bytes for each object.
  return { key: namespace ? [namespace, name].join('/') : name, uid, resourceVersion }
}

/** The same state of the same object. Without a resourceVersion no two states are known to be the same. */
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

/** A key's text, checked (rule X1). @throws InvalidNameError for what can be no key of the resource. */
export function checkKey({ namespaced, plural }: ResourceType, key: KeyOf | string): string {
  const { namespace, name } = typeof key === 'string' ? parts(key, namespaced) : partsOf(key)
  checkSegment('name', name)
  if (namespaced) checkSegment('namespace', namespace)
  else if (namespace !== undefined)
    throw new InvalidNameError('namespace', namespace, `is given, and ${plural} have none`)
  return keyText({ namespace: namespace as string | undefined, name: name as string })
}

function partsOf(key: unknown): { readonly namespace?: unknown; readonly name?: unknown } {
  if (typeof key === 'object' && key !== null) return asKey(key as ObjectKey)
  throw new InvalidNameError('key', key, "must be { name, namespace } or its text, 'namespace/name'")
}

function parts(text: string, namespaced: boolean): { readonly namespace?: string | undefined; readonly name: string } {
  const slash = text.indexOf('/')
  if (slash < 0 || !namespaced) return { name: text }
  return { namespace: text.slice(0, slash), name: text.slice(slash + 1) }
}
