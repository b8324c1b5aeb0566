import { resized } from './resized.ts'

/**
 * A binary heap of small whole numbers (ids): the least key first; of equal keys, the least tie
 * first. Any id can be removed, because its place is known.
 */
export class IndexedHeap {
  #ids = new Int32Array(initial)
  #keys = new Float64Array(initial)
  #ties = new Float64Array(initial)
  /** By id: its place in the heap plus one; 0 if the id is not in the heap. */
  #places = new Int32Array(initial)
  #size = 0

  get size(): number {
    return this.#size
  }

  /** The id with the least key; -1 if there is none. */
  get first(): number {
    return this.#size === 0 ? -1 : (this.#ids[0] as number)
  }

  /** The least key; Infinity if there is none. */
  get firstKey(): number {
    return this.#size === 0 ? Number.POSITIVE_INFINITY : (this.#keys[0] as number)
  }

  /** The key of an id that is in the heap. */
  keyOf(id: number): number {
    return this.#keys[(this.#places[id] as number) - 1] as number
  }

  /** Adds an id that is not in the heap. */
  push(id: number, key: number, tie = 0): void {
    if (this.#size === this.#ids.length) {
      const capacity = this.#size * 2
      this.#ids = resized(this.#ids, new Int32Array(capacity))
      this.#keys = resized(this.#keys, new Float64Array(capacity))
      this.#ties = resized(this.#ties, new Float64Array(capacity))
    }
    if (id >= this.#places.length) this.#places = resized(this.#places, new Int32Array(id * 2))
    this.#up(this.#size++, id, key, tie)
  }

  /** Removes an id that is in the heap. */
  remove(id: number): void {
    const place = (this.#places[id] as number) - 1
    this.#places[id] = 0
    const last = --this.#size
    if (place === last) return
    const moved = this.#ids[last] as number
    const key = this.#keys[last] as number
    const tie = this.#ties[last] as number
    // The last id fills the gap, and moves from there down or up to its place.
    this.#up(this.#down(place, key, tie), moved, key, tie)
  }

  /** Empties the heap and frees its memory. (`remove` keeps the memory even of an empty heap, which may be filled again at once.) */
  clear(): void {
    this.#ids = new Int32Array(initial)
    this.#keys = new Float64Array(initial)
    this.#ties = new Float64Array(initial)
    this.#places = new Int32Array(initial)
    this.#size = 0
  }

  /** Puts an id at `place`, or higher, after it has moved ids with greater keys down. */
  #up(place: number, id: number, key: number, tie: number): void {
    let at = place
    while (at > 0) {
      const parent = (at - 1) >> 1
      if (!this.#isBefore(key, tie, parent)) break
      this.#move(parent, at)
      at = parent
    }
    this.#ids[at] = id
    this.#keys[at] = key
    this.#ties[at] = tie
    this.#places[id] = at + 1
  }

  /** Moves ids with lesser keys up into the gap at `place`. Returns the new place of the gap. */
  #down(place: number, key: number, tie: number): number {
    let at = place
    for (;;) {
      let child = 2 * at + 1
      if (child >= this.#size) return at
      const right = child + 1
      if (right < this.#size && this.#isBefore(this.#keys[right] as number, this.#ties[right] as number, child)) {
        child = right
      }
      if (this.#isBefore(key, tie, child)) return at
      this.#move(child, at)
      at = child
    }
  }

  #isBefore(key: number, tie: number, place: number): boolean {
    const other = this.#keys[place] as number
    return key < other || (key === other && tie < (this.#ties[place] as number))
  }

  #move(from: number, to: number): void {
    const id = this.#ids[from] as number
    this.#ids[to] = id
    this.#keys[to] = this.#keys[from] as number
    this.#ties[to] = this.#ties[from] as number
    this.#places[id] = to + 1
  }
}

const initial = 16
