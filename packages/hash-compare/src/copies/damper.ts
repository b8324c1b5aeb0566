/** How a copy is slowed down that somebody else keeps changing. */
export interface DampingOptions {
  /** So many repairs of one copy are made at once; each further one waits. @default 3 */
  readonly repairs?: number | undefined
  /** The first wait, in milliseconds; it doubles with each repair. @default 1000 */
  readonly minMs?: number | undefined
  /** The longest wait, in milliseconds. @default 300_000 */
  readonly maxMs?: number | undefined
  /** So long without a repair, in milliseconds, and the copy counts as at peace. @default 600_000 */
  readonly forgetMs?: number | undefined
}

interface Repairs {
  repairs: number
  lastAt: number
  /** Whether it was told that this copy flaps. */
  told: boolean
}

/** Counts the repairs of each copy, or of another object by its key, and slows those down that need ever more of them (rule H6): two writers, one field. */
export class Damper {
  readonly #options: Required<{ [K in keyof DampingOptions]-?: number }>
  /** In the order of the last repair. */
  readonly #records = new Map<string, Repairs>()

  constructor({ repairs = 3, minMs = 1000, maxMs = 300_000, forgetMs = 600_000 }: DampingOptions = {}) {
    this.#options = { repairs, minMs, maxMs, forgetMs }
  }

  /** How long a repair of this copy has to wait still; 0: not at all. */
  delayMs(copy: string, now: number): number {
    const record = this.#live(copy, now)
    if (record === undefined || record.repairs < this.#options.repairs) return 0
    const wait = Math.min(this.#options.minMs * 2 ** (record.repairs - this.#options.repairs), this.#options.maxMs)
    return Math.max(0, record.lastAt + wait - now)
  }

  /** Notes a repair. */
  repaired(copy: string, now: number): void {
    const { repairs = 0, told = false } = this.#live(copy, now) ?? {}
    this.#records.delete(copy)
    this.#records.set(copy, { repairs: repairs + 1, lastAt: now, told })
    this.#prune(now)
  }

  /** It is at peace. */
  forget(copy: string): void {
    this.#records.delete(copy)
  }

  /** Whether it was told that this copy flaps, since it was at peace last. */
  wasTold(copy: string): boolean {
    return this.#records.get(copy)?.told === true
  }

  told(copy: string): void {
    const record = this.#records.get(copy)
    if (record !== undefined) record.told = true
  }

  /** The copies that are slowed down. */
  flapping(now: number): string[] {
    this.#prune(now)
    return [...this.#records].filter(([, { repairs }]) => repairs >= this.#options.repairs).map(([copy]) => copy)
  }

  #live(copy: string, now: number): Repairs | undefined {
    const record = this.#records.get(copy)
    return record === undefined || this.#isOver(record, now) ? undefined : record
  }

  /** A wait that is as long as that would end by itself otherwise. */
  #isOver({ lastAt }: Repairs, now: number): boolean {
    return now - lastAt >= Math.max(this.#options.forgetMs, 2 * this.#options.maxMs)
  }

  #prune(now: number): void {
    for (const [copy, record] of this.#records) {
      if (!this.#isOver(record, now)) return
      this.#records.delete(copy)
    }
  }
}
