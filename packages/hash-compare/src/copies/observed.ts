import type { KubernetesObject, PartialObjectMetadata, View } from '@wherry/client'
import { type HashedObject, isHashedObject } from '../ingest/hashed-object.ts'
import { hashParts, type PartHashes, type Parts } from '../parts/parts.ts'
import { KeptCopy, keptCopies } from './kept-copy.ts'
import { copySetLabel, type Marked } from './marks.ts'
import type { CopyReconcilerOptions } from './options.ts'

/** A copy as the cache has it: hashes of it, the whole of it, or its metadata, by the mode. */
export type Observed<T> = KeptCopy | T | PartialObjectMetadata

/** What is watched of the copies of a set. */
export function copyView<P, T extends KubernetesObject>(
  options: Pick<CopyReconcilerOptions<P, T>, 'name' | 'copies' | 'parts' | 'mode'>,
): View<Observed<T>, 'namespaced'> {
  const { name, copies, parts, mode = 'ingest' } = options
  const ours = copies.within({ labels: { [copySetLabel]: name } })
  if (mode === 'full') return ours
  const kept: View<unknown, 'namespaced'> =
    mode === 'annotations' ? ours.metadata() : ours.project(...keptCopies(parts))
  return kept as View<Observed<T>, 'namespaced'>
}

/** Where an observed copy says whose it is. */
export function marksOf<T extends KubernetesObject>(observed: Observed<T>): Marked {
  return observed instanceof KeptCopy ? observed.alike : observed
}

/** Which state of which object it is. */
export function stateOf<T extends KubernetesObject>(
  observed: Observed<T>,
): { readonly uid?: string | undefined; readonly resourceVersion?: string | undefined } {
  return (observed instanceof KeptCopy ? observed : observed.metadata) ?? {}
}

/** The digests of what is there. Not for metadata. */
export function hashesOf<T extends KubernetesObject>(observed: T | HashedObject, parts: Parts<T>): PartHashes {
  return isHashedObject(observed) ? observed.hashes : hashParts(observed as T, parts)
}
