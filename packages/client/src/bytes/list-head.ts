/** `metadata` of a list. */
export interface ListMeta {
  /** Where a watch starts. */
  readonly resourceVersion?: string | undefined
  /** The token of the next page; `''` or absent if there is none. */
  readonly continue?: string | undefined
  /** The number of objects on later pages; absent with a selector. */
  readonly remainingItemCount?: number | undefined
  /** The shard selector, if the server has used and returned it. */
  readonly shardInfo?: { readonly selector?: string | undefined } | undefined
}

/** Reads the `metadata` of a list; `undefined` if it is not valid. `null` counts as absent, as for a server. */
export function listMetaOf(value: unknown): ListMeta | undefined {
  if (typeof value !== 'object' || Array.isArray(value)) return undefined
  const said = Object.entries(value ?? {}).filter(([, field]) => field !== null)
  const metadata: Readonly<Record<string, unknown>> = Object.fromEntries(said)
  const { resourceVersion = '', continue: token = '' } = metadata
  return typeof resourceVersion === 'string' && typeof token === 'string' ? metadata : undefined
}

/** The fields of a list without its items. In a list of custom resources they come after the items. */
export interface ListHead {
  readonly kind: string | undefined
  readonly apiVersion: string | undefined
  readonly metadata: ListMeta
}

/** The type of an object, by the names in the object itself. */
export interface TypeMeta {
  readonly kind: string
  readonly apiVersion: string
}

/** The type of a list's items, by the type of the list: a `ConfigMapList` has items of kind `ConfigMap`. A bare `List` does not name it. */
export function itemType(kind: string | undefined, apiVersion: string | undefined): TypeMeta | undefined {
  if (kind === undefined || apiVersion === undefined) return undefined
  if (!kind.endsWith('List') || kind === 'List') return undefined
  return { kind: kind.slice(0, -'List'.length), apiVersion }
}
