import { LinkedList, Links } from './links.ts'
import { resized } from './resized.ts'

/** What a key is, as bits of {@link Slots.flags}. A key that runs can be AGAIN or DELAYED as well. */
export const READY = 1
/** It waits for its time. */
export const DELAYED = 2
/** It is handed out, and `done` has not been called. */
export const RUNNING = 4
/** It was added while it ran, and is ready as soon as it is done. */
export const AGAIN = 8

/**
 * The state of each key, in columns: a key has a slot, a small whole number, as long as it is
 * pending or runs. So a million keys are a dozen arrays and a map, and not a million objects.
 */
export class Slots<K> {
  /** Place in the line of its priority while READY. */
  readonly line: Links = new Links(initial)
  /** Place among the READY ones, by age. */
  readonly age: Links = new Links(initial)
  flags: Uint8Array = new Uint8Array(initial)
  /** The priority that it is pending with. */
  priority: Float64Array = new Float64Array(initial)
  /** When it was added to be handed out at once, or came due. */
  since: Float64Array = new Float64Array(initial)
  /** While RUNNING: its run. */
  run: Int32Array = new Int32Array(initial)

  /** The idle ones among them. */
  readonly #slots = new Map<K, number>()
  /**
   * Keys that are neither pending nor running, the longest so first: a few stay in the map for a
   * while, at most one to each 32 others. A deleted entry of a large Map stays in its key's bucket
   * until the whole table is rebuilt, so that a key that comes and goes among many others would
   * be looked up behind thousands of its own.
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

  /** The slot of a key, which has one from now on; its flags are 0 if it had none. */
  obtain(key: K): number {
    const slot = this.#slots.get(key)
    if (slot === undefined) return this.#add(key)
    if (this.flags[slot] === 0) this.#idle.remove(slot)
    return slot
  }

  /** Frees the slot of a key that is in no list any more. Returns whether it was the last of a flood, so that memory was freed. */
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
/** An empty queue keeps the memory of so many keys. */
const kept = 4096
