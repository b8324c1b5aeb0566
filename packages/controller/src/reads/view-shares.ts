import type { Client, View } from '@wherry/client'

/** From how many objects on the server is asked how many there are; then again whenever twice as many are read. */
const askedFrom = 100

interface Count {
  objects: number
  /** How many of them there were when the server was asked last. */
  askedAt: number
  /** How many objects the view has, as the server said then. */
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

  /** One more object of the view is read by name. */
  add(view: View): void {
    const count = this.#counts.get(view.key) ?? { objects: 0, askedAt: 0, size: undefined }
    this.#counts.set(view.key, count)
    count.objects += 1
    if (count.objects < Math.max(askedFrom, 2 * count.askedAt)) return
    count.askedAt = count.objects
    void this.#ask(view, count)
  }

  /** One object of the view is read no more. */
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

  /** One item of a list says how many others there are. Without the right to list, objects are read on by name. */
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
