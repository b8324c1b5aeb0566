import type { KubernetesObject, OwnerReference } from '@wherry/client'
import { checkOptions, text, texts } from '@wherry/client/internal'
import { digestsOf, type PartHashes, type Parts } from '../parts/parts.ts'
import type { HashedObject } from './hashed-object.ts'
import { Shared } from './shared.ts'

/** The options of `hashAtIngest`. */
export interface HashAtIngestOptions {
  /** Labels to keep, for example a label that names a copy's parent, so that you can list by that label. @default none */
  readonly labels?: readonly string[] | undefined
  /**
   * The projection's name in the view's key. Two different projections of one resource need different names.
   * @default `hashes:` and the names of the parts and labels
   */
  readonly name?: string | undefined
}

/** The arguments of `resource.project`. */
export type NamedProjection<T, C> = readonly [name: string, project: (object: T) => C]

/**
 * A projection that keeps of each observed object its key, uid, resourceVersion, generation, owners and the hashes of its parts: some 220 bytes
 * for an object of any size. Create it once, at module level.
 *
 * Its promise (rule H3): the hashes are computed from each version of the object from the server, and not read from an annotation. So an
 * edit of any part is a difference as soon as its event arrives, without a read of the object. Edits of fields that are in no part do not show, such as
 * other annotations, unless `specPart` includes them.
 *
 * Objects are decoded with numbers. If a part has an integer beyond 2^53 − 1, the object can't be hashed: the projection throws an
 * `InexactIntegerError` (rule X11), which a cache reports for the key of the object.
 *
 * @example
 * ```ts
 * import { Client } from '@wherry/client'
 * import { configMaps } from '@wherry/client/resources/core'
 * import { hashAtIngest, parts, specPart } from '@wherry/hash-compare'
 *
 * const content = parts({ spec: specPart() })
 * const copies = configMaps.within({ labels: 'example.com/copy' }).project(...hashAtIngest(content))
 *
 * const client = await Client.connect()
 * const copy = await client.get(copies, { name: 'settings', namespace: 'arcade' })
 * console.log(copy?.metadata.resourceVersion, copy?.hashes.spec)
 * ```
 */
export function hashAtIngest<T extends object, N extends string>(
  of: Parts<T, N>,
  options?: HashAtIngestOptions,
): NamedProjection<T, HashedObject<N>> {
  checkOptions('hashAtIngest', options, { labels: texts, name: text })
  const kept = options?.labels ?? []
  const name =
    options?.name ?? ['hashes:', of.names.join(','), ...(kept.length > 0 ? [';', kept.join(',')] : [])].join('')
  const strings = new Shared<string>()
  const owners = new Shared<readonly OwnerReference[]>()
  const labelSets = new Shared<Readonly<Record<string, string>>>()
  const hashes = new Shared<PartHashes<N>>()
  const share = (value: string): string => strings.get(value, value)

  const shareLabels = (labels: Readonly<Record<string, string>> | undefined): Record<string, string> | undefined => {
    if (kept.length === 0 || !labels) return undefined
    const entries = kept.filter(key => Object.hasOwn(labels, key)).map(key => [key, labels[key] as string] as const)
    return labelSets.get(JSON.stringify(entries), Object.fromEntries(entries))
  }
  const project = (object: T): HashedObject<N> => {
    const digests = digestsOf(object, of)
    const { namespace, name, uid, resourceVersion, generation, labels, ownerReferences } =
      (object as KubernetesObject).metadata ?? {}
    return {
      metadata: {
        namespace: namespace === undefined ? undefined : share(namespace),
        name: share(name ?? ''),
        uid: uid ?? '',
        resourceVersion: resourceVersion ?? '',
        generation,
        labels: shareLabels(labels),
        ownerReferences: ownerReferences && owners.get(JSON.stringify(ownerReferences), ownerReferences),
      },
      hashes: hashes.get(digests.join(' '), of.record(digests)),
    }
  }
  return [name, project]
}
