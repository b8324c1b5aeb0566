/**
 * Metadata that every object carries, exact to the wire: times are strings, and all fields are
 * optional, because what one sends has few of them.
 */
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

/** Names the owner of an object: it is deleted with it. */
export interface OwnerReference {
  apiVersion: string
  kind: string
  name: string
  uid: string
  controller?: boolean | undefined
  blockOwnerDeletion?: boolean | undefined
}

/** Which fields one manager owns. Left out by every view but `full()` and `exact()`. */
export interface ManagedFieldsEntry {
  manager?: string | undefined
  operation?: string | undefined
  apiVersion?: string | undefined
  time?: string | undefined
  fieldsType?: string | undefined
  fieldsV1?: unknown
  subresource?: string | undefined
}

/** The least that an object of any resource is. */
export interface KubernetesObject {
  apiVersion?: string | undefined
  kind?: string | undefined
  metadata?: ObjectMeta | undefined
}

/** Whether objects of a resource live in namespaces. */
export type Scope = 'namespaced' | 'cluster'

/** What names one object: in a namespaced resource the namespace must be given, elsewhere there is none. */
export type ObjectKey<S extends Scope = Scope> = S extends 'namespaced'
  ? { readonly name: string; readonly namespace: string }
  : { readonly name: string; readonly namespace?: undefined }

/** What names one object to who reads, deletes or changes it: its key, or the object as it was read. */
export type KeyOf<S extends Scope = Scope> =
  | ObjectKey<S>
  | { readonly metadata: { readonly name: string; readonly namespace?: string | undefined } }

/** The key of an object that was read; a key is given back as it is. */
export function asKey<S extends Scope>(key: KeyOf<S>): ObjectKey<S> {
  const { metadata } = (key ?? {}) as { readonly metadata?: ObjectMeta | null | undefined }
  if (metadata === undefined || metadata === null) return key as ObjectKey<S>
  const { name, namespace } = metadata
  return (namespace === undefined ? { name } : { name, namespace }) as ObjectKey<S>
}

declare const partial: unique symbol

/**
 * The mark, in types only, of what is less than the whole object. All fields of Kubernetes types
 * are optional, so that without it a metadata object would pass for a whole one, and writing it
 * back would delete the rest.
 */
export interface PartialBrand {
  readonly [partial]: true
}

/** What names an object that the server has. */
export interface StoredMeta {
  name: string
  uid: string
}

/** `C` as it is read: an object that the server has also has a name and a uid. What a projection makes is as it makes it. */
export type FromServer<C> = C &
  (C extends PartialBrand ? unknown : 'metadata' extends keyof C ? { metadata: StoredMeta } : unknown)

/** `T`, and nothing that is marked as less than the whole: what write verbs take. */
export type FullObject<T> = T & { readonly [partial]?: never }

/** What a metadata view gives: the object's identity and metadata, and nothing else. */
export interface PartialObjectMetadata extends PartialBrand {
  readonly apiVersion: string
  readonly kind: string
  readonly metadata: ObjectMeta & StoredMeta
}

/** What a projection gives: never to be written back as an object. */
export type Projected<C> = C extends object ? C & PartialBrand : C

/** `T` as an exact view reads it: an integer beyond 2^53 − 1 is a `bigint`. */
export type Exact<T> = T extends number ? T | bigint : T extends object ? { [K in keyof T]: Exact<T[K]> } : T

/** Some of `T`: what a server-side apply sends, and a write of the status. Maps such as labels stay as they are. */
export type DeepPartial<T> = T extends readonly (infer Item)[]
  ? DeepPartial<Item>[]
  : T extends object
    ? string extends keyof T
      ? T
      : { [K in keyof T]?: DeepPartial<T[K]> | undefined }
    : T
