import type { FullObject, KubernetesObject, ObjectMeta } from '@wherry/client'

/**
 * The label of all copies. Its value is the name of their {@link Copies}.
 *
 * @example
 * ```ts
 * import { Client } from '@wherry/client'
 * import { configMaps } from '@wherry/client/resources/core'
 * import { copySetLabel } from '@wherry/copies'
 *
 * const client = await Client.connect()
 * console.log(await client.count(configMaps.within({ labels: { [copySetLabel]: 'settings' } })))
 * ```
 */
export const copySetLabel = 'copies.wherry.dev/set'
/** An annotation for people that names a copy's source: `SET NAMESPACE/NAME`. The program does not use it. */
export const copiedFromAnnotation = 'copies.wherry.dev/copied-from'

/** The set, the source and the key of a copy. */
export interface CopyPlace {
  readonly set: string
  /** The source's key. */
  readonly source: string
  readonly namespace: string
  readonly name: string
  /** The hashes of the copy's content and of its status, by annotation. */
  readonly hashes?: Readonly<Record<string, string>> | undefined
}

/** The object that is applied as a copy. It keeps only the labels, annotations, owners and finalizers of the given metadata. */
export function marked<T extends KubernetesObject>(object: FullObject<T>, place: CopyPlace): FullObject<T> {
  const { set, source, namespace, name, hashes } = place
  const { labels, annotations, ownerReferences, finalizers } = (object.metadata ?? {}) as ObjectMeta
  return {
    ...object,
    metadata: {
      name,
      namespace,
      labels: { ...labels, [copySetLabel]: set },
      annotations: { ...annotations, [copiedFromAnnotation]: `${set} ${source}`, ...hashes },
      ...(ownerReferences !== undefined && { ownerReferences }),
      ...(finalizers !== undefined && { finalizers }),
    },
  }
}
