/** The number of keys up to which sorting by insertion is faster than the engine's `sort`. */
const fewKeys = 32

/**
 * The keys of an object's members in the order of RFC 8785: by UTF-16 code units, as JavaScript compares strings. The keys of a
 * custom resource from a server are sorted already, so they are only compared.
 */
export function sortedKeys(object: object): string[] {
  const keys = Object.keys(object)
  for (let i = 1; i < keys.length; i++) {
    if ((keys[i] as string) < (keys[i - 1] as string))
      return keys.length > fewKeys ? keys.sort() : insertionSorted(keys, i)
  }
  return keys
}

/** Sorts keys in place. The keys before `first` are in order already. */
function insertionSorted(keys: string[], first: number): string[] {
  for (let i = first; i < keys.length; i++) {
    const key = keys[i] as string
    let at = i
    for (; at > 0 && (keys[at - 1] as string) > key; at--) keys[at] = keys[at - 1] as string
    keys[at] = key
  }
  return keys
}
