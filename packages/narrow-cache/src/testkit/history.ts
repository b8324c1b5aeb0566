/** What one object was, in the order of its changes: a resourceVersion, or `absent`. */
interface Past {
  readonly state: string
  /** It may have begun then, and had by the time of `surely`. */
  readonly begun: number
  surely: number
  /** The object is absent because the view does not select it: a watch that misses this finds the same object again. */
  isUnselected: boolean
}

/** What a write says of an object that the view does not select any more. To a view it is absent. */
export const unselected = 'unselected'

/** All states of objects as a test made them, to check what was read or received. */
export class History {
  readonly #pasts = new Map<string, Past[]>()
  /** Objects in these states can't be transformed by a strict view. */
  readonly odd: Set<string> = new Set<string>()
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
    const made = await writing
    const isUnselected = made === unselected
    const state = isUnselected ? 'absent' : made
    const last = past.at(-1)
    if (last?.state !== state) past.push({ state, begun, surely: now(), isUnselected })
    else last.isUnselected &&= isUnselected
    return past.length - 1
  }

  of(key: string): Past[] {
    const found = this.#pasts.get(key) ?? [{ state: 'absent', begun: 0, surely: 0, isUnselected: false }]
    this.#pasts.set(key, found)
    return found
  }

  /** The first index from `from` on at which a view has this state, or `failed`. */
  find(key: string, state: string, from: number, isStrict = false): number | undefined {
    const index = this.of(key).findIndex((_, i) => i >= from && this.shows(key, i, state, isStrict))
    return index < 0 ? undefined : index
  }

  /** Whether a view has this state of the object of an index; a strict one has an earlier value, or none, of an odd one (R30). */
  shows(key: string, index: number, state: string, isStrict: boolean): boolean {
    const past = this.of(key)
    const now = past[index]?.state
    if (!isStrict || now === undefined || !this.odd.has(now)) return now === state
    if (state === 'failed') return true
    const isGone = (one: Past): boolean => one.state === 'absent' && !one.isUnselected
    const life = past.slice(past.findLastIndex((one, i) => i < index && isGone(one)) + 1, index)
    return !this.odd.has(state) && life.some(one => one.state === state)
  }

  /** Whether the state of an index may have been the present one at some time between two. */
  wasWithin(key: string, index: number, from: number, to: number): boolean {
    const past = this.of(key)
    const [it, next] = [past[index], past[index + 1]]
    return it !== undefined && it.begun <= to && (next === undefined || next.surely >= from)
  }
}
