import type { Clock, Timer } from '@wherry/client'
import { TokenBucket } from '@wherry/client/internal'
import type { Pacer } from '@wherry/informer/internal'

/** Sends at most one request in `everyMs` milliseconds. Requests of entries without a state go first, because a read may wait for the state. */
export class RequestPacer implements Pacer {
  readonly #clock: Clock
  readonly #bucket: TokenBucket
  readonly #first = new Set<() => void>()
  readonly #others = new Set<() => void>()
  #timer: Timer | undefined

  constructor(clock: Clock, everyMs: number) {
    this.#clock = clock
    this.#bucket = new TokenBucket(1, everyMs)
  }

  enter(pass: () => void, isFirst: boolean): (() => void) | undefined {
    if (this.#timer === undefined && this.#bucket.tryTake(this.#clock.monotonic())) return
    const queue = isFirst ? this.#first : this.#others
    // A new function for each call, because a Set holds the same function only once.
    const turn = (): void => pass()
    queue.add(turn)
    this.#arm()
    return () => queue.delete(turn)
  }

  #arm(): void {
    this.#timer ??= this.#clock.timer(this.#bucket.waitMs(this.#clock.monotonic()), () => {
      this.#timer = undefined
      const queue = this.#first.size > 0 ? this.#first : this.#others
      const [turn] = queue
      if (turn === undefined) return
      queue.delete(turn)
      this.#bucket.take(this.#clock.monotonic())
      if (this.#first.size + this.#others.size > 0) this.#arm()
      turn()
    })
  }
}
