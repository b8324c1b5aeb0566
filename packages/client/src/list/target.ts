import type { TypeMeta } from '../bytes/list-head.ts'
import { readableCheck } from '../errors/check.ts'
import { OptionRangeError } from '../errors/option.ts'
import { apiVersionOf, collectionPath, resourceName } from '../views/path.ts'
import { acceptOf, isExact, isLean } from '../views/read.ts'
import type { View } from '../views/resource.ts'
import { isSensitive } from '../views/sensitive.ts'
import type { Shard } from '../views/shard.ts'
import { listKindOf } from './list-proof.ts'

/** The selectors of a list or watch, as in its query. */
export interface Selection {
  readonly labelSelector?: string | undefined
  readonly fieldSelector?: string | undefined
  /** `shardRange(…)`. A server without the feature silently ignores it, so filter again. */
  readonly shardSelector?: string | undefined
}

/** The target of a list or watch: one collection, in one form. */
export interface ReadTarget {
  /** Path of the collection, without a query. */
  readonly path: string
  /** The namespace of all objects; `undefined`: any. Objects of other namespaces are left out. */
  readonly namespace?: string | undefined
  /** The part of the objects; `undefined`: all. Objects of other parts are left out: not all servers select by it. */
  readonly shard?: Shard | undefined
  /** The name of the only selected object; `undefined`: any. Objects of other names are left out. */
  readonly name?: string | undefined
  readonly selection: Selection
  /** Accept header of a list. */
  readonly listAccept: string
  /** Accept header of a watch. */
  readonly watchAccept: string
  /** The type of the objects, also if the server sends them as `PartialObjectMetadata`. */
  readonly type: TypeMeta
  /** The kind of a list of the objects. */
  readonly listKind: string
  /** Only metadata is asked for. */
  readonly metadata: boolean
  /** Integers beyond 2^53 − 1 as `bigint`. */
  readonly exact: boolean
  /** Whether `managedFields` are left out before an object is decoded, because the view drops them. @default false */
  readonly lean?: boolean | undefined
  /** `group/version/plural`, for errors. */
  readonly resource: string
  /** Whether the objects are secrets, so that no text of the server about them is reported. */
  readonly sensitive: boolean
}

/**
 * The read targets of a view: one for each of its namespaces, or one for all.
 *
 * @param shardSelector the shard selector of each target
 * @throws OptionRangeError for a shard selector if the view has its own
 */
export function targetsOf(view: View, shardSelector?: string | undefined): ReadTarget[] {
  readableCheck('view', view)
  const { resource, namespaces, shard } = view
  if (shard !== undefined && shardSelector !== undefined) {
    throw new OptionRangeError('shardSelector', 'nothing for a view that has a shard', shardSelector)
  }
  const shared = {
    shard,
    name: view.fields.equal('metadata.name'),
    selection: {
      labelSelector: view.labels.text || undefined,
      fieldSelector: view.fields.text || undefined,
      shardSelector: shardSelector ?? shard?.selector,
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
