/** `metadata` of a list. */
export interface ListMeta {
  /** Where a watch starts. */
  readonly resourceVersion?: string | undefined
  /** The token of the next page; `''` and absent mean that there is none. */
  readonly continue?: string | undefined
  /** How many objects later pages hold; absent if there is a selector. */
  readonly remainingItemCount?: number | undefined
  /** Echo of the shard selector, where the server knows it and says so. */
  readonly shardInfo?: { readonly selector?: string | undefined } | undefined
}

/** `metadata` as received; `undefined` where it is none. `null` says as little as nothing, as it does to a server. */
export function listMetaOf(value: unknown): ListMeta | undefined {
  if (typeof value !== 'object' || Array.isArray(value)) return undefined
  const said = Object.entries(value ?? {}).filter(([, field]) => field !== null)
  const metadata: Readonly<Record<string, unknown>> = Object.fromEntries(said)
  const { resourceVersion = '', continue: token = '' } = metadata
  return typeof resourceVersion === 'string' && typeof token === 'string' ? metadata : undefined
}

/** The fields of a list apart from its items. In a custom resource's list it comes after them. */
export interface ListHead {
  readonly kind: string | undefined
  readonly apiVersion: string | undefined
  readonly metadata: ListMeta
}

/** The names that an object's type goes by in the object itself. */
export interface TypeMeta {
  readonly kind: string
  readonly apiVersion: string
}

/** The type of a list's items by its own: a `ConfigMapList` has items of kind `ConfigMap`. A bare `List` does not say. */
export function itemType(kind: string | undefined, apiVersion: string | undefined): TypeMeta | undefined {
  if (kind === undefined || apiVersion === undefined) return undefined
  if (!kind.endsWith('List') || kind === 'List') return undefined
  return { kind: kind.slice(0, -'List'.length), apiVersion }
}
