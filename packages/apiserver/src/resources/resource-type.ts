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

/** Where the scale subresource finds its numbers, as JSON paths (`.spec.replicas`). */
export interface ScalePaths {
  readonly specReplicas: string
  readonly statusReplicas: string
  readonly labelSelector?: string | undefined
}

/** One resource at one version: what an endpoint serves. */
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
  /** Fields that can be selected by in addition to name and namespace. */
  readonly selectableFields: readonly string[]
  /** What discovery says of the storage; equal where endpoints serve the same objects. */
  readonly storageVersionHash?: string | undefined
  /** The schema of its objects at this version, and at the version that they are stored at. */
  readonly schema?: ResourceSchema | undefined
  readonly storageSchema?: ResourceSchema | undefined
  /** How its objects get from version to version, where they differ in more than its name. */
  readonly conversion?: Converts | undefined
  /** Sent as a warning with every answer. */
  readonly deprecation?: string | undefined
}

/** The apiVersion of a group and version. */
export function apiVersionOf(group: string, version: string): string {
  return group === '' ? version : `${group}/${version}`
}
