import type { Clock, Timer } from '../../clock.ts'
import type { Store } from './store.ts'

/**
 * Compacts every `intervalMs` what was there an interval ago, as an API server does with its etcd: so
 * continue tokens and old states live for one to two intervals. Watch caches keep as long.
 */
export class Compactor {
  readonly #store: Store
  readonly #clock: Clock
  readonly #intervalMs: number
  #before: number
  #timer: Timer

  constructor(store: Store, clock: Clock, intervalMs: number) {
    this.#store = store
    this.#clock = clock
    this.#intervalMs = intervalMs
    this.#before = store.revision
    this.#timer = this.#next()
  }

  close(): void {
    this.#timer.cancel()
  }

  #next(): Timer {
    return this.#clock.timer(this.#intervalMs, () => {
      this.#store.compact(this.#before)
      this.#store.forgetLogs(this.#before)
      this.#before = this.#store.revision
      this.#timer = this.#next()
    })
  }
}
