import type { OwnerReference } from '@wherry/client'
import type { PartHashes } from '../parts/parts.ts'

/** What is kept of an object instead of it: its identity, its state, and the hashes of its parts. */
export interface HashedObject<N extends string = string> {
  readonly metadata: HashedMetadata
  readonly hashes: PartHashes<N>
}

/** The metadata that is kept. What several objects have alike is one value, shared: it is not to be changed. */
export interface HashedMetadata {
  readonly namespace: string | undefined
  readonly name: string
  readonly uid: string
  readonly resourceVersion: string
  readonly generation: number | undefined
  /** Of the labels that `hashAtIngest` keeps, those that the object has. */
  readonly labels: Readonly<Record<string, string>> | undefined
  readonly ownerReferences: readonly OwnerReference[] | undefined
}

/** Whether an observed object is a {@link HashedObject}, not the whole of it, which would say its kind. */
export function isHashedObject(observed: object): observed is HashedObject {
  const { hashes, metadata, kind } = observed as Readonly<Record<string, unknown>>
  return isObject(hashes) && isObject(metadata) && kind === undefined
}

function isObject(value: unknown): boolean {
  return typeof value === 'object' && value !== null
}
