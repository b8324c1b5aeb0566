import type { KubernetesObject } from '@wherry/client'
import type { NamedProjection } from '../ingest/hash-at-ingest.ts'
import type { HashedObject } from '../ingest/hashed-object.ts'
import { Shared } from '../ingest/shared.ts'
import { digestsOf, type PartHashes, type Parts } from '../parts/parts.ts'
import { type CopyKey, copySetLabel, copySourceLabel } from './marks.ts'

/** What equal copies of one source have alike. */
export interface Alike {
  readonly metadata: { readonly labels: Readonly<Record<string, string>> }
  readonly hashes: PartHashes
}

/**
 * What is kept of a copy with the mode `ingest`: which state of which object it is, in 48 bytes, and what it has alike with others,
 * which is there once. It is a part of a `HashedObject`: the rest is in the copy's key, or not looked at.
 */
export class KeptCopy {
  readonly uid: string
  readonly resourceVersion: string
  readonly alike: Alike

  constructor(uid: string, resourceVersion: string, alike: Alike) {
    this.uid = uid
    this.resourceVersion = resourceVersion
    this.alike = alike
  }

  /** As it is compared and written elsewhere. */
  hashed({ namespace, name }: CopyKey): HashedObject {
    const { uid, resourceVersion, alike } = this
    const { labels } = alike.metadata
    return {
      metadata: { namespace, name, uid, resourceVersion, generation: undefined, labels, ownerReferences: undefined },
      hashes: alike.hashes,
    }
  }
}

/** A projection that keeps {@link KeptCopy}s: hashes of what was observed (rule H3). */
export function keptCopies<T extends object>(of: Parts<T>): NamedProjection<T, KeptCopy> {
  const marks = new Shared<Alike['metadata']>()
  const known = new Shared<Alike>()
  const project = (object: T): KeptCopy => {
    const digests = digestsOf(object, of)
    const { uid = '', resourceVersion = '', labels: all } = (object as KubernetesObject).metadata ?? {}
    const labels = chosen(all, [copySetLabel, copySourceLabel])
    const mark = JSON.stringify(labels)
    const metadata = marks.get(mark, { labels })
    const alike = known.get(`${mark} ${digests.join(' ')}`, { metadata, hashes: of.record(digests) })
    return new KeptCopy(uid, resourceVersion, alike)
  }
  return [`copies:${of.names.join(',')}`, project]
}

function chosen(labels: Readonly<Record<string, string>> | undefined, keys: readonly string[]): Record<string, string> {
  return Object.fromEntries(keys.flatMap(key => (labels?.[key] === undefined ? [] : [[key, labels[key]]])))
}
