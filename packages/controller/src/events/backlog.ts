import type { Series } from './series.ts'

/** What waits to be sent, by namespace: what keeps one from taking events need not keep others from it. */
export class Backlog {
  readonly #most: number
  readonly #lanes = new Map<string, Map<string, Series>>()
  #size = 0

  constructor(most: number) {
    this.#most = most
  }

  get size(): number {
    return this.#size
  }

  get namespaces(): string[] {
    return [...this.#lanes.keys()]
  }

  isEmpty(namespace: string): boolean {
    return !this.#lanes.has(namespace)
  }

  /** The one that is to be sent next. */
  first(namespace: string): Series | undefined {
    const [series] = this.#lanes.get(namespace)?.values() ?? []
    return series
  }

  get(namespace: string, key: string): Series | undefined {
    return this.#lanes.get(namespace)?.get(key)
  }

  /** Has one wait, as the last of its namespace. */
  add(series: Series): void {
    this.remove(series)
    const { namespace, key } = series
    const lane = this.#lanes.get(namespace) ?? new Map<string, Series>()
    this.#lanes.set(namespace, lane.set(key, series))
    this.#size += 1
  }

  remove({ namespace, key }: Series): void {
    const lane = this.#lanes.get(namespace)
    if (lane?.delete(key) !== true) return
    this.#size -= 1
    if (lane.size === 0) this.#lanes.delete(namespace)
  }

  /**
   * Whether one more of that namespace fits. Where there are as many as there may be, a namespace of which more wait gives
   * one up for it, which `dropped` is told: not its first, which may be under way.
   */
  makeRoom(namespace: string, dropped: (series: Series) => void): boolean {
    if (this.#size < this.#most) return true
    let longest: Map<string, Series> | undefined
    for (const lane of this.#lanes.values()) if (lane.size > (longest?.size ?? 1)) longest = lane
    if (longest === undefined || longest.size <= (this.#lanes.get(namespace)?.size ?? 0)) return false
    const [, oldest] = longest.values()
    this.remove(oldest as Series)
    dropped(oldest as Series)
    return true
  }
}
