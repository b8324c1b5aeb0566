/** Up to so many keys, sorting by insertion is faster than `sort`, which the engine calls out for. */
const fewKeys = 32

/**
 * The keys of an object's members in the order of RFC 8785: by UTF-16 code units, as JavaScript compares strings. What a
 * server sends of a custom resource is sorted already: then they are only looked at.
 */
export function sortedKeys(object: object): string[] {
  const keys = Object.keys(object)
  for (let i = 1; i < keys.length; i++) {
    if ((keys[i] as string) < (keys[i - 1] as string)) return keys.length > fewKeys ? keys.sort() : inserted(keys, i)
  }
  return keys
}

/** Sorts in place; those before `first` are in order. */
function inserted(keys: string[], first: number): string[] {
  for (let i = first; i < keys.length; i++) {
    const key = keys[i] as string
    let at = i
    for (; at > 0 && (keys[at - 1] as string) > key; at--) keys[at] = keys[at - 1] as string
    keys[at] = key
  }
  return keys
}
