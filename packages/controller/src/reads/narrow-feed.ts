import type { ObjectKey } from '@wherry/client'
import { TransformError } from '@wherry/informer'
import type { NarrowCache, NarrowHandler, Subscription } from '@wherry/narrow-cache'
import { abortable } from './abortable.ts'
import type { Answer, Feed, Known } from './feed.ts'
import type { TrackedObject } from './tracked-object.ts'

/** It is there and could not be transformed: why, a read says. */
const untold: Known = { error: new Error('it could not be transformed') }

/** An object that the narrow cache watches for us. */
export class NarrowFeed implements Feed, NarrowHandler<unknown> {
  readonly #narrow: NarrowCache
  readonly #object: TrackedObject
  #subscription: Subscription | undefined
  #opening: Promise<void> | undefined
  #giveUp: AbortController | undefined
  /** It could not be told what it is, when that was asked for last. */
  #isHopeless = false
  #isOver = false

  constructor(narrow: NarrowCache, object: TrackedObject) {
    this.#narrow = narrow
    this.#object = object
  }

  get served(): 'narrow' {
    return 'narrow'
  }

  get isCatchingUp(): boolean {
    return !this.#isHopeless && this.peek() === undefined
  }

  peek(): Known | undefined {
    if (this.#subscription === undefined) return undefined
    try {
      const peeked = this.#narrow.peek(this.#object.view, this.#key)
      return peeked && { state: peeked.object }
    } catch (error) {
      if (error instanceof TransformError) return { error }
      throw error
    }
  }

  value(state: unknown): unknown {
    return state
  }

  async ready(signal: AbortSignal | undefined): Promise<void> {
    try {
      if (this.#subscription === undefined) {
        this.#opening ??= this.#open()
        await abortable(this.#opening, signal)
      }
      if (this.peek() === undefined) await this.#news(signal)
      this.#isHopeless = false
    } catch (error) {
      this.#isHopeless = signal?.aborted !== true
      throw error
    }
  }

  async live(signal: AbortSignal | undefined): Promise<Answer> {
    const object = this.#object
    const { heard, view } = object
    // The answer was told, too, where the cache keeps it.
    try {
      const state = await this.#narrow.get(view, this.#key, { signal })
      return { state, heard: state === object.state ? object.heard : heard }
    } catch (error) {
      if (!(error instanceof TransformError)) throw error
      return { error, heard: object.isUntold ? object.heard : heard }
    }
  }

  close(): void {
    this.#isOver = true
    this.#giveUp?.abort(new Error('nobody waits for it any more'))
    void this.#subscription?.close()
    this.#subscription = undefined
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
    this.#hear(isThere ? untold : { state: undefined })
  }

  #hear(known: Known): void {
    if (this.#isOver) return
    this.#isHopeless = false
    this.#object.observe(known)
  }

  get #key(): ObjectKey {
    return this.#object.key as ObjectKey
  }

  async #open(): Promise<void> {
    this.#giveUp = new AbortController()
    try {
      const { signal } = this.#giveUp
      const subscription = await this.#narrow.watch(this.#object.view, this.#key, this, { signal })
      if (this.#isOver) await subscription.close()
      else this.#subscription = subscription
    } finally {
      this.#opening = undefined
      this.#giveUp = undefined
    }
  }

  /** Waits until it is known how a read goes on: from the cache, by asking the server, or not at all. */
  async #news(signal: AbortSignal | undefined): Promise<void> {
    const probe = await this.#narrow.watch(this.#object.view, this.#key, { absent() {} }, { signal })
    await probe.close()
  }
}
