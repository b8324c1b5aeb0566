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

/** The copy that is meant, and its source. */
export interface CopyPlace {
  readonly set: string
  /** The source's key. */
  readonly source: string
  readonly namespace: string
  readonly name: string
  /** The annotations that have a hash of the copy's content and of its status, and these hashes. */
  readonly hashes?: Readonly<Record<string, string>> | undefined
}

/** The object that is applied as a copy. Of its metadata, labels, annotations, owners and finalizers are taken. */
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
