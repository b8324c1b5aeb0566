/** A pending key of the model. */
interface Pending {
  priority: number
  /** The time at which the key is due; undefined once it is ready. */
  due: number | undefined
  /** The number of the event that added the key: of keys that are due at the same time, the smaller number comes first. */
  added: number
  /** The time at which the key became ready, and the number of that event. */
  since: number
  ready: number
  /** The number of the event that put the key into the line of its priority. */
  line: number
}

/** A model of the queue in its simplest form: it searches all keys, and keeps no order. */
export class Model {
  readonly ageing: { readonly afterMs: number; readonly every: number }
  readonly pending: Map<string, Pending> = new Map()
  /** The running keys, in order, with their priorities. */
  readonly running: Map<string, number> = new Map()
  readonly failures: Map<string, number> = new Map()
  /** The waiting takers, in the order of their calls. */
  takers: number[] = []
  /** The key of each taker. */
  readonly given: Map<number, string | undefined> = new Map()
  state: 'open' | 'draining' | 'stopped' = 'open'
  now = 1000
  #events = 0
  #wentPast = 0

  constructor(ageing: { readonly afterMs: number; readonly every: number }) {
    this.ageing = ageing
  }

  get size(): number {
    return this.#all(each => each.due === undefined).length
  }

  get delayed(): number {
    return this.#all(each => each.due !== undefined).length
  }

  get isOver(): boolean {
    return this.state !== 'open' && this.size === 0
  }

  priorityOf(key: string): number | undefined {
    return this.running.get(key) ?? this.pending.get(key)?.priority
  }

  add(key: string, priority: number, afterMs: number): void {
    if (this.state !== 'open') return
    const event = this.#events++
    const due = afterMs > 0 ? this.now + afterMs : undefined
    const its = this.pending.get(key)
    if (its === undefined) {
      this.pending.set(key, { priority, due, added: event, since: this.now, ready: event, line: event })
    } else {
      if (priority > its.priority) Object.assign(its, { priority, line: event })
      if (its.due !== undefined && (due === undefined || due < its.due)) {
        Object.assign(its, { due, added: event, since: this.now, ready: event, line: event })
      }
    }
    this.#serve()
  }

  addRateLimited(key: string): void {
    if (this.state !== 'open') return
    const failures = this.failures.get(key) ?? 0
    this.failures.set(key, failures + 1)
    this.add(key, this.priorityOf(key) ?? 0, Math.min(5 * 2 ** failures, 1_000_000))
  }

  remove(key: string): boolean {
    const was = this.pending.delete(key)
    this.#endTakers()
    return was
  }

  tryTake(): string | undefined {
    const ready = this.#all((each, key) => each.due === undefined && !this.running.has(key))
    const oldest = ready.toSorted(([, a], [, b]) => a.ready - b.ready)[0]
    const highest = ready.toSorted(([, a], [, b]) => b.priority - a.priority || a.line - b.line)[0]
    if (oldest === undefined || highest === undefined) return undefined
    let next = highest
    if (oldest === highest) this.#wentPast = 0
    else if (++this.#wentPast >= this.ageing.every && this.now - oldest[1].since >= this.ageing.afterMs) {
      this.#wentPast = 0
      next = oldest
    }
    const [key, { priority }] = next
    this.pending.delete(key)
    this.running.set(key, priority)
    return key
  }

  take(taker: number): void {
    const key = this.tryTake()
    if (key === undefined && !this.isOver) this.takers.push(taker)
    else this.given.set(taker, key)
    this.#endTakers()
  }

  done(key: string): void {
    this.running.delete(key)
    const again = this.pending.get(key)
    if (again !== undefined && again.due === undefined) {
      again.line = this.#events
      again.ready = this.#events++
    }
    this.#serve()
  }

  advance(ms: number): void {
    const until = this.now + ms
    for (;;) {
      const waiting = this.#all(each => each.due !== undefined && each.due <= until)
      const first = Math.min(...waiting.map(([, each]) => each.due as number))
      if (waiting.length === 0) break
      this.now = first
      const due = waiting.filter(([, each]) => each.due === first).toSorted(([, a], [, b]) => a.added - b.added)
      for (const [, each] of due) {
        each.due = undefined
        each.since = first
        each.line = this.#events
        each.ready = this.#events++
      }
      this.#serve()
    }
    this.now = until
  }

  stop(drain: boolean): void {
    if (!drain) this.state = 'stopped'
    else if (this.state === 'open') this.state = 'draining'
    for (const [key, { due }] of this.pending)
      if (due !== undefined || this.state === 'stopped') this.pending.delete(key)
    this.#endTakers()
  }

  #all(which: (each: Pending, key: string) => boolean): [string, Pending][] {
    return [...this.pending].filter(([key, each]) => which(each, key))
  }

  #serve(): void {
    while (this.takers.length > 0) {
      const key = this.tryTake()
      if (key === undefined) break
      this.given.set(this.takers.shift() as number, key)
    }
    this.#endTakers()
  }

  #endTakers(): void {
    if (!this.isOver) return
    for (const taker of this.takers.splice(0)) this.given.set(taker, undefined)
    if (this.running.size === 0) this.state = 'stopped'
  }
}
