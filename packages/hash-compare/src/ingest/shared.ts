/** Values with longer keys are not shared: they are an object's own. In UTF-16 code units. */
const longestKey = 4096
/** The length of all keys together. Others choose how long a key is, so a number of values would be no bound. */
const mostInAll = 1024 * 1024

/**
 * Gives one value for all that are alike: ten thousand copies of fifty objects have fifty names. It keeps keys of at most 2 MiB. When they are more, it forgets
 * all values, and some are then held twice.
 */
export class Shared<V> {
  readonly #known = new Map<string, V>()
  #length = 0

  /** The first value that was given with this key. */
  get(key: string, value: V): V {
    const known = this.#known.get(key)
    if (known !== undefined) return known
    if (key.length > longestKey) return value
    if (this.#length + key.length > mostInAll) {
      this.#known.clear()
      this.#length = 0
    }
    this.#known.set(key, value)
    this.#length += key.length
    return value
  }
}
