import type { Clock, View } from '@wherry/client'
import { rememberedMs } from '../reads/own-writes.ts'

/** An object that an apply has created. */
export interface Creation {
  readonly view: View
  /** `namespace/name` of the object. */
  readonly key: string
  /** The key that created the object. */
  readonly by: string
  /** Whether a cache shows the object. */
  isShown(): boolean
}

/** The maximum number of objects that wait for their check. If one more is created, the oldest is checked at once. */
const mostKnown = 10_000

/**
 * Finds the created objects that no cache ever showed. If somebody deletes an object before the informer has seen it, and the informer lists again
 * meanwhile, no event shows its creation or its deletion. So each object is checked once, a minute after its creation.
 */
export class UnseenCreations {
  readonly #clock: Clock
  readonly #onLost: (creation: Creation) => void
  /** By resource and key, each with its time on the monotonic clock, in milliseconds. The oldest first. */
  readonly #creations = new Map<string, readonly [Creation, number]>()
  #timer: { cancel(): void } | undefined

  /** @param onLost is called for each object that is not shown after a minute. Must not throw. */
  constructor(clock: Clock, onLost: (creation: Creation) => void) {
    this.#clock = clock
    this.#onLost = onLost
  }

  /** @param id names the object by its resource and key */
  note(id: string, creation: Creation): void {
    this.#creations.delete(id)
    this.#creations.set(id, [creation, this.#clock.monotonic()])
    this.#look()
  }

  /** An informer has shown the object. */
  shown(id: string): void {
    this.#creations.delete(id)
  }

  close(): void {
    this.#creations.clear()
    this.#timer?.cancel()
  }

  #look(): void {
    const now = this.#clock.monotonic()
    for (const [id, [creation, at]] of this.#creations) {
      if (now - at < rememberedMs && this.#creations.size <= mostKnown) break
      this.#creations.delete(id)
      if (!creation.isShown()) this.#onLost(creation)
    }
    const [oldest] = this.#creations.values()
    if (oldest === undefined || this.#timer !== undefined) return
    this.#timer = this.#clock.timer(Math.max(0, oldest[1] + rememberedMs - now), () => {
      this.#timer = undefined
      this.#look()
    })
  }
}
