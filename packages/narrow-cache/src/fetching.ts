import { Backoff, type ReadTarget, type Timer } from '@wherry/client'
import { Fetch, type FetchHandlers } from './fetch.ts'
import type { Kind } from './kind.ts'
import type { Level } from './level.ts'
import type { Task } from './slots.ts'
import type { Known } from './source.ts'
import type { Asked } from './state.ts'

/** Who is read anew. */
export interface Fetched {
  readonly bucket: { readonly kind: Kind; target(level: Level, name: string): ReadTarget }
  readonly key: { readonly name: string }
  readonly level: Level
  /** It has no watch of its own that would tell. */
  readonly isFetchable: boolean
  /** It is about to be read. */
  asked(): Asked
  /** It was read. Gives whether that was any good. */
  fetched(known: Known, level: Level, asked: Asked): boolean
  /** Nothing is left to be done. */
  upToDate(): void
  fetchFailed(error: Error): void
}

/**
 * Reads one object anew, when it has changed and its own watch does not tell (rule N11): when its turn comes, and again
 * until that succeeds.
 */
export class Fetching implements Task, FetchHandlers {
  /** It has changed since it was read last, or may have. */
  isDirty = false
  readonly #of: Fetched
  #isUnderWay = false
  /** What is asked for by the request under way. */
  #level: Level = 0
  #asked: Asked | undefined
  #error: Error | undefined
  #backoff: Backoff | undefined
  #retry: Timer | undefined

  constructor(of: Fetched) {
    this.#of = of
  }

  /** What is held may be older than what the server has. */
  get isBehind(): boolean {
    return this.isDirty || this.#isUnderWay
  }

  /** Why the last time was in vain. */
  get error(): Error | undefined {
    return this.#error
  }

  /** Reads it: now, or once more where that is under way. */
  ask(): void {
    this.isDirty = true
    if (this.#isUnderWay || this.#retry !== undefined) return
    this.#isUnderWay = true
    this.#of.bucket.kind.shared.slots.enter(this)
  }

  /** It need not be read any more. What is under way is not taken. */
  end(): void {
    this.isDirty = false
    this.#error = undefined
    if (this.#of.bucket.kind.shared.slots.withdraw(this)) this.#isUnderWay = false
    this.#retry?.cancel()
    this.#retry = undefined
  }

  /** Its turn has come. */
  begin(): void {
    const { bucket, key, level, isFetchable } = this.#of
    const { shared, resource } = bucket.kind
    this.isDirty = false
    if (!isFetchable) return this.#over()
    shared.count('wherry_narrow_fetches_total', resource)
    this.#level = level
    this.#asked = this.#of.asked()
    new Fetch(shared, bucket.target(level, key.name), key.name, this)
  }

  fetched(known: Known): void {
    const of = this.#of
    this.#over()
    if (!of.isFetchable) return
    this.#error = undefined
    // It may be less than what is needed by now, though it need not have been read any more meanwhile.
    this.isDirty ||= this.#level < of.level
    const isGood = of.fetched(known, this.#level, this.#asked as Asked)
    if (isGood) this.#backoff = undefined
    if (this.isDirty) this.ask()
    else if (isGood) of.upToDate()
    else this.#askLater()
  }

  failed(error: Error): void {
    this.#over()
    if (!this.#of.isFetchable) return
    this.#error = error
    this.#askLater()
    this.#of.fetchFailed(error)
  }

  #askLater(): void {
    const { environment } = this.#of.bucket.kind.shared
    this.isDirty = true
    this.#backoff ??= new Backoff(environment)
    this.#retry = environment.clock.timer(this.#backoff.next(), () => {
      this.#retry = undefined
      if (this.#of.isFetchable) this.ask()
    })
  }

  #over(): void {
    this.#isUnderWay = false
    this.#of.bucket.kind.shared.slots.leave()
  }
}
