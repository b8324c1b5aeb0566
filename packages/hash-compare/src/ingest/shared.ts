/** The longest key of a shared value, in UTF-16 code units. */
const longestKey = 4096
/** The maximum length of all keys together, in UTF-16 code units. A maximum number of values would not bound the memory, because others choose the keys. */
const maxTotalLength = 1024 * 1024

/**
 * Shares equal values: ten thousand copies of fifty objects have only fifty names. It keeps keys of at most 2 MiB together. Beyond that it forgets
 * all values, and some values are then held twice.
 */
export class Shared<V> {
  readonly #known = new Map<string, V>()
  #length = 0

  /** Returns the first value that was passed with this key. */
  get(key: string, value: V): V {
    const known = this.#known.get(key)
    if (known !== undefined) return known
    if (key.length > longestKey) return value
    if (this.#length + key.length > maxTotalLength) {
      this.#known.clear()
      this.#length = 0
    }
    this.#known.set(key, value)
    this.#length += key.length
    return value
  }
}
