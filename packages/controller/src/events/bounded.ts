/** The most that is remembered of each kind: about as much as client-go's recorder does. */
const most = 4096

/** A map that forgets what was set longest ago. */
export class Bounded<V> {
  readonly #map = new Map<string, V>()

  get(key: string): V | undefined {
    return this.#map.get(key)
  }

  set(key: string, value: V): void {
    this.#map.delete(key)
    this.#map.set(key, value)
    if (this.#map.size <= most) return
    for (const oldest of this.#map.keys()) {
      this.#map.delete(oldest)
      return
    }
  }

  delete(key: string): void {
    this.#map.delete(key)
  }
}
