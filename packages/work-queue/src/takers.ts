/** A call that waits for a key. */
interface Taker<K> {
  readonly resolve: (key: K | undefined) => void
  /** Stops listening to the signal. */
  readonly release: () => void
}

/** The calls that wait for a key, in the order of the calls. No call waits while a key is ready. */
export class Takers<K> {
  readonly #waiting = new Set<Taker<K>>()

  get size(): number {
    return this.#waiting.size
  }

  /** Waits in line for a key. As soon as the signal is aborted, leaves the line and rejects with the signal's reason. */
  wait(signal: AbortSignal | undefined): Promise<K | undefined> {
    return new Promise((resolve, reject) => {
      const aborted = (): void => {
        this.#waiting.delete(taker)
        reject(signal?.reason)
      }
      const taker: Taker<K> = { resolve, release: () => signal?.removeEventListener('abort', aborted) }
      signal?.addEventListener('abort', aborted, { once: true })
      this.#waiting.add(taker)
    })
  }

  /** Removes the first call from the line, and returns the function that resolves it with a key. Undefined if none waits. */
  next(): ((key: K | undefined) => void) | undefined {
    for (const taker of this.#waiting) {
      this.#waiting.delete(taker)
      taker.release()
      return taker.resolve
    }
    return undefined
  }

  /** Resolves all waiting calls with `undefined`. */
  end(): void {
    for (let resolve = this.next(); resolve !== undefined; resolve = this.next()) resolve(undefined)
  }
}
