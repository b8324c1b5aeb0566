import type { Timer } from '@wherry/apiserver'

/** A function to call at a simulated time. `fn` is `undefined` once it was called or cancelled. */
export class Task implements Timer {
  readonly time: number
  readonly sequence: number
  fn: (() => void) | undefined
  readonly #cancelled: () => void

  constructor(time: number, sequence: number, fn: () => void, cancelled: () => void) {
    this.time = time
    this.sequence = sequence
    this.fn = fn
    this.#cancelled = cancelled
  }

  cancel(): void {
    if (this.fn === undefined) return
    this.fn = undefined
    this.#cancelled()
  }
}

/**
 * The tasks, ordered by time and, at the same time, by the order in which they were added.
 *
 * Tasks that are added for a later time are in a binary heap, and tasks that are added for the present
 * time are in a plain queue. When the time of tasks in the heap comes, they were added earlier, so they run first.
 */
export class Agenda {
  #now = 0
  #sequence = 0
  #heap: Task[] = []
  #present: Task[] = []
  #head = 0
  #cancelled = 0
  readonly #onCancel = (): void => {
    this.#cancelled++
  }

  /** The simulated time, in milliseconds from the start. */
  get now(): number {
    return this.#now
  }

  /** Adds `fn` to the agenda, `ms` milliseconds from now. Even the shortest wait moves the time on, so that a wait as short as a rounding error ends. */
  add(ms: number, fn: () => void): Task {
    const time = ms > 0 ? Math.max(this.#now + ms, this.#now * (1 + Number.EPSILON)) : this.#now
    const task = new Task(time, this.#sequence++, fn, this.#onCancel)
    if (time <= this.#now) this.#present.push(task)
    else this.#push(task)
    return task
  }

  /** The time of the next task; `Infinity` if there is none. */
  nextTime(): number {
    this.#dropCancelled()
    const top = this.#heap[0]
    if (this.#head < this.#present.length) return this.#now
    return top === undefined ? Number.POSITIVE_INFINITY : Math.max(top.time, this.#now)
  }

  /** Removes the next task, and moves the time to it. */
  take(): Task | undefined {
    this.#dropCancelled()
    const top = this.#heap[0]
    if (this.#head < this.#present.length && !(top !== undefined && top.time <= this.#now)) {
      const task = this.#present[this.#head++] as Task
      if (this.#head === this.#present.length) {
        this.#present = []
        this.#head = 0
      }
      return task
    }
    if (top === undefined) return undefined
    this.#pop()
    if (top.time > this.#now) this.#now = top.time
    return top
  }

  /** Moves the time on to `time`. No task may be due before it. */
  moveTo(time: number): void {
    if (time > this.#now) this.#now = time
  }

  /** The tasks of the agenda, in its order. */
  tasks(): Task[] {
    const live = [...this.#heap, ...this.#present.slice(this.#head)].filter(task => task.fn !== undefined)
    return live.sort((a, b) => (before(a, b) ? -1 : 1))
  }

  #dropCancelled(): void {
    while (this.#head < this.#present.length && this.#present[this.#head]?.fn === undefined) this.#head++
    if (this.#head > 0 && this.#head === this.#present.length) {
      this.#present = []
      this.#head = 0
    }
    // Cancelled timeouts would collect far ahead in the heap, so they are removed when they are more than half of it.
    if (this.#cancelled > 64 && this.#cancelled * 2 > this.#heap.length) this.#sweep()
    while (this.#heap.length > 0 && this.#heap[0]?.fn === undefined) this.#pop()
  }

  #sweep(): void {
    this.#cancelled = 0
    // An array in order is a heap.
    this.#heap = this.#heap.filter(task => task.fn !== undefined).sort((a, b) => (before(a, b) ? -1 : 1))
  }

  #push(task: Task): void {
    const heap = this.#heap
    let index = heap.length
    while (index > 0) {
      const above = (index - 1) >> 1
      const parent = heap[above] as Task
      if (before(parent, task)) break
      heap[index] = parent
      index = above
    }
    heap[index] = task
  }

  #pop(): void {
    const heap = this.#heap
    const last = heap.pop()
    if (last === undefined || heap.length === 0) return
    let index = 0
    for (;;) {
      let below = 2 * index + 1
      if (below >= heap.length) break
      const right = heap[below + 1]
      if (right !== undefined && before(right, heap[below] as Task)) below++
      const child = heap[below] as Task
      if (before(last, child)) break
      heap[index] = child
      index = below
    }
    heap[index] = last
  }
}

function before(a: Task, b: Task): boolean {
  return a.time < b.time || (a.time === b.time && a.sequence < b.sequence)
}
