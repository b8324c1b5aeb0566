interface Waiter<W> {
  readonly what: W
  readonly resolve: () => void
  readonly reject: (reason: unknown) => void
}

/** Who waits until something holds: for `settled()`, say. */
export class Waiters<W extends string> {
  readonly #holds: (what: W) => boolean
  readonly #waiting = new Set<Waiter<W>>()

  constructor(holds: (what: W) => boolean) {
    this.#holds = holds
  }

  /** Resolves when it holds and that is noticed; rejects with the signal's reason. */
  async wait(what: W, signal?: AbortSignal | undefined): Promise<void> {
    signal?.throwIfAborted()
    if (this.#holds(what)) return
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    const waiter: Waiter<W> = { what, resolve, reject }
    const aborted = (): void => reject(signal?.reason)
    this.#waiting.add(waiter)
    signal?.addEventListener('abort', aborted, { once: true })
    try {
      await promise
    } finally {
      this.#waiting.delete(waiter)
      signal?.removeEventListener('abort', aborted)
    }
  }

  /** Something has changed: lets those go on whose wait is over. */
  notice(): void {
    for (const waiter of [...this.#waiting]) {
      if (this.#holds(waiter.what)) waiter.resolve()
    }
  }

  /** Nobody's wait will end otherwise. */
  reject(reason: unknown): void {
    for (const waiter of [...this.#waiting]) waiter.reject(reason)
  }
}
