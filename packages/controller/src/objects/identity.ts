import { type KubernetesObject, type ObjectKey, OptionTypeError } from '@wherry/client'

/** The identity of an object from the server. */
export interface Named {
  readonly name: string
  readonly namespace: string | undefined
  readonly uid: string | undefined
}

/** Reads an object's identity. @throws OptionTypeError for a value without a name */
export function named(option: string, object: KubernetesObject): Named {
  const metadata = (object as KubernetesObject | undefined)?.metadata
  if (metadata?.name === undefined || metadata.name === '') {
    throw new OptionTypeError(option, 'an object with a metadata.name', object === null ? 'null' : typeof object)
  }
  return { name: metadata.name, namespace: metadata.namespace || undefined, uid: metadata.uid }
}

/** The part of an object that identifies it and its state. */
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
