/** What makes an object dear to parse and to keep. */
export interface Shape {
  /** As compact JSON, in UTF-8. */
  readonly bytes: number
  /** Levels of objects and lists, values included: `{}` has 0, `{a: 1}` has 1. */
  readonly depth: number
  /** Keys of all objects, counted each time. */
  readonly keys: number
  /** Different names among them. */
  readonly distinctKeys: number
  /** Keys of the object that has most. */
  readonly mostKeys: number
  /** Characters of the longest string. */
  readonly longestString: number
  /** Characters of all string values as a share of `bytes`. */
  readonly stringShare: number
  /** Bytes of `metadata.managedFields` as a share of `bytes`. */
  readonly managedFieldsShare: number
}

/** Measures one JSON value. */
export function shapeOf(value: unknown): Shape {
  let depth = 0
  let keys = 0
  let mostKeys = 0
  let longestString = 0
  let strings = 0
  const distinct = new Set<string>()
  const walk = (inner: unknown, level: number): void => {
    depth = Math.max(depth, level)
    if (typeof inner === 'string') {
      strings += inner.length
      longestString = Math.max(longestString, inner.length)
    } else if (Array.isArray(inner)) {
      for (const item of inner) walk(item, level + 1)
    } else if (typeof inner === 'object' && inner !== null) {
      const entries = Object.entries(inner)
      keys += entries.length
      mostKeys = Math.max(mostKeys, entries.length)
      for (const [key, item] of entries) {
        distinct.add(key)
        walk(item, level + 1)
      }
    }
  }
  walk(value, 0)
  const bytes = Buffer.byteLength(JSON.stringify(value))
  const managed = (value as { metadata?: { managedFields?: unknown } } | null)?.metadata?.managedFields
  return {
    bytes,
    depth,
    keys,
    distinctKeys: distinct.size,
    mostKeys,
    longestString,
    stringShare: strings / bytes,
    managedFieldsShare: managed === undefined ? 0 : Buffer.byteLength(JSON.stringify(managed)) / bytes,
  }
}
