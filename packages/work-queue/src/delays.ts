import type { Clock, Timer } from './clock.ts'
import { IndexedHeap } from './core/heap.ts'

/** The keys that wait for their time, by slot, with one timer for the first of them. */
export class Delays {
  readonly #clock: Clock
  readonly #onDue: () => void
  readonly #heap = new IndexedHeap()
  #added = 0
  #timer: Timer | undefined
  #timerAt = Number.POSITIVE_INFINITY

  /** `onDue` is called when the first of them is due. */
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

  /** Lets a slot wait until `due`. Of equal times the one that was added first is due first. */
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

  /** Takes a slot out that is due; -1 if there is none any more, and then the timer is set for the next. */
  takeDue(now: number): number {
    if (this.#heap.firstKey > now + early) {
      this.#arm(now)
      return -1
    }
    const slot = this.#heap.first
    this.remove(slot)
    return slot
  }

  /** Takes out any slot; -1 if there is none. */
  takeAny(): number {
    const slot = this.#heap.first
    if (slot !== -1) this.remove(slot)
    return slot
  }

  /** Sets the timer if there is none, or only a later one. A timer that fires too early (its slot was removed) is set again then. */
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

/** A timer may fire so much too early, by rounding, in milliseconds: to set another for the rest could go on for ever. */
const early = 1e-3
/** Longer waits, in milliseconds, fire at once where timers have 32 bits. */
const longest = 2 ** 31 - 1
