import type { TypeMeta } from '../bytes/list-head.ts'
import { readableCheck } from '../errors/check.ts'
import { apiVersionOf, collectionPath, resourceName } from '../views/path.ts'
import { acceptOf, isExact, isLean } from '../views/read.ts'
import type { View } from '../views/resource.ts'
import { isSensitive } from '../views/sensitive.ts'
import { listKindOf } from './list-proof.ts'

/** Which objects a list or watch asks for, as the query says it. */
export interface Selection {
  readonly labelSelector?: string | undefined
  readonly fieldSelector?: string | undefined
  /** `shardRange(…)`; a server without the feature ignores it in silence, so filter again. */
  readonly shardSelector?: string | undefined
}

/** What a list or watch reads: one collection, in one form. */
export interface ReadTarget {
  /** Path of the collection, without a query. */
  readonly path: string
  /** Where all objects are; `undefined`: anywhere. What says otherwise is left out. */
  readonly namespace?: string | undefined
  /** The name of the only selected object; `undefined`: any. Objects of other names are left out. */
  readonly name?: string | undefined
  readonly selection: Selection
  /** Accept header of a list. */
  readonly listAccept: string
  /** Accept header of a watch. */
  readonly watchAccept: string
  /** What the objects are; in the metadata form the server calls them `PartialObjectMetadata`. */
  readonly type: TypeMeta
  /** The kind of a list of them. */
  readonly listKind: string
  /** Only metadata is asked for. */
  readonly metadata: boolean
  /** Integers beyond 2^53 − 1 as `bigint`. */
  readonly exact: boolean
  /** The view has no `managedFields`: they are left out before an object is decoded. @default false */
  readonly lean?: boolean | undefined
  /** `group/version/plural`, for errors. */
  readonly resource: string
  /** The objects are secrets: no words of the server about them are reported. */
  readonly sensitive: boolean
}

/**
 * What to read for a view: one target for each of its namespaces, or one for all of them.
 *
 * @param shardSelector goes with each of them.
 */
export function targetsOf(view: View, shardSelector?: string | undefined): ReadTarget[] {
  readableCheck('view', view)
  const { resource, namespaces } = view
  const shared = {
    name: view.fields.equal('metadata.name'),
    selection: {
      labelSelector: view.labels.text || undefined,
      fieldSelector: view.fields.text || undefined,
      shardSelector,
    },
    listAccept: acceptOf(view, 'list'),
    watchAccept: acceptOf(view, 'watch'),
    type: { kind: resource.kind, apiVersion: apiVersionOf(resource) },
    listKind: listKindOf(resource),
    metadata: view.projection.kind === 'metadata',
    exact: isExact(view),
    lean: isLean(view),
    resource: resourceName(resource),
    sensitive: isSensitive(resource),
  }
  const scopes = namespaces === undefined ? [undefined] : namespaces
  return scopes.map(namespace => ({ path: collectionPath(resource, namespace), namespace, ...shared }))
}
