import { readableCheck } from '../errors/check.ts'
import type { PartialObjectMetadata } from './object.ts'
import { apiVersionOf } from './path.ts'
import type { View } from './resource.ts'
import { withoutManagedFields } from './without-managed-fields.ts'

/** The parameter for answers without `managedFields` (KEP-5958). Servers that do not know it ignore it, and send them. */
const drop = ';drop=metadata.managedFields'

/**
 * The Accept header with which a view receives no more than it needs. A server may answer with more, if it has no metadata form, or does not know
 * the parameter: {@link projector} then removes the rest. A server that refuses the parameter uses the next media type.
 */
export function acceptOf(view: View, of: 'object' | 'list' | 'watch'): string {
  if (!isLean(view)) return 'application/json'
  if (view.projection.kind !== 'metadata') return `application/json${drop},application/json`
  const form = of === 'list' ? 'PartialObjectMetadataList' : 'PartialObjectMetadata'
  return `application/json;as=${form};g=meta.k8s.io;v=v1${drop},application/json`
}

/** Whether integers beyond 2^53 − 1 are to be decoded as `bigint`. */
export function isExact(view: View): boolean {
  return view.projection.kind === 'exact'
}

/** Whether the view leaves `managedFields` out, so that they need not be decoded. */
export function isLean(view: View): boolean {
  const { kind } = view.projection
  return kind === 'default' || kind === 'metadata'
}

/**
 * The function that makes a view's value of a decoded object: a new object if the view drops a part, else the same one. Objects of a metadata view
 * have the resource's kind, however they were received.
 */
export function projector<C>(view: View<C>): (object: object) => C {
  readableCheck('view', view)
  const { kind, project } = view.projection
  const build =
    kind === 'named' ? project : kind === 'metadata' ? metadataOnly(view) : kind === 'default' ? lean : whole
  return build as (object: object) => C
}

/** The view's objects in another form. */
export function readAs<C = object>(view: View, kind: 'full' | 'exact' | 'metadata'): View<C> {
  const { key, resource, namespaces, shard, labels, fields, within } = view
  return { key, resource, namespaces, shard, labels, fields, projection: { kind, name: kind }, within } as View<C>
}

/** The view without its projection: its objects are the input of a {@link projector}. For a named projection these are whole objects. */
export function unprojected(view: View): View<object> {
  return view.projection.kind === 'named' ? readAs(view, 'full') : (view as View<object>)
}

const whole = (object: object): object => object

interface WithMetadata {
  readonly metadata?: { readonly managedFields?: unknown } | null | undefined
}

function lean(object: WithMetadata): object {
  const { metadata } = object
  if (metadata?.managedFields === undefined) return object
  return { ...object, metadata: withoutManagedFields(metadata) }
}

function metadataOnly({ resource }: View): (object: WithMetadata) => PartialObjectMetadata {
  const apiVersion = apiVersionOf(resource)
  const { kind } = resource
  return ({ metadata }) => {
    // Decoded metadata takes no more memory than a copy.
    const lean = metadata?.managedFields === undefined ? (metadata ?? {}) : withoutManagedFields(metadata)
    return { apiVersion, kind, metadata: lean } as unknown as PartialObjectMetadata
  }
}
