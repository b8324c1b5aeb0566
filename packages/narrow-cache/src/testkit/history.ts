/** What one object was, in the order of its changes: a resourceVersion, or `absent`. */
interface Past {
  readonly state: string
  /** It may have begun then, and had by the time of `surely`. */
  readonly begun: number
  surely: number
}

/** All states of objects as a test made them, to tell whether what was read or heard is true. */
export class History {
  readonly #pasts = new Map<string, Past[]>()
  readonly #writing = new Map<string, Promise<unknown>>()

  /** Resolves when the write under way was answered: only then is it known what there may be to see already. */
  async settled(key: string): Promise<void> {
    await this.#writing.get(key)
  }

  /** Runs a write; `after` gives the state that it left. */
  async write(key: string, now: () => number, write: () => Promise<string>): Promise<number> {
    const past = this.of(key)
    const begun = now()
    const writing = write()
    this.#writing.set(key, writing)
    const state = await writing
    if (past.at(-1)?.state !== state) past.push({ state, begun, surely: now() })
    return past.length - 1
  }

  of(key: string): Past[] {
    const found = this.#pasts.get(key) ?? [{ state: 'absent', begun: 0, surely: 0 }]
    this.#pasts.set(key, found)
    return found
  }

  /** The first index from `from` on that has this state. */
  find(key: string, state: string, from: number): number | undefined {
    const index = this.of(key).findIndex((past, i) => i >= from && past.state === state)
    return index < 0 ? undefined : index
  }

  /** Whether the state of an index may have been the present one at some time between two. */
  wasWithin(key: string, index: number, from: number, to: number): boolean {
    const past = this.of(key)
    const [it, next] = [past[index], past[index + 1]]
    return it !== undefined && it.begun <= to && (next === undefined || next.surely >= from)
  }
}
