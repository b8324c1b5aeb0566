import { readableCheck } from '../errors/check.ts'
import type { PartialObjectMetadata } from './object.ts'
import { apiVersionOf } from './path.ts'
import type { View } from './resource.ts'
import { withoutManagedFields } from './without-managed-fields.ts'

/** `managedFields` are left out by a server that knows this parameter (KEP-5958); others ignore it, and send them. */
const drop = ';drop=metadata.managedFields'

/**
 * What to ask for so that a view gets no more than it needs. A server that has no metadata form, or sends `managedFields` all the
 * same, may answer with the whole, which {@link projector} cuts down. One that refuses the parameter takes what comes after it.
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
 * What a view makes of a decoded object: a new one where it leaves something out, else the same one. By whatever route an object
 * came in, a metadata view's carry the resource's own kind.
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
  const { key, resource, namespaces, labels, fields, within } = view
  return { key, resource, namespaces, labels, fields, projection: { kind, name: kind }, within } as View<C>
}

/** The view without its projection: what a {@link projector} is given. Of a named projection that is whole objects. */
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
    // As it was decoded it is as small as any copy.
    const lean = metadata?.managedFields === undefined ? (metadata ?? {}) : withoutManagedFields(metadata)
    return { apiVersion, kind, metadata: lean } as unknown as PartialObjectMetadata
  }
}
