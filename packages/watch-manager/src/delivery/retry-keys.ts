import { type ObjectEvent, RetryKey } from './retry-key.ts'
import type { SinkLimits } from './sink-limits.ts'

/** The events that one delivery holds apart from its cursor, by key. */
export class RetryKeys<C> {
  readonly #limits: SinkLimits<C>
  /** Called when a key has become due. */
  readonly #ready: () => void
  readonly #keys = new Map<string, RetryKey<C>>()
  /** Due: events that waited during a call that succeeded. */
  #next: RetryKey<C>[] = []
  /** Due: events that waited to be retried. */
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

  /** Begins to hold a key. */
  open(key: string): RetryKey<C> {
    const held = new RetryKey<C>(key, this.#limits.environment.clock.monotonic())
    this.#keys.set(key, held)
    return held
  }

  /** The first key that is due, left in its place. @param retries whether retries count */
  peek(retries: boolean): RetryKey<C> | undefined {
    if (this.#next.length > 0) return this.#next[0]
    if (!retries) return undefined
    // If a key's events were dropped meanwhile, it has nothing to deliver: only its failures are reset.
    while (this.#due[0]?.empty) this.succeeded(this.#due.shift() as RetryKey<C>)
    return this.#due[0]
  }

  /** Removes the key that {@link peek} has returned from the due keys. */
  shift(held: RetryKey<C>): void {
    if (this.#next[0] === held) this.#next.shift()
    else this.#due.shift()
  }

  /** Records that the call for a key has succeeded. */
  succeeded(held: RetryKey<C>): void {
    if (held.failures > 0) this.#limits.retrying--
    held.delivered()
    if (held.empty) this.#keys.delete(held.key)
    else this.#next.push(held)
  }

  /** Records that the call for a key has failed. It is retried after a backoff, with the newest event then. */
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

  /** Drops the held `changed` events, because a replay delivers all existing objects. Deletions that were not delivered stay. */
  forgetChanged(): void {
    for (const held of this.#keys.values()) held.changed = undefined
  }

  /** The keys with a failed call. Only for a time at which no call is under way: then each held key waits to be retried. */
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
