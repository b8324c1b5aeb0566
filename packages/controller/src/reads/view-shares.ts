import type { Client, View } from '@wherry/client'

/** The number of read objects at which the server is first asked for the size of the view. It is asked again at each doubling. */
const askedFrom = 100

interface Count {
  objects: number
  /** The number of read objects at the last request. */
  askedAt: number
  /** The size of the view in the server's last answer. */
  size: number | undefined
}

/** How large a share of each view is read by name. */
export class ViewShares {
  readonly #client: Client
  readonly #signal: AbortSignal
  readonly #counts = new Map<string, Count>()

  /** @param signal ends its requests. */
  constructor(client: Client, signal: AbortSignal) {
    this.#client = client
    this.#signal = signal
  }

  /** Counts an object of the view that is read by name. */
  add(view: View): void {
    const count = this.#counts.get(view.key) ?? { objects: 0, askedAt: 0, size: undefined }
    this.#counts.set(view.key, count)
    count.objects += 1
    if (count.objects < Math.max(askedFrom, 2 * count.askedAt)) return
    count.askedAt = count.objects
    void this.#ask(view, count)
  }

  /** Counts an object of the view that is no longer read by name. */
  remove(view: View): void {
    const count = this.#counts.get(view.key)
    if (count === undefined) return
    count.objects -= 1
    if (count.objects === 0) this.#counts.delete(view.key)
  }

  /** The share that is read; `undefined` while nobody knows. A view with selectors, or of several namespaces, has no known size. */
  of(view: View): number | undefined {
    const count = this.#counts.get(view.key)
    return count?.size === undefined ? undefined : count.objects / Math.max(1, count.size)
  }

  /** Asks for the size of a view by a list of one item. Without the right to list, objects are still read by name. */
  async #ask(view: View, count: Count): Promise<void> {
    try {
      const page = await this.#client.list(view, { limit: 1, signal: this.#signal })
      const others = page.continue === undefined ? 0 : page.remainingItemCount
      count.size = others === undefined ? undefined : page.items.length + others
    } catch {
      count.size = undefined
    }
  }
}
