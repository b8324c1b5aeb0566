import type { KubernetesObject, PartialObjectMetadata } from '@wherry/client'
import type { HashedObject } from '../ingest/hashed-object.ts'
import { isHashedObject } from '../ingest/hashed-object.ts'
import { hashParts, type PartHashes, type Parts } from '../parts/parts.ts'
import type { CopyInformer } from './copy-cache.ts'
import { copySetLabel, isMarked, sourceIdOf } from './marks.ts'
import type { Source, WantedCopy } from './source.ts'

/** A copy as it is observed. */
export type Observed<T> = T | HashedObject

/** What is to be done about one copy. */
export type Decision<P, T extends KubernetesObject> =
  | { readonly what: 'nothing'; readonly because: 'equal' | 'unwanted' | 'unplaced' }
  | { readonly what: 'create'; readonly source: Source<P, T>; readonly copy: WantedCopy<T> }
  /** It is there, and it is not clear whose it is. */
  | { readonly what: 'claim'; readonly source: Source<P, T>; readonly copy: WantedCopy<T> }
  | {
      readonly what: 'write'
      readonly source: Source<P, T>
      readonly copy: WantedCopy<T>
      readonly observed: Observed<T>
      readonly differing: readonly string[]
    }
  | { readonly what: 'delete'; readonly uid: string | undefined; readonly resourceVersion: string | undefined }

export interface DeciderParts<P, T extends KubernetesObject> {
  readonly parts: Parts<T>
  readonly isTarget: (source: P, namespace: PartialObjectMetadata) => boolean
  /** Sources and copies are of one resource. */
  readonly sameResource: boolean
  readonly sources: ReadonlyMap<string, Source<P, T>>
  readonly sourceInformer: CopyInformer<P>
  readonly namespaces: CopyInformer<PartialObjectMetadata>
  readonly copies: CopyInformer<Observed<T>>
}

/** Decides by what the caches show what a copy needs, without a request, and in a time that does not depend on how many there are. */
export class Decider<P, T extends KubernetesObject> {
  readonly #of: DeciderParts<P, T>

  constructor(of: DeciderParts<P, T>) {
    this.#of = of
  }

  decide(id: string, namespaceName: string, name: string): Decision<P, T> {
    const { sources, namespaces, copies } = this.#of
    const namespace = namespaces.get(namespaceName)
    const observed = copies.get(`${namespaceName}/${name}`)
    if (namespace === undefined) return observed === undefined ? unwanted : unplaced
    // What is in a namespace that goes, goes with it.
    if (namespace.metadata.deletionTimestamp !== undefined) return unwanted
    const source = sources.get(id)
    const copy = source && this.#wanted(source, namespace, namespaceName, name)
    if (source === undefined || copy === undefined) return this.#unwanted(id, observed)
    if (observed === undefined) return { what: 'create', source, copy }
    const { metadata } = observed
    if (metadata?.labels?.[copySetLabel] === undefined || !isMarked(observed, source.mark)) {
      return { what: 'claim', source, copy }
    }
    const differing = this.#differing(source, copy, observed)
    return differing.length === 0 ? equal : { what: 'write', source, copy, observed, differing }
  }

  /** Whether this name in a namespace is that of a copy of the source. */
  #wanted(
    source: Source<P, T>,
    namespace: PartialObjectMetadata,
    namespaceName: string,
    name: string,
  ): WantedCopy<T> | undefined {
    const { current } = source
    if (current === undefined || !this.#of.isTarget(current, namespace)) return undefined
    if (source.nameIn(namespaceName, current) !== name) return undefined
    if (this.#of.sameResource && source.mark.key === `${namespaceName}/${name}`) return undefined
    return source.copyIn({ namespace: namespaceName, name })
  }

  #unwanted(id: string, observed: Observed<T> | undefined): Decision<P, T> {
    if (observed === undefined || sourceIdOf(observed) !== id) return unwanted
    // A resource that is not served for a while looks as if all its objects were gone.
    if (this.#of.sourceInformer.state === 'missing') return unwanted
    const { uid, resourceVersion } = observed.metadata ?? {}
    return { what: 'delete', uid, resourceVersion }
  }

  #differing({ fixpoints }: Source<P, T>, { at, wanted }: WantedCopy<T>, observed: Observed<T>): string[] {
    const { parts } = this.#of
    const held: PartHashes = isHashedObject(observed) ? observed.hashes : hashParts(observed, parts)
    const key = `${at.namespace}/${at.name}`
    return parts.names.filter(part => {
      const digest = wanted[part]
      if (digest === undefined) return false
      if (digest !== held[part]) return !fixpoints.accepts(part, digest, held[part], key)
      // The server leaves it as it is: no dry run is needed to know that.
      if (!fixpoints.knows(part, digest)) fixpoints.learn(part, digest, digest, key)
      return false
    })
  }
}

const unwanted = { what: 'nothing', because: 'unwanted' } as const
/** Its namespace is not known yet, or not known any more: one of them is about to be heard of. */
const unplaced = { what: 'nothing', because: 'unplaced' } as const
const equal = { what: 'nothing', because: 'equal' } as const
