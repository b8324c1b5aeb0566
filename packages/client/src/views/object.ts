/** The metadata of an object in JSON: times are strings. All fields are optional, because objects that you send have few of them. */
export interface ObjectMeta {
  name?: string | undefined
  generateName?: string | undefined
  namespace?: string | undefined
  uid?: string | undefined
  resourceVersion?: string | undefined
  generation?: number | undefined
  creationTimestamp?: string | undefined
  deletionTimestamp?: string | undefined
  deletionGracePeriodSeconds?: number | undefined
  labels?: Record<string, string> | undefined
  annotations?: Record<string, string> | undefined
  finalizers?: string[] | undefined
  ownerReferences?: OwnerReference[] | undefined
  managedFields?: ManagedFieldsEntry[] | undefined
  selfLink?: string | undefined
}

/** A reference to an object's owner. The object is deleted when its owners are gone. */
export interface OwnerReference {
  apiVersion: string
  kind: string
  name: string
  uid: string
  controller?: boolean | undefined
  blockOwnerDeletion?: boolean | undefined
}

/** The fields that one manager owns. Only `full()` and `exact()` views have them. */
export interface ManagedFieldsEntry {
  manager?: string | undefined
  operation?: string | undefined
  apiVersion?: string | undefined
  time?: string | undefined
  fieldsType?: string | undefined
  fieldsV1?: unknown
  subresource?: string | undefined
}

/** The fields that objects of every resource have. */
export interface KubernetesObject {
  apiVersion?: string | undefined
  kind?: string | undefined
  metadata?: ObjectMeta | undefined
}

/** Whether a resource is namespaced. */
export type Scope = 'namespaced' | 'cluster'

/** Names an object: with a namespace for a namespaced resource, without one for a cluster-scoped resource. */
export type ObjectKey<S extends Scope = Scope> = S extends 'namespaced'
  ? { readonly name: string; readonly namespace: string }
  : { readonly name: string; readonly namespace?: undefined }

/** Names an object to read, delete or change: its key, the object itself, or the metadata of an object that was read. */
export type KeyOf<S extends Scope = Scope> =
  | ObjectKey<S>
  | { readonly metadata: { readonly name: string; readonly namespace?: string | undefined } }
  | { readonly name: string; readonly namespace?: string | undefined; readonly uid: string }

/** The key of an object; returns a key unchanged. */
export function asKey<S extends Scope>(key: KeyOf<S>): ObjectKey<S> {
  const { metadata } = (key ?? {}) as { readonly metadata?: ObjectMeta | null | undefined }
  const named = metadata ?? (key as ObjectMeta | undefined)
  // A value without metadata is a key, and is checked later.
  if (named?.uid === undefined && (metadata === undefined || metadata === null)) return key as ObjectKey<S>
  const { name, namespace } = named as ObjectMeta
  return (namespace === undefined ? { name } : { name, namespace }) as ObjectKey<S>
}

declare const partial: unique symbol

/**
 * A mark, in types only, of a part of an object. All fields of Kubernetes types are optional, so without it a metadata object would pass for a
 * whole one, and writing it back would delete the rest.
 */
export interface PartialBrand {
  readonly [partial]: true
}

/** The metadata that every object on the server has. */
export interface StoredMeta {
  name: string
  uid: string
}

/** `C` as a read returns it: an object from the server always has a name and a uid. The result of a projection is unchanged. */
export type FromServer<C> = C &
  (C extends PartialBrand ? unknown : 'metadata' extends keyof C ? { metadata: StoredMeta } : unknown)

/** A whole `T`, and not a part of it: the parameter of write verbs. */
export type FullObject<T> = T & { readonly [partial]?: never }

/** An object of a metadata view: only its identity and metadata. */
export interface PartialObjectMetadata extends PartialBrand {
  readonly apiVersion: string
  readonly kind: string
  readonly metadata: ObjectMeta & StoredMeta
}

/** The result of a projection. It can't be written back as an object. */
export type Projected<C> = C extends object ? C & PartialBrand : C

/** `T` in an exact view: integers beyond 2^53 − 1 are `bigint`. */
export type Exact<T> = T extends number ? T | bigint : T extends object ? { [K in keyof T]: Exact<T[K]> } : T

/** A part of `T`, for server-side apply and writes of the status. Maps such as labels are unchanged. */
export type DeepPartial<T> = T extends readonly (infer Item)[]
  ? DeepPartial<Item>[]
  : T extends object
    ? string extends keyof T
      ? T
      : { [K in keyof T]?: DeepPartial<T[K]> | undefined }
    : T
