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

  /** The time at which a delayed slot is due. */
  dueAt(slot: number): number {
    return this.#heap.keyOf(slot)
  }

  /** Delays a slot until `due`. Slots of equal times are due in the order of their adds. */
  add(slot: number, due: number, now: number): void {
    this.#heap.push(slot, due, this.#added++)
    this.#arm(now)
  }

  /** Removes a delayed slot. */
  remove(slot: number): void {
    this.#heap.remove(slot)
    if (this.#heap.size === 0) this.#disarm()
  }

  /** Frees the memory that a flood of slots took. Call it only when no slot is left. */
  shrink(): void {
    this.#heap.clear()
  }

  /** Removes and returns a slot that is due. If none is due, sets the timer for the next slot and returns -1. */
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

  /** Sets the timer for the earliest slot, unless it fires by then already. If it fires too early, because its slot was removed, `takeDue` sets it again. */
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

/** A slot counts as due this many milliseconds early, because rounding makes timers fire early: a timer for the rest of the time could repeat for ever. */
const early = 1e-3
/** The longest time of a 32-bit timer, in milliseconds: a timer for a longer time would fire at once. */
const longest = 2 ** 31 - 1
