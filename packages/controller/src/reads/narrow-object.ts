import {
  type CheckedKey,
  type Client,
  isForbidden,
  type KubernetesObject,
  type ObjectKey,
  type Timer,
  type View,
} from '@wherry/client'
import { isAtLeast, readAs, resourceName } from '@wherry/client/internal'
import { abortable, withTransformErrors } from '@wherry/informer/internal'
import { type NarrowCache, type NarrowHandler, NarrowWatchRefusedError, type Subscription } from '@wherry/narrow-cache'
import { versionOf } from '../objects/version.ts'
import { resourceKey } from './own-writes.ts'
import { type Known, TrackedObject, untransformed } from './tracked-object.ts'

/** How long no watch is opened after a refusal, in milliseconds. */
const refusedMs = 300_000

/** The parts that a {@link NarrowObject} is made of. */
export interface NarrowObjectParts {
  readonly client: Client
  readonly narrow: NarrowCache
  /** By resource that may be polled: the interval, in milliseconds. */
  readonly pollMs: ReadonlyMap<string, number>
  /** Ends the requests to the server that no read waits for. */
  readonly stopped: AbortSignal
}

/**
 * An object that the narrow cache watches by its name. If it can't be watched, and its resource may be polled, it is read from the server
 * at each read and at an interval, until it can be watched (rule C16).
 */
export class NarrowObject extends TrackedObject implements NarrowHandler<unknown> {
  readonly #parts: NarrowObjectParts
  #subscription: Subscription | undefined
  #opening: Promise<void> | undefined
  #giveUp: AbortController | undefined
  /** The timer of the next poll; `undefined` if none is set. */
  #next: Timer | undefined
  /** Whether the last attempt to watch the object failed, so that reads do not wait for its state. */
  #isHopeless = false
  /** Whether the server has shown another state than the last received one. */
  #isStale = false
  /** When a watch was refused last, on the monotonic clock; `undefined`: the object is not polled. */
  #refusedAt: number | undefined

  constructor(view: View, key: CheckedKey, released: () => void, parts: NarrowObjectParts) {
    super(view, key, released)
    this.#parts = parts
    this.#lookLater()
  }

  override get served(): 'single' | 'polled' {
    return this.#isPolled ? 'polled' : 'single'
  }

  override get pollMs(): number | undefined {
    return this.#isPolled ? this.#pollMs : undefined
  }

  override get isCatchingUp(): boolean {
    if (this.#isPolled) return false
    return this.#isStale || (!this.#isHopeless && this.shown() === undefined)
  }

  override async ready(signal: AbortSignal | undefined): Promise<void> {
    if (this.#isPolled) return
    try {
      await this.#watched(signal)
    } catch (error) {
      if (!isRefusal(error) || this.#pollMs === undefined || this.isOver) throw error
      this.#refused()
    }
  }

  override async live(signal: AbortSignal | undefined): Promise<Known> {
    const { client, narrow } = this.#parts
    if (!this.#isPolled) return narrow.get(this.view, this.#key, { signal }).then(asKnown, untransformed)
    const known = await client.get(withTransformErrors(this.view), this.#key, { signal }).then(asKnown, untransformed)
    if (!this.#isPolled) return known
    if (known.error !== undefined && !this.isAt(known)) this.#report(known.error, 'transform')
    this.observe(known)
    return known
  }

  override async compare(signal: AbortSignal | undefined): Promise<void> {
    const { client, narrow } = this.#parts
    const { uid } = (this.state as KubernetesObject | undefined)?.metadata ?? {}
    const { seen } = this
    try {
      if (this.#isPolled) return void (await this.live(signal))
      const there = await client.get(readAs(this.view, 'metadata'), this.#key, { signal })
      // The watch will deliver that state, even if the server refuses the watch for a while.
      this.#isStale = seen > 0 && seen === this.seen && this.#differsFrom(there)
      // Only if the object existed: it may have been created again since the server answered.
      if (there !== undefined) narrow.wrote(this.view, there)
      else if (uid !== undefined) narrow.deleted(this.view, this.#key, uid)
    } catch (error) {
      // If the object may not be read, nothing shows that it differs.
      if (!isForbidden(error)) throw error
    }
  }

  /** Whether the server has another state than the last received one. Returns false for a projection without a version, which can't be compared. */
  #differsFrom(there: KubernetesObject | undefined): boolean {
    if (there === undefined || this.state === undefined) return there !== this.state
    const version = versionOf(this.state)
    return version !== undefined && !isAtLeast(version, versionOf(there))
  }

  protected override shown(): Known | undefined {
    return !this.#isPolled && this.#subscription !== undefined ? this.#peek() : undefined
  }

  protected override release(): void {
    this.#next?.cancel()
    this.#unwatch()
    super.release()
  }

  // The handler of the narrow cache

  absent(): void {
    this.#receive({ state: undefined })
  }

  add(state: unknown): void {
    this.#receive({ state })
  }

  update(state: unknown): void {
    this.#receive({ state })
  }

  delete(): void {
    this.#receive({ state: undefined })
  }

  onTransformFailed({ isThere }: { readonly isThere: boolean }): void {
    this.#receive(isThere ? { error: new Error('it could not be transformed') } : { state: undefined })
  }

  #receive(known: Known): void {
    if (this.isOver) return
    this.#isHopeless = false
    this.#isStale = false
    this.observe(known)
  }

  get #key(): ObjectKey {
    return this.key as ObjectKey
  }

  get #isPolled(): boolean {
    return this.#refusedAt !== undefined
  }

  /** The interval of polls, in milliseconds; `undefined` if the resource may not be polled. */
  get #pollMs(): number | undefined {
    return this.#parts.pollMs.get(resourceKey(this.view.resource))
  }

  /** The state that the narrow cache has. */
  #peek(): Known | undefined {
    try {
      const peeked = this.#parts.narrow.peek(this.view, this.#key)
      return peeked && { state: peeked.object }
    } catch (error) {
      return untransformed(error)
    }
  }

  /** Resolves when it is known whether a read is served by the cache or by the server. */
  async #watched(signal: AbortSignal | undefined): Promise<void> {
    const { narrow } = this.#parts
    try {
      if (this.#subscription === undefined) {
        this.#opening ??= this.#open()
        await abortable(this.#opening, signal)
      }
      if (this.#peek() === undefined) {
        const probe = await narrow.watch(this.view, this.#key, { absent() {} }, { signal })
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
      const subscription = await this.#parts.narrow.watch(this.view, this.#key, this, { signal })
      if (this.isOver) await subscription.close()
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

  /** Begins to poll the object, because it can't be watched. */
  #refused(): void {
    this.#refusedAt = this.#parts.client.environment.clock.monotonic()
    this.#unwatch()
  }

  /** Polls the object at an interval, if its resource may be polled. */
  #lookLater(): void {
    const { clock } = this.#parts.client.environment
    if (this.#pollMs === undefined || this.isOver) return
    this.#next = clock.timer(this.#pollMs, () => void this.#look().finally(() => this.#lookLater()))
  }

  /** Reads the object from the cache or the server. Never rejects. */
  async #look(): Promise<void> {
    const { stopped } = this.#parts
    try {
      if (this.#refusedAt !== undefined) await this.#watchAgain(this.#refusedAt)
      // Since the last read, the watch may have been refused.
      if (this.isCatchingUp) await this.ready(stopped)
      if (this.#isPolled && !this.isOver) await this.live(stopped)
    } catch (error) {
      if (!stopped.aborted) this.#report(error as Error, 'poll')
    }
  }

  /** Opens a watch again, if the last refusal is long enough ago. */
  async #watchAgain(refusedAt: number): Promise<void> {
    const { client, narrow, stopped } = this.#parts
    // Another read may have brought the object into the narrow cache. The polled state may be newer than the cached one.
    if (this.#peek() === undefined && client.environment.clock.monotonic() - refusedAt < refusedMs) return
    if (versionOf(this.state) !== undefined) narrow.wrote(this.view, this.state as object)
    try {
      await this.#watched(stopped)
      this.#refusedAt = undefined
    } catch (error) {
      if (isRefusal(error)) this.#refused()
      else this.#unwatch()
    }
  }

  #report(error: Error, phase: string): void {
    const resource = resourceName(this.view.resource)
    this.#parts.client.environment.onError(error, { resource, phase, key: this.key.text })
  }
}

/** Whether an object can't be watched, as the narrow cache's error says. */
function isRefusal(error: unknown): boolean {
  return error instanceof NarrowWatchRefusedError
}

function asKnown(state: unknown): Known {
  return { state }
}
