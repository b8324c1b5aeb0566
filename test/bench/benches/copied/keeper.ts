import type { PartialObjectMetadata, Resource, View } from '@wherry/client'
import { namespaces } from '@wherry/client/resources/core'
import {
  type ClusterServiceVersion,
  clusterServiceVersions as csvs,
} from '../../../../examples/copied-resources/resources.ts'

export const sources: Resource<ClusterServiceVersion, 'namespaced'> = csvs.within({ namespaces: ['operators'] })
/** The namespaces that want copies. */
export const members: View<PartialObjectMetadata, 'cluster'> = namespaces
  .metadata()
  .within({ labels: { member: 'true' } })
export const copyLabel = 'example.com/copy'

/** What a copy is to be, in every mode. */
export interface Wanted {
  readonly labels: Record<string, string>
  readonly annotations: Record<string, string>
  readonly spec: ClusterServiceVersion['spec']
}

export function copyOf({ metadata, spec }: ClusterServiceVersion): Wanted {
  const { labels = {}, annotations = {} } = metadata ?? {}
  return { labels: { ...labels, [copyLabel]: 'true' }, annotations, spec }
}

/** A change that somebody else has made. */
export interface Change {
  readonly of: 'source' | 'member' | 'copy'
  readonly key: string
  /** The object's resourceVersion before it; `undefined`: there was no object. */
  readonly before: string | undefined
  /** How many copies it concerns. */
  readonly copies: number
}

/** One way to keep copies. Nothing here makes a request only to find out how far the keeper is. */
export interface Keeper {
  /** Resolves when so many copies are there, known, and as they should be. */
  started(copies: number): Promise<void>
  /** Looks at all of them again. */
  resync(): Promise<void>
  /** Makes the changes, and resolves when the keeper has received them, and has done all that it does about them. */
  after(make: () => Promise<readonly Change[]>): Promise<void>
  /** Ends it, with all that it holds. */
  close(): Promise<void>
}
