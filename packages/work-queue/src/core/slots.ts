import { LinkedList, Links } from './links.ts'
import { resized } from './resized.ts'

/** The key can be handed out. This and the next three are bits of {@link Slots.flags}. A key that runs can be AGAIN or DELAYED as well. */
export const READY = 1
/** The key waits for its time. */
export const DELAYED = 2
/** The key is handed out, and `done` has not been called. */
export const RUNNING = 4
/** The key was added while it ran, and will be ready as soon as it is done. */
export const AGAIN = 8

/**
 * The state of each key, in columns: a key has a slot, a small whole number, as long as it is
 * pending or runs. So a million keys take a few arrays and a map, and not a million objects.
 */
export class Slots<K> {
  /** Place in the line of its priority while READY. */
  readonly line: Links = new Links(initial)
  /** Place among all READY keys, by age. */
  readonly age: Links = new Links(initial)
  flags: Uint8Array = new Uint8Array(initial)
  /** The priority with which the key is pending. */
  priority: Float64Array = new Float64Array(initial)
  /** When the key was added without delay, or came due. */
  since: Float64Array = new Float64Array(initial)
  /** While RUNNING: its run. */
  run: Int32Array = new Int32Array(initial)

  /** The slots by key, also those of idle keys. */
  readonly #slots = new Map<K, number>()
  /**
   * The idle keys, which are neither pending nor running, the longest idle first. A few of them stay in
   * the map for a while, at most one for each 32 others. A deleted entry of a large Map stays in its key's
   * bucket until the whole table is rebuilt. So the look-up of a key that comes and goes among many others
   * would pass thousands of that key's deleted entries.
   */
  readonly #idle = new LinkedList(this.line)
  #keys: (K | undefined)[] = []
  #free = -1

  /** The slot of a key; undefined if it is neither pending nor running. */
  find(key: K): number | undefined {
    const slot = this.#slots.get(key)
    return slot !== undefined && this.flags[slot] !== 0 ? slot : undefined
  }

  keyOf(slot: number): K {
    return this.#keys[slot] as K
  }

  /** Returns the slot of a key, and gives the key a slot if it has none. The flags are 0 if it was neither pending nor running. */
  obtain(key: K): number {
    const slot = this.#slots.get(key)
    if (slot === undefined) return this.#add(key)
    if (this.flags[slot] === 0) this.#idle.remove(slot)
    return slot
  }

  /** Makes a key idle, after it has left all lists. Returns whether it was the last key of a flood, so that memory was freed. */
  delete(slot: number): boolean {
    this.flags[slot] = 0
    this.#idle.push(slot)
    while (this.#idle.size > (this.#slots.size - this.#idle.size) >> 5) this.#forget(this.#idle.first)
    if (this.#slots.size > 0 || this.flags.length <= kept) return false
    this.#keys = []
    this.#free = -1
    this.#resize(initial)
    return true
  }

  #add(key: K): number {
    let slot = this.#free
    if (slot === -1) {
      slot = this.#keys.length
      if (slot === this.flags.length) this.#resize(slot * 2)
      this.#keys.push(key)
    } else {
      this.#free = this.line.next[slot] as number
      this.#keys[slot] = key
    }
    this.#slots.set(key, slot)
    return slot
  }

  #forget(slot: number): void {
    this.#idle.remove(slot)
    this.#slots.delete(this.#keys[slot] as K)
    this.#keys[slot] = undefined
    this.line.next[slot] = this.#free
    this.#free = slot
  }

  #resize(capacity: number): void {
    this.line.resize(capacity)
    this.age.resize(capacity)
    this.flags = resized(this.flags, new Uint8Array(capacity))
    this.priority = resized(this.priority, new Float64Array(capacity))
    this.since = resized(this.since, new Float64Array(capacity))
    this.run = resized(this.run, new Int32Array(capacity))
  }
}

const initial = 16
/** An empty queue keeps memory for this many keys. */
const kept = 4096
