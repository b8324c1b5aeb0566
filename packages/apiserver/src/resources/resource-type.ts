import type { ResourceSchema } from '../schema/resource-schema.ts'
import type { StoredResource } from '../store/store.ts'
import type { Converts } from './converts.ts'

/** A subresource as discovery names it. */
export interface Subresource {
  readonly name: string
  readonly kind: string
  readonly group?: string | undefined
  readonly version?: string | undefined
  readonly verbs: readonly string[]
}

/** A column of a Table. `path` is the JSONPath of a custom resource's additional printer column. */
export interface Column {
  readonly name: string
  readonly type: string
  readonly format: string
  readonly priority: number
  readonly description?: string | undefined
  readonly path?: string | undefined
}

/** The JSON paths of the values in the scale subresource, such as `.spec.replicas`. */
export interface ScalePaths {
  readonly specReplicas: string
  readonly statusReplicas: string
  readonly labelSelector?: string | undefined
}

/** A resource at a version, as an endpoint serves it. */
export interface ResourceType extends StoredResource {
  readonly version: string
  /** `v1`, or `group/version`. */
  readonly apiVersion: string
  readonly listKind: string
  readonly singular: string
  readonly shortNames: readonly string[]
  readonly categories: readonly string[]
  readonly verbs: readonly string[]
  readonly subresources: readonly Subresource[]
  /** The version that objects are stored at. */
  readonly storageVersion: string
  /** Whether `status` is written only through the status subresource. */
  readonly hasStatus: boolean
  /** Whether an update must name the resourceVersion that it replaces. */
  readonly updateNeedsResourceVersion: boolean
  /** Whether the server counts `metadata.generation`. */
  readonly hasGeneration: boolean
  readonly scale?: ScalePaths | undefined
  /** Table columns; `undefined`: name and creation time. */
  readonly columns?: readonly Column[] | undefined
  /** The fields that a field selector can use, in addition to name and namespace. */
  readonly selectableFields: readonly string[]
  /** The hash by which discovery identifies the stored objects; equal if endpoints serve the same objects. */
  readonly storageVersionHash?: string | undefined
  /** The schema of its objects at this version, and at the version that they are stored at. */
  readonly schema?: ResourceSchema | undefined
  readonly storageSchema?: ResourceSchema | undefined
  /** Converts the objects between versions; `undefined` if the versions differ only in their names. */
  readonly conversion?: Converts | undefined
  /** The warning in every answer, if the version is deprecated. */
  readonly deprecation?: string | undefined
}

/** The apiVersion of a group and version. */
export function apiVersionOf(group: string, version: string): string {
  return group === '' ? version : `${group}/${version}`
}
