import { type Client, isForbidden, type KubernetesObject, type ObjectKey, resourceName } from '@wherry/client'
import { guarded, TransformError } from '@wherry/informer'
import {
  type NarrowCache,
  NarrowFullError,
  type NarrowHandler,
  NarrowWatchRefusedError,
  type Subscription,
} from '@wherry/narrow-cache'
import { versionOf } from '../objects/version.ts'
import { metadataOf } from '../objects/views.ts'
import { abortable } from './abortable.ts'
import type { Feed, Known } from './feed.ts'
import type { Polling } from './polling.ts'
import type { TrackedObject } from './tracked-object.ts'

/** How long no watch is tried where one was refused, in milliseconds. */
const refusedMs = 300_000

/** The parts that a {@link NarrowFeed} is made of. */
export interface NarrowFeedParts {
  readonly client: Client
  readonly narrow: NarrowCache
  readonly polling: Polling
}

/**
 * An object that the narrow cache watches by its name. Where it can't be watched, and its resource may be polled, the server is asked for
 * it at each read and from time to time, until it can be watched (rule C16).
 */
export class NarrowFeed implements Feed, NarrowHandler<unknown> {
  readonly #parts: NarrowFeedParts
  readonly #object: TrackedObject
  #subscription: Subscription | undefined
  #opening: Promise<void> | undefined
  #giveUp: AbortController | undefined
  /** It could not be told what it is, when that was asked for last. */
  #isHopeless = false
  #isOver = false
  /** When a watch was refused last, on the monotonic clock; `undefined`: the object is not polled. */
  #refusedAt: number | undefined

  constructor(parts: NarrowFeedParts, object: TrackedObject) {
    this.#parts = parts
    this.#object = object
    parts.polling.add(this, object.view)
  }

  get served(): 'narrow' | 'polled' {
    return this.#isPolled ? 'polled' : 'narrow'
  }

  get #isPolled(): boolean {
    return this.#refusedAt !== undefined
  }

  get isCatchingUp(): boolean {
    return !this.#isHopeless && !this.#isPolled && this.peek() === undefined
  }

  peek(): Known | undefined {
    return !this.#isPolled && this.#subscription !== undefined ? this.#peek() : undefined
  }

  value(state: unknown): unknown {
    return state
  }

  async ready(signal: AbortSignal | undefined): Promise<void> {
    if (this.#isPolled) return
    try {
      await this.#watched(signal)
    } catch (error) {
      if (!isRefusal(error) || this.#parts.polling.pollMs(this.#object.view) === undefined || this.#isOver) throw error
      this.#refused()
    }
  }

  async live(signal: AbortSignal | undefined): Promise<Known> {
    const { client, narrow } = this.#parts
    const { view } = this.#object
    if (!this.#isPolled) return narrow.get(view, this.#key, { signal }).then(asKnown, untransformed)
    const known = await client.get(guarded(view), this.#key, { signal }).then(asKnown, untransformed)
    if (!this.#isPolled) return known
    if (known.error !== undefined && !this.#object.isAt(known)) this.#report(known.error, 'transform')
    this.#object.observe(known)
    return known
  }

  /** Looks at the object, by whatever way there is, and has itself looked at again. Never rejects. */
  async look(signal: AbortSignal): Promise<void> {
    try {
      if (this.#refusedAt !== undefined) await this.#watchAgain(this.#refusedAt, signal)
      // It may have turned out since it was read last that it can't be watched.
      if (this.isCatchingUp) await this.ready(signal)
      if (this.#isPolled && !this.#isOver) await this.live(signal)
    } catch (error) {
      if (!signal.aborted) this.#report(error as Error, 'poll')
    } finally {
      if (!this.#isOver) this.#parts.polling.add(this, this.#object.view)
    }
  }

  async compare(signal: AbortSignal | undefined): Promise<void> {
    const { client, narrow } = this.#parts
    const { view, state } = this.#object
    const { uid } = (state as KubernetesObject | undefined)?.metadata ?? {}
    try {
      if (this.#isPolled) return void (await this.live(signal))
      const there = await client.get(metadataOf(view), this.#key, { signal })
      // Only what was there before: it may have been made again since the server has answered.
      if (there !== undefined) narrow.wrote(view, there)
      else if (uid !== undefined) narrow.deleted(view, this.#key, uid)
    } catch (error) {
      // An object that may not be read is not known to be another.
      if (!isForbidden(error)) throw error
    }
  }

  close(): void {
    this.#isOver = true
    this.#parts.polling.delete(this, this.#object.view)
    this.#unwatch()
  }

  // What the narrow cache tells

  absent(): void {
    this.#hear({ state: undefined })
  }

  add(state: unknown): void {
    this.#hear({ state })
  }

  update(state: unknown): void {
    this.#hear({ state })
  }

  delete(): void {
    this.#hear({ state: undefined })
  }

  untold({ isThere }: { readonly isThere: boolean }): void {
    this.#hear(isThere ? { error: new Error('it could not be transformed') } : { state: undefined })
  }

  #hear(known: Known): void {
    if (this.#isOver) return
    this.#isHopeless = false
    this.#object.observe(known)
  }

  get #key(): ObjectKey {
    return this.#object.key as ObjectKey
  }

  /** The state that the narrow cache has. */
  #peek(): Known | undefined {
    try {
      const peeked = this.#parts.narrow.peek(this.#object.view, this.#key)
      return peeked && { state: peeked.object }
    } catch (error) {
      return untransformed(error)
    }
  }

  /** Resolves when it is known how a read goes on: from the cache, or by asking the server. */
  async #watched(signal: AbortSignal | undefined): Promise<void> {
    const { narrow } = this.#parts
    try {
      if (this.#subscription === undefined) {
        this.#opening ??= this.#open()
        await abortable(this.#opening, signal)
      }
      if (this.#peek() === undefined) {
        const probe = await narrow.watch(this.#object.view, this.#key, { absent() {} }, { signal })
        await probe.close()
      }
      this.#isHopeless = false
    } catch (error) {
      this.#isHopeless = signal?.aborted !== true
      throw error
    }
  }

  async #open(): Promise<void> {
    this.#giveUp = new AbortController()
    try {
      const { signal } = this.#giveUp
      const subscription = await this.#parts.narrow.watch(this.#object.view, this.#key, this, { signal })
      if (this.#isOver) await subscription.close()
      else this.#subscription = subscription
    } finally {
      this.#opening = undefined
      this.#giveUp = undefined
    }
  }

  #unwatch(): void {
    this.#giveUp?.abort(new Error('nobody waits for it any more'))
    void this.#subscription?.close()
    this.#subscription = undefined
  }

  /** The object can't be watched: it is polled from now on. */
  #refused(): void {
    this.#refusedAt = this.#parts.client.environment.clock.monotonic()
    this.#unwatch()
  }

  /** A watch is tried again, once there may be one. */
  async #watchAgain(refusedAt: number, signal: AbortSignal): Promise<void> {
    const { client, narrow } = this.#parts
    const { view, state } = this.#object
    // The narrow cache may have the object by somebody else's read. What was polled may be newer than what it has.
    if (this.#peek() === undefined && client.environment.clock.monotonic() - refusedAt < refusedMs) return
    if (versionOf(state) !== undefined) narrow.wrote(view, state as object)
    try {
      await this.#watched(signal)
      this.#refusedAt = undefined
    } catch (error) {
      if (isRefusal(error)) this.#refused()
      else this.#unwatch()
    }
  }

  #report(error: Error, phase: string): void {
    const { view, key } = this.#object
    this.#parts.client.environment.onError(error, { resource: resourceName(view.resource), phase, key: key.text })
  }
}

/** Whether an object can't be watched, as the narrow cache's error says. */
function isRefusal(error: unknown): boolean {
  return error instanceof NarrowWatchRefusedError || error instanceof NarrowFullError
}

function asKnown(state: unknown): Known {
  return { state }
}

function untransformed(error: unknown): Known {
  if (error instanceof TransformError) return { error }
  throw error
}
