import { type KubernetesObject, type ObjectKey, OptionTypeError } from '@wherry/client'

/** An object as it came from the server, named by it. */
export interface Named {
  readonly name: string
  readonly namespace: string | undefined
  readonly uid: string | undefined
}

/** Reads an object's identity. @throws OptionTypeError for what has none. */
export function named(option: string, object: KubernetesObject): Named {
  const metadata = (object as KubernetesObject | undefined)?.metadata
  if (metadata?.name === undefined || metadata.name === '') {
    throw new OptionTypeError(option, 'an object with a metadata.name', object === null ? 'null' : typeof object)
  }
  return { name: metadata.name, namespace: metadata.namespace || undefined, uid: metadata.uid }
}

/** As much of an object as names it, and says which state of it was meant. */
export function identityOf(
  { name, namespace }: ObjectKey,
  { uid, resourceVersion }: { readonly uid?: string | undefined; readonly resourceVersion?: string | undefined } = {},
): KubernetesObject {
  return {
    metadata: {
      name,
      ...(namespace !== undefined && { namespace }),
      ...(uid !== undefined && { uid }),
      ...(resourceVersion !== undefined && { resourceVersion }),
    },
  }
}
