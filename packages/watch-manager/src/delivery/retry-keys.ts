import { type ObjectEvent, RetryKey } from './retry-key.ts'
import type { SinkLimits } from './sink-limits.ts'

/** What one delivery holds beside its cursor, by key. */
export class RetryKeys<C> {
  readonly #limits: SinkLimits<C>
  /** Something has become due. */
  readonly #ready: () => void
  readonly #keys = new Map<string, RetryKey<C>>()
  /** To tell now: what waited while a call was under way that succeeded. */
  #next: RetryKey<C>[] = []
  /** To tell now: what waited to be tried again. */
  #due: RetryKey<C>[] = []

  constructor(limits: SinkLimits<C>, ready: () => void) {
    this.#limits = limits
    this.#ready = ready
  }

  get size(): number {
    return this.#keys.size
  }

  values(): Iterable<RetryKey<C>> {
    return this.#keys.values()
  }

  get(key: string): RetryKey<C> | undefined {
    return this.#keys.get(key)
  }

  /** Holds a key of which nothing is held yet. */
  open(key: string): RetryKey<C> {
    const held = new RetryKey<C>(key, this.#limits.environment.clock.monotonic())
    this.#keys.set(key, held)
    return held
  }

  /** The first that is to be told now, left where it is. `retries`: what is to be tried again too. */
  peek(retries: boolean): RetryKey<C> | undefined {
    if (this.#next.length > 0) return this.#next[0]
    if (!retries) return undefined
    // What was forgotten since has nothing to tell, only its failures to be forgiven.
    while (this.#due[0]?.empty) this.succeeded(this.#due.shift() as RetryKey<C>)
    return this.#due[0]
  }

  /** Takes off what {@link peek} gave. */
  shift(held: RetryKey<C>): void {
    if (this.#next[0] === held) this.#next.shift()
    else this.#due.shift()
  }

  /** Its call succeeded. */
  succeeded(held: RetryKey<C>): void {
    if (held.failures > 0) this.#limits.retrying--
    held.failures = 0
    if (held.empty) this.#keys.delete(held.key)
    else this.#next.push(held)
  }

  /** Its call failed: again after a while, with what is newest then. */
  failed(held: RetryKey<C>, event: ObjectEvent<C>): void {
    if (held.failures === 0) this.#limits.retrying++
    held.failures++
    held.putBack(event)
    held.timer = this.#limits.environment.clock.timer(this.#limits.backoff(held.failures), () => {
      held.timer = undefined
      this.#due.push(held)
      this.#ready()
    })
  }

  /** A replay begins: it tells anew of what is there. What is gone and was not told stays to be told. */
  forgetChanged(): void {
    for (const held of this.#keys.values()) held.changed = undefined
  }

  /** Keys with something that was refused. No call is under way: what is held waits to be tried again. */
  retrying(): string[] {
    return [...this.#keys.values()].filter(held => !held.empty).map(held => held.key)
  }

  /** Drops all. */
  clear(): void {
    for (const held of this.#keys.values()) {
      held.timer?.cancel()
      if (held.failures > 0) this.#limits.retrying--
    }
    this.#keys.clear()
    this.#next = []
    this.#due = []
  }
}
