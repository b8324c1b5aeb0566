import { LinkedList, Links } from './links.ts'

/** A run of a key. */
export interface Run {
  readonly slot: number
  /** The priority with which the key was handed out. */
  readonly priority: number
  readonly startedAt: number
}

/** The runs under way, in the order in which they began. There are few of them, and their objects are reused. */
export class Runs {
  readonly #links = new Links(initial)
  readonly #order = new LinkedList(this.#links)
  readonly #runs: { slot: number; priority: number; startedAt: number }[] = []
  readonly #spare: number[] = []

  get size(): number {
    return this.#order.size
  }

  /** Begins a run. Returns its id, a small whole number, which is valid until `end`. */
  begin(slot: number, priority: number, startedAt: number): number {
    const id = this.#spare.pop() ?? this.#runs.push({ slot, priority, startedAt }) - 1
    if (id === this.#links.next.length) this.#links.resize(id * 2)
    const run = this.#runs[id] as { slot: number; priority: number; startedAt: number }
    run.slot = slot
    run.priority = priority
    run.startedAt = startedAt
    this.#order.push(id)
    return id
  }

  get(id: number): Run {
    return this.#runs[id] as Run
  }

  end(id: number): void {
    this.#order.remove(id)
    this.#spare.push(id)
  }

  /** The runs, the longest first. */
  *[Symbol.iterator](): IterableIterator<Run> {
    for (let id = this.#order.first; id !== -1; id = this.#order.after(id)) yield this.get(id)
  }
}

const initial = 16
