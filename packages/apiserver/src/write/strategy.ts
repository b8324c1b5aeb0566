import type { PodClasses } from '../builtin/pod-classes.ts'
import type { ServiceAddresses } from '../builtin/service-addresses.ts'
import type { KubeObject } from '../objects/object.ts'
import type { ResourceType } from '../resources/resource-type.ts'
import type { StatusCause } from '../status.ts'
import type { Part } from './parts.ts'

/** The rules of a built-in, in addition to the rules of all resources. */
export interface Strategy {
  /** Makes the changes of the server's own admission to an object that is created, or replaces `old`. */
  admit?(object: KubeObject, old: KubeObject | undefined, classes: PodClasses): void
  /** Completes an object about to be created. */
  create?(object: KubeObject, addresses: ServiceAddresses): void
  /** Completes an object without problems that is about to be stored, or to replace `old`. */
  stored?(object: KubeObject, old: KubeObject | undefined): void
  /** Completes an object about to be updated. */
  update?(object: KubeObject, old: KubeObject, part: Part, addresses: ServiceAddresses): void
  /** The problems of an object, without those of its metadata. */
  problems?(object: KubeObject, old: KubeObject | undefined): StatusCause[]
  /** The warnings about an object for its sender. */
  warnings?(object: KubeObject, old: KubeObject | undefined): string[]
  /** Whether the metadata is checked only if the rest of the object has no problems: all of it, or the characters of the name. */
  readonly checksMetadataLast?: boolean | 'name'
  /** Brings values into their decoded form. Throws a `DecodeError` if a value can't be decoded. */
  decode?(object: KubeObject): void
  /** A finalizer that the first delete adds. */
  readonly deletionFinalizer?: string
  /**
   * A delete without a propagation policy orphans the dependents, and is answered with this warning, if there is one.
   *
   * @see https://kubernetes.io/docs/concepts/architecture/garbage-collection/
   */
  readonly orphansByDefault?: { readonly warning: string | undefined }
  /** Marks an object as being deleted. */
  marked?(object: KubeObject, now: string): void
  /** Whether a delete is answered with the object instead of a Status. */
  readonly answersDeleted?: boolean
  /** Whether a new object without a name gets a UUID for its name. */
  readonly namesItself?: boolean
  /** Whether a new object has the status that it is sent with. */
  readonly takesStatus?: boolean
  /** Whether an update of an object that does not exist creates it. */
  readonly createsOnUpdate?: boolean
  /** Whether an update leaves `metadata.generation` unchanged. */
  readonly keepsGeneration?: boolean
  /** The part of the metadata with changes that `metadata.generation` also counts. */
  readonly alsoCounts?: 'labels' | 'annotations'
}

/** Strategies by resource: `configmaps`, `jobs.batch`. */
export type Strategies = Readonly<Record<string, Strategy>>

/** The strategy of a resource. */
export type StrategyOf = (type: ResourceType) => Strategy
