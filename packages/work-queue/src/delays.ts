import type { Clock, Timer } from './clock.ts'
import { IndexedHeap } from './core/heap.ts'

/** The slots of delayed keys, with one timer for the earliest. */
export class Delays {
  readonly #clock: Clock
  readonly #onDue: () => void
  readonly #heap = new IndexedHeap()
  #added = 0
  #timer: Timer | undefined
  #timerAt = Number.POSITIVE_INFINITY

  /** `onDue` is called when the earliest slot is due. */
  constructor(clock: Clock, onDue: () => void) {
    this.#clock = clock
    this.#onDue = onDue
  }

  get size(): number {
    return this.#heap.size
  }

  /** When a slot is due that waits. */
  dueAt(slot: number): number {
    return this.#heap.keyOf(slot)
  }

  /** Delays a slot until `due`. Slots of equal times are due in the order of their adds. */
  add(slot: number, due: number, now: number): void {
    this.#heap.push(slot, due, this.#added++)
    this.#arm(now)
  }

  /** Lets a slot wait no longer. */
  remove(slot: number): void {
    this.#heap.remove(slot)
    if (this.#heap.size === 0) this.#disarm()
  }

  /** Gives back the memory that a flood of slots took, once none is left. */
  shrink(): void {
    this.#heap.clear()
  }

  /** Removes and returns a slot that is due; -1 if there is none: the timer is then set for the next one. */
  takeDue(now: number): number {
    if (this.#heap.firstKey > now + early) {
      this.#arm(now)
      return -1
    }
    const slot = this.#heap.first
    this.remove(slot)
    return slot
  }

  /** Removes and returns any slot; -1 if there is none. */
  takeAny(): number {
    const slot = this.#heap.first
    if (slot !== -1) this.remove(slot)
    return slot
  }

  /** Sets the timer if there is none, or only a later one. A timer that fires too early, because its slot was removed, is set again. */
  #arm(now: number): void {
    const due = this.#heap.firstKey
    if (due >= this.#timerAt) return
    this.#disarm()
    this.#timerAt = due
    this.#timer = this.#clock.timer(Math.min(Math.max(0, due - now), longest), () => {
      this.#timer = undefined
      this.#timerAt = Number.POSITIVE_INFINITY
      this.#onDue()
    })
  }

  #disarm(): void {
    this.#timer?.cancel()
    this.#timer = undefined
    this.#timerAt = Number.POSITIVE_INFINITY
  }
}

/** How much too early a timer may fire because of rounding, in milliseconds. Another timer for the rest could repeat for ever. */
const early = 1e-3
/** The longest time of a 32-bit timer, in milliseconds: a longer one would fire at once. */
const longest = 2 ** 31 - 1
