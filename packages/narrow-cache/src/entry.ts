import type { KubernetesObject } from '@wherry/client'
import type { Bucket } from './bucket.ts'
import { Feeding, type FeedingOwner } from './feeding.ts'
import type { CheckedKey } from './key.ts'
import type { Kind } from './kind.ts'
import type { NarrowView } from './narrow-view.ts'
import { OwnWrites } from './own-writes.ts'
import { type Version, versionOf } from './source.ts'
import { type Asked, State } from './state.ts'

/**
 * How a read of an entry goes on: from the store, or by waiting for the next news of it, or by asking the server, because
 * the entry can't tell (`live`) or was refused room (`full`).
 */
export type Readiness = 'cached' | 'wait' | 'live' | 'full'

/**
 * What came of asking the server: what is kept is as new now; or it can't be told which is newer; or what feeds the entry could
 * not go on from there, or what this process was told of meanwhile may be newer.
 */
export type Learnt = 'kept' | 'unclear' | 'nothing'

/** Who waits for an entry to have something to read. */
export interface Waiting {
  /** It may have. */
  news(): void
  /** It never will. */
  over(): void
}

/**
 * One object that somebody asked for, watched: present or absent (rules N1–N5). Says how a read of it goes on, by what is known
 * of it ({@link State}), how that is kept true ({@link Feeding}), and what this process wrote itself (N9).
 */
export class Entry implements FeedingOwner {
  readonly bucket: Bucket
  readonly key: CheckedKey
  /** Subscriptions, and reads that wait. */
  pins = 0
  /** On the monotonic clock. */
  readAt = 0
  /** It has no room but by an escalation (rule N7). */
  isOverBound = false
  readonly feeding: Feeding
  readonly #state: State
  #isOver = false
  #isFull = false
  #writes: OwnWrites | undefined
  /** Nobody waits for most entries. */
  #waiting: Set<Waiting> | undefined

  constructor(bucket: Bucket, key: CheckedKey) {
    this.bucket = bucket
    this.key = key
    this.#state = new State(key.text)
    this.feeding = new Feeding(this, this.#state)
  }

  get kind(): Kind {
    return this.bucket.kind
  }

  get views(): NarrowView[] {
    return this.#state.views
  }

  get isOver(): boolean {
    return this.#isOver
  }

  /** Whether there is an object; `undefined`: not known yet. */
  get isPresent(): boolean | undefined {
    return this.#state.isKnown ? this.#state.held !== undefined : undefined
  }

  /** Whether that was ever known: somebody may follow it. */
  get wasKnown(): boolean {
    return this.#state.wasKnown
  }

  /** There was no room for it. */
  get isFull(): boolean {
    return this.#isFull
  }

  /** It has no room but by one watch of many, and that fails: it can't be told when there will be something to read. */
  get isStranded(): boolean {
    return this.isOverBound && this.feeding.hasNoWay
  }

  /** Feeds a view too: from what another view keeps, or by asking for more (rule N2). */
  join(view: NarrowView): void {
    if (this.#state.has(view)) return
    view.entries.set(this.key.text, this)
    if (!this.#state.add(view, this.feeding.brings(view.level))) this.feeding.widen(view.level)
  }

  /** A state of it is in the view's store. */
  isIn(view: NarrowView): boolean {
    return this.#state.isIn(view)
  }

  /** Why `view` can't be told of it at present. */
  refusal(view: NarrowView): Error | undefined {
    return this.feeding.refusal(!this.#state.isIn(view))
  }

  /** How a read of `view` goes on. */
  readiness(view: NarrowView): Readiness {
    if (this.#isFull) return 'full'
    const isIn = this.#state.isIn(view)
    // Without a watch nothing will tell when what was answered is not so any more.
    const isUnfed = this.#state.isKnown && !this.feeding.isFed
    if (isUnfed || this.#writes?.isUnsure === true || this.feeding.isHopeless(!isIn)) return 'live'
    if (!isIn || this.feeding.isStale) return 'wait'
    const { held, reached } = this.#state
    const behind = this.#writes?.behind(held, reached, this.feeding.reached) ?? 'no'
    return behind === 'no' ? 'cached' : behind === 'yes' ? 'wait' : 'live'
  }

  /** Tells of each news from now on. */
  follow(waiting: Waiting): void {
    this.#waiting ??= new Set()
    this.#waiting.add(waiting)
  }

  unfollow(waiting: Waiting): void {
    this.#waiting?.delete(waiting)
    if (this.#waiting?.size === 0) this.#waiting = undefined
  }

  /** What this process wrote, or read past the cache: later reads are at least as new (rule N9). */
  saw(object: KubernetesObject): void {
    const { labels, fields } = this.kind.view
    const { held, isKnown, reached } = this.#state
    const isSelected = this.#isNameSelected && labels.matches(object.metadata?.labels)
    this.#writes ??= new OwnWrites()
    if (!isSelected && held === undefined && isKnown) return this.#writes.sawUnselected(versionOf(object))
    // Of other fields only the server knows whether an event will come.
    const isCertain = isSelected && fields.requirements.every(({ field }) => field.startsWith('metadata.'))
    // What is being fetched has come as far as its watch only once it was.
    const heard = this.feeding.isStale ? [reached] : [reached, this.feeding.reached]
    this.#writes.saw(object, held, isCertain || (held !== undefined && 'held'), heard)
  }

  /** It is gone, as this process knows: `uid`, or whatever it was. */
  sawGone(uid: string | undefined): void {
    this.#writes ??= new OwnWrites()
    this.#writes.sawGone(uid, this.#state.held)
  }

  /**
   * Asks the server by itself, and keeps what it answers. Rejects with the signal's reason, or with what the server says.
   */
  async learn(signal: AbortSignal | undefined): Promise<Learnt> {
    signal?.throwIfAborted()
    if (this.#isOver || this.feeding.refusal(false) !== undefined || !this.feeding.isEnough) return 'nothing'
    const { level } = this.feeding
    const { name } = this.key
    const asked = this.feeding.asked()
    const known = await this.kind.shared.fetch(this.bucket.target(level, name), name, signal)
    signal?.throwIfAborted()
    // A view that needs more than was asked for would not be told of it.
    if (this.#isOver || !this.feeding.isEnough || this.feeding.level > level) return 'nothing'
    if (!this.feeding.learned(known, level, asked)) return 'unclear'
    // What it was told of since may be later than the answer.
    return (this.#writes?.outlived(this.#state.held) ?? 'no') === 'no' ? 'kept' : 'nothing'
  }

  /** The server's own answer, to who has asked then for the object by its name. It does not tell how new it is, but by the object. */
  sawLive(object: KubernetesObject | undefined, asked: Asked): void {
    this.#writes ??= new OwnWrites()
    this.#writes.settled(asked.told, object?.metadata?.uid)
    if (this.#state.isOutdated(asked)) this.#writes.sawUnsure()
    else if (object === undefined) this.#writes.sawAbsent()
    else this.saw(object)
    this.feeding.found()
  }

  /** The field selector takes an object of its name and namespace. */
  get #isNameSelected(): boolean {
    const { name, namespace } = this.key
    const own: Partial<Record<string, string>> = { 'metadata.name': name, 'metadata.namespace': namespace }
    return this.kind.view.fields.requirements.every(
      ({ field, operator, value }) => own[field] === undefined || (operator === '=') === (own[field] === value),
    )
  }

  /** There is no room for it: who waits reads from the server. */
  full(): void {
    this.#isFull = true
    this.news()
  }

  /** Lets go of all, without a word to whoever follows its views. */
  close(): void {
    if (this.#isOver) return
    this.#isOver = true
    this.feeding.close()
    this.#state.close()
    for (const one of this.#waiting ?? []) one.over()
  }

  // Told by its feeding, and asked

  get told(): number {
    return this.#writes?.told ?? 0
  }

  isPast(version: Version): boolean {
    return this.#writes?.isPast(version) === true
  }

  settled({ told }: Asked, uid: string | undefined): void {
    this.#writes?.settled(told, uid)
  }

  wentBack(): void {
    this.#writes?.wentBack()
  }

  news(): void {
    if (this.#waiting === undefined) return
    for (const one of this.#waiting) one.news()
  }
}
