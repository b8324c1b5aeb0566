import type { KubernetesObject, PartialObjectMetadata } from '@wherry/client'
import type { HashedObject } from '../ingest/hashed-object.ts'
import type { PartHashes, Parts } from '../parts/parts.ts'
import type { Claims } from './claims.ts'
import type { CopyInformer } from './copy-cache.ts'
import { KeptCopy } from './kept-copy.ts'
import { copySetLabel, isMarked, sourceIdOf } from './marks.ts'
import { hashesOf, marksOf, type Observed, stateOf } from './observed.ts'
import type { Source, WantedCopy } from './source.ts'
import type { Sources } from './sources.ts'

interface OfCopy<P, T extends KubernetesObject> {
  readonly source: Source<P, T>
  readonly copy: WantedCopy<T>
}

/** What differs is to be written. */
export interface WriteDecision<P, T extends KubernetesObject> extends OfCopy<P, T> {
  readonly what: 'write'
  readonly observed: T | HashedObject
  readonly differing: readonly string[]
}

/** What is to be done about one copy. */
export type Decision<P, T extends KubernetesObject> =
  | { readonly what: 'nothing'; readonly because: 'equal' | 'unwanted' | 'unplaced' }
  | ({ readonly what: 'create' } & OfCopy<P, T>)
  /** It is there, and it is not clear whose it is. */
  | ({ readonly what: 'claim' } & OfCopy<P, T>)
  /** It is there, and what is kept of it does not say that it is as wanted: only the whole of it can. */
  | ({ readonly what: 'read' } & OfCopy<P, T>)
  /** It is as wanted, and its hashes do not say so. */
  | ({ readonly what: 'annotate'; readonly observed: T } & OfCopy<P, T>)
  | WriteDecision<P, T>
  | { readonly what: 'delete'; readonly uid: string | undefined; readonly resourceVersion: string | undefined }

export interface DeciderParts<P, T extends KubernetesObject> {
  readonly parts: Parts<T>
  readonly isTarget: (source: P, namespace: PartialObjectMetadata) => boolean
  /** Sources and copies are of one resource. */
  readonly sameResource: boolean
  readonly sources: Sources<P, T>
  readonly sourceInformer: CopyInformer<P>
  readonly namespaces: CopyInformer<PartialObjectMetadata>
  readonly copies: CopyInformer<Observed<T>>
  /** Where metadata of copies is all that is kept. */
  readonly claims: Claims<T> | undefined
}

/** Decides by what the caches show what a copy needs, without a request, and in a time that does not depend on how many there are. */
export class Decider<P, T extends KubernetesObject> {
  readonly #of: DeciderParts<P, T>

  constructor(of: DeciderParts<P, T>) {
    this.#of = of
  }

  /** @param whole the copy, where it was read: it says more than what is kept of it. */
  decide(id: string, namespaceName: string, name: string, whole?: T): Decision<P, T> {
    const { sources, namespaces, copies } = this.#of
    const namespace = namespaces.get(namespaceName)
    const observed = whole ?? copies.get(`${namespaceName}/${name}`)
    if (namespace === undefined) return observed === undefined ? unwanted : unplaced
    // What is in a namespace that goes, goes with it.
    if (namespace.metadata.deletionTimestamp !== undefined) return unwanted
    const source = sources.get(id)
    const copy = source && this.#wanted(source, namespace, namespaceName, name)
    if (source === undefined || copy === undefined) return this.#unwanted(id, observed)
    if (observed === undefined) return { what: 'create', source, copy }
    const marks = marksOf(observed)
    if (marks.metadata?.labels?.[copySetLabel] === undefined || !isMarked(marks, source.mark)) {
      return { what: 'claim', source, copy }
    }
    const { claims } = this.#of
    if (claims === undefined || whole !== undefined) return this.#compared(source, copy, observed as KeptCopy | T)
    const holds = claims.hold(observed as PartialObjectMetadata, copy, source.fixpoints)
    return holds ? equal : { what: 'read', source, copy }
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
    if (observed === undefined || sourceIdOf(marksOf(observed)) !== id) return unwanted
    // A resource that is not served for a while looks as if all its objects were gone.
    if (this.#of.sourceInformer.state === 'missing') return unwanted
    const { uid, resourceVersion } = stateOf(observed)
    return { what: 'delete', uid, resourceVersion }
  }

  #compared(source: Source<P, T>, copy: WantedCopy<T>, observed: KeptCopy | T): Decision<P, T> {
    const { parts, claims } = this.#of
    const held = observed instanceof KeptCopy ? observed.alike.hashes : hashesOf<T>(observed, parts)
    const differing = this.#differing(source, copy, held)
    if (differing.length > 0) {
      const seen = observed instanceof KeptCopy ? observed.hashed(copy.at) : observed
      return { what: 'write', source, copy, observed: seen, differing }
    }
    if (claims === undefined || observed instanceof KeptCopy) return equal
    claims.learn(observed, copy, source.fixpoints)
    if (claims.areOn(observed, copy.wanted)) return equal
    return { what: 'annotate', source, copy, observed }
  }

  #differing({ fixpoints }: Source<P, T>, { at, wanted }: WantedCopy<T>, held: PartHashes): string[] {
    const key = `${at.namespace}/${at.name}`
    return this.#of.parts.names.filter(part => {
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
