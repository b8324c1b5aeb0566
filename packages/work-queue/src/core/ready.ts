import { IndexedHeap } from './heap.ts'
import { LinkedList } from './links.ts'
import type { Slots } from './slots.ts'

/** How the keys that have been ready the longest get their turn. */
export interface Ageing {
  readonly afterMs: number
  readonly every: number
}

/** The keys of one priority, in the order in which they got it. */
interface Level {
  readonly priority: number
  readonly id: number
  readonly slots: LinkedList
}

/**
 * The keys that can be handed out: a line for each priority, and a line of all keys by age.
 *
 * The key with the highest priority is next, except if the last `ageing.every - 1` keys passed the
 * oldest key, and that key has been ready for `ageing.afterMs`: then the oldest key is next. So once a
 * key has been ready for `afterMs`, each `every`-th key that is taken is the oldest. Keys that become
 * ready later are younger, so a key with m older keys is at the latest the (m + 1) × `every`-th from then.
 */
export class ReadyKeys<K> {
  readonly #slots: Slots<K>
  readonly #ageing: Ageing
  readonly #byAge: LinkedList
  /** The levels by priority. Empty levels stay until there are too many of them. */
  readonly #levels = new Map<number, Level>()
  readonly #byId: Level[] = []
  readonly #spareIds: number[] = []
  /** The levels that are not empty, highest priority first. */
  readonly #order = new IndexedHeap()
  #wentPast = 0

  constructor(slots: Slots<K>, ageing: Ageing) {
    this.#slots = slots
    this.#ageing = ageing
    this.#byAge = new LinkedList(slots.age)
  }

  get size(): number {
    return this.#byAge.size
  }

  /** Each priority that has keys, and their number, in no order. */
  *depths(): IterableIterator<[number, number]> {
    for (const { priority, slots } of this.#levels.values()) if (slots.size > 0) yield [priority, slots.size]
  }

  /** Appends a slot to its priority's line; it is the youngest. */
  push(slot: number): void {
    this.#enter(slot)
    this.#byAge.push(slot)
  }

  remove(slot: number): void {
    this.#leave(slot)
    this.#byAge.remove(slot)
  }

  /** Moves a slot to the end of another priority's line; its age stays. */
  raise(slot: number, priority: number): void {
    this.#leave(slot)
    this.#slots.priority[slot] = priority
    this.#enter(slot)
  }

  /** Takes out the slot that is next; -1 if there is none. */
  take(now: number): number {
    const level = this.#order.first
    if (level === -1) return -1
    const slot = this.#next((this.#byId[level] as Level).slots.first, now)
    this.remove(slot)
    return slot
  }

  #next(highest: number, now: number): number {
    const oldest = this.#byAge.first
    if (highest !== oldest) {
      const { afterMs, every } = this.#ageing
      this.#wentPast += 1
      if (this.#wentPast < every || now - (this.#slots.since[oldest] as number) < afterMs) return highest
    }
    this.#wentPast = 0
    return oldest
  }

  #enter(slot: number): void {
    const priority = this.#slots.priority[slot] as number
    const level = this.#levels.get(priority) ?? this.#newLevel(priority)
    if (level.slots.size === 0) this.#order.push(level.id, -priority)
    level.slots.push(slot)
  }

  #leave(slot: number): void {
    const level = this.#levels.get(this.#slots.priority[slot] as number) as Level
    level.slots.remove(slot)
    if (level.slots.size === 0) this.#order.remove(level.id)
  }

  #newLevel(priority: number): Level {
    if (this.#levels.size >= 2 * this.#order.size + keptEmpty) this.#dropEmpty()
    const id = this.#spareIds.pop() ?? this.#byId.length
    const level = { priority, id, slots: new LinkedList(this.#slots.line) }
    this.#byId[id] = level
    this.#levels.set(priority, level)
    return level
  }

  #dropEmpty(): void {
    if (this.#order.size === 0) {
      this.#levels.clear()
      this.#byId.length = 0
      this.#spareIds.length = 0
      this.#order.clear()
    }
    for (const { priority, id, slots } of this.#levels.values()) {
      if (slots.size > 0) continue
      this.#levels.delete(priority)
      this.#spareIds.push(id)
    }
  }
}

/** At least this many empty levels are kept, so that the few priorities in use make no garbage. */
const keptEmpty = 16
