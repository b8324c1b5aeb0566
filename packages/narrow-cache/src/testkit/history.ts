/** A state of an object: a resourceVersion, or `absent`. */
interface Past {
  readonly state: string
  /** The state began at this time at the earliest, and at the time `surely` at the latest. */
  readonly begun: number
  surely: number
  /** The object is absent because the view does not select it: a watch that misses this finds the same object again. */
  isUnselected: boolean
}

/** The state that a write returns for an object that the view no longer selects. For the view, the object is absent. */
export const unselected = 'unselected'

/** All states of objects as a test made them, to check the states that were read or received. */
export class History {
  readonly #pasts = new Map<string, Past[]>()
  /** Objects in these states can't be transformed by a strict view. */
  readonly odd: Set<string> = new Set<string>()
  readonly #writing = new Map<string, Promise<unknown>>()

  /** Resolves when the write under way was answered: only then is its state in the history, and readers may have seen it before. */
  async settled(key: string): Promise<void> {
    await this.#writing.get(key)
  }

  /** Runs a write, which resolves with the state that it left. Resolves with the index of that state. */
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

  /** Whether a view may show `state` at an index. A strict view shows no odd state, but `failed` or an earlier value of the same object (R30). */
  shows(key: string, index: number, state: string, isStrict: boolean): boolean {
    const past = this.of(key)
    const now = past[index]?.state
    if (!isStrict || now === undefined || !this.odd.has(now)) return now === state
    if (state === 'failed') return true
    const isGone = (one: Past): boolean => one.state === 'absent' && !one.isUnselected
    const life = past.slice(past.findLastIndex((one, i) => i < index && isGone(one)) + 1, index)
    return !this.odd.has(state) && life.some(one => one.state === state)
  }

  /** Whether the state at an index may have been the present state at some time between `from` and `to`. */
  wasWithin(key: string, index: number, from: number, to: number): boolean {
    const past = this.of(key)
    const [it, next] = [past[index], past[index + 1]]
    return it !== undefined && it.begun <= to && (next === undefined || next.surely >= from)
  }
}
