import type { ServiceAddresses } from '../builtin/service-addresses.ts'
import type { KubeObject } from '../objects/object.ts'
import type { ResourceType } from '../resources/resource-type.ts'
import type { StatusCause } from '../status.ts'
import type { Part } from './parts.ts'

/** What a built-in does beyond what every resource does. */
export interface Strategy {
  /** What admission by the server itself changes in an object that is created, or replaces `old`. */
  admit?(object: KubeObject, old: KubeObject | undefined): void
  /** Completes an object about to be created. */
  create?(object: KubeObject, addresses: ServiceAddresses): void
  /** Completes an object about to be stored for the first time, in which nothing is wrong. */
  created?(object: KubeObject): void
  /** Completes an object about to be updated. */
  update?(object: KubeObject, old: KubeObject, part: Part, addresses: ServiceAddresses): void
  /** The problems of an object, but for those of its metadata. */
  problems?(object: KubeObject, old: KubeObject | undefined): StatusCause[]
  /** What the sender of an object is warned of. */
  warnings?(object: KubeObject, old: KubeObject | undefined): string[]
  /** Whether its metadata is looked at only if nothing else is wrong. */
  readonly checksMetadataLast?: boolean
  /** Refuses what can't be decoded, by a `DecodeError`, and gives values the form that decoding gives them. */
  decode?(object: KubeObject): void
  /** A finalizer that the first delete puts on. */
  readonly deletionFinalizer?: string
  /**
   * A delete that says nothing about dependents orphans them, and is answered with this warning, if there is one.
   *
   * @see https://kubernetes.io/docs/concepts/architecture/garbage-collection/
   */
  readonly orphansByDefault?: { readonly warning: string | undefined }
  /** Says in an object that its deletion has begun. */
  marked?(object: KubeObject, now: string): void
  /** Whether a delete answers the object instead of a Status. */
  readonly answersDeleted?: boolean
  /** Whether an update of an object that is not there creates it. */
  readonly createsOnUpdate?: boolean
  /** Whether `metadata.generation` counts changes of annotations too. */
  readonly countsAnnotations?: boolean
}

/** Strategies by resource: `configmaps`, `jobs.batch`. */
export type Strategies = Readonly<Record<string, Strategy>>

/** The strategy of a resource. */
export type StrategyOf = (type: ResourceType) => Strategy
