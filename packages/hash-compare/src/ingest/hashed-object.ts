import type { OwnerReference } from '@wherry/client'
import type { PartHashes } from '../parts/parts.ts'

/** The data that replaces an object in a cache: its identity, its state, and the hashes of its parts. */
export interface HashedObject<N extends string = string> {
  readonly metadata: HashedMetadata
  readonly hashes: PartHashes<N>
}

/** The metadata that is kept. Equal values of several objects are shared, so they must not be changed. */
export interface HashedMetadata {
  readonly namespace: string | undefined
  readonly name: string
  readonly uid: string
  readonly resourceVersion: string
  readonly generation: number | undefined
  /** The labels of the object that `hashAtIngest` keeps. */
  readonly labels: Readonly<Record<string, string>> | undefined
  readonly ownerReferences: readonly OwnerReference[] | undefined
}

/** Whether an observed object is a {@link HashedObject} and not a whole object, which would have a kind. */
export function isHashedObject(observed: object): observed is HashedObject {
  const { hashes, metadata, kind } = observed as Readonly<Record<string, unknown>>
  return isObject(hashes) && isObject(metadata) && kind === undefined
}

function isObject(value: unknown): boolean {
  return typeof value === 'object' && value !== null
}
