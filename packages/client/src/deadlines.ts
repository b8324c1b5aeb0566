import { AsyncLocalStorage } from 'node:async_hooks'
import type { Clock, Timer } from './clock.ts'

/** Something that has to be over by a time. */
export interface Bounded {
  /** On the monotonic clock. */
  readonly deadlineAt: number
  /** Its place in the heap, which the {@link Deadlines} keep; −1: in none. */
  place: number
  /** Its time has come. */
  late(): void
}

const ofClocks = new WeakMap<Clock, Deadlines>()
/** The timer runs in no caller's async context: it would keep that for as long as others wait. */
const apart = AsyncLocalStorage.snapshot()

/** One timer for all that have a deadline by one clock, in a heap. A timer for each of thousands of watches would cost 350 bytes. */
export class Deadlines {
  readonly #clock: Clock
  readonly #heap: Bounded[] = []
  #timer: Timer | undefined
  #timerAt = Number.POSITIVE_INFINITY

  constructor(clock: Clock) {
    this.#clock = clock
  }

  static of(clock: Clock): Deadlines {
    const deadlines = ofClocks.get(clock) ?? new Deadlines(clock)
    ofClocks.set(clock, deadlines)
    return deadlines
  }

  add(one: Bounded): void {
    this.#heap.push(one)
    this.#rise(one, this.#heap.length - 1)
    this.#arm()
  }

  /** Harmless where it is not there. */
  remove(one: Bounded): void {
    const { place } = one
    if (place < 0) return
    one.place = -1
    const last = this.#heap.pop() as Bounded
    if (last !== one) {
      this.#sink(last, place)
      this.#rise(last, last.place)
    }
    if (this.#heap.length === 0) this.#disarm()
  }

  #arm(): void {
    const [first] = this.#heap
    if (first === undefined || first.deadlineAt >= this.#timerAt) return
    this.#disarm()
    this.#timerAt = first.deadlineAt
    const ms = Math.max(1, first.deadlineAt - this.#clock.monotonic())
    this.#timer = apart(() => this.#clock.timer(ms, () => this.#expire()))
  }

  #disarm(): void {
    this.#timer?.cancel()
    this.#timer = undefined
    this.#timerAt = Number.POSITIVE_INFINITY
  }

  #expire(): void {
    this.#disarm()
    const now = this.#clock.monotonic()
    for (let [first] = this.#heap; first !== undefined && first.deadlineAt <= now; [first] = this.#heap) {
      this.remove(first)
      first.late()
    }
    this.#arm()
  }

  /** Puts it at `place`, or nearer to the front, behind what is due before it. */
  #rise(one: Bounded, place: number): void {
    let at = place
    while (at > 0) {
      const above = this.#heap[(at - 1) >> 1] as Bounded
      if (above.deadlineAt <= one.deadlineAt) break
      this.#put(above, at)
      at = (at - 1) >> 1
    }
    this.#put(one, at)
  }

  /** Puts it at `place`, or further back, before what is due after it. */
  #sink(one: Bounded, place: number): void {
    let at = place
    for (;;) {
      const left = this.#heap[2 * at + 1]
      const right = this.#heap[2 * at + 2]
      const next = right !== undefined && left !== undefined && right.deadlineAt < left.deadlineAt ? right : left
      if (next === undefined || next.deadlineAt >= one.deadlineAt) break
      const { place: below } = next
      this.#put(next, at)
      at = below
    }
    this.#put(one, at)
  }

  #put(one: Bounded, place: number): void {
    this.#heap[place] = one
    one.place = place
  }
}
