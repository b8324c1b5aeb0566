/** So many different values are known at once. */
const most = 4096

/**
 * Gives one value for all that are alike: ten thousand copies of fifty objects have fifty names. Forgets all where too many
 * are different; then some are there twice, which costs memory only.
 */
export class Shared<V> {
  readonly #known = new Map<string, V>()

  /** The first value that was given with this key. */
  get(key: string, value: V): V {
    const known = this.#known.get(key)
    if (known !== undefined) return known
    if (this.#known.size === most) this.#known.clear()
    this.#known.set(key, value)
    return value
  }
}
