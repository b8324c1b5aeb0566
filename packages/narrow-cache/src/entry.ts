import {
  type ChangeType,
  compareResourceVersions,
  isExpired,
  isResourceNotFound,
  isTooLarge,
  type KubernetesObject,
} from '@wherry/client'
import { isForTheCaller } from '@wherry/informer/parts'
import type { Bucket } from './bucket.ts'
import { NarrowWatchRefusedError } from './errors.ts'
import type { Escalation, Listed } from './escalation.ts'
import { type Fetched, Fetching } from './fetching.ts'
import type { CheckedKey } from './key.ts'
import type { Kind } from './kind.ts'
import type { Level } from './level.ts'
import type { NarrowView } from './narrow-view.ts'
import { OwnWrites } from './own-writes.ts'
import { type Fed, type Known, openSource, type Source, versionOf } from './source.ts'
import { State } from './state.ts'

/**
 * How a read of an entry goes on: from the store, or by waiting for the next news of it, or by asking the server, because
 * the entry can't tell (`live`) or was refused room (`full`).
 */
export type Readiness = 'cached' | 'wait' | 'live' | 'full'

/** Who waits for an entry to have something to read. */
export interface Waiting {
  /** It may have. */
  news(): void
  /** It never will. */
  over(): void
}

/**
 * One object that somebody asked for, watched by its name: present or absent (rules N1–N5). Its {@link State} outlives what
 * it is fed by: a watch of its own, one that asks for more (N2), or one watch of metadata for many entries (N11).
 */
export class Entry implements Fed, Fetched {
  readonly bucket: Bucket
  readonly key: CheckedKey
  /** Subscriptions, and reads that wait. */
  pins = 0
  /** On the monotonic clock. */
  readAt = 0
  /** It has no room but by an escalation (rule N7). */
  isOverBound = false
  readonly #state: State
  #isOver = false
  #isFull = false
  /** The one watch of many that its changes come by, or came by until it ended. */
  #wide: Escalation | undefined
  #own: Source | undefined
  /** What is to replace what feeds it, once it has come as far. */
  #next: Source | undefined
  #opened: (() => void) | undefined
  #fetching: Fetching | undefined
  #isRefusalTold = false
  /** It is known to be older than what this process knows, and nothing will tell when it is not any more. */
  #mustAsk = false
  #writes: OwnWrites | undefined
  #waiting: Set<Waiting> | undefined

  constructor(bucket: Bucket, key: CheckedKey) {
    this.bucket = bucket
    this.key = key
    this.#state = new State(key.text)
  }

  get kind(): Kind {
    return this.bucket.kind
  }

  get level(): Level {
    return this.#state.level
  }

  get views(): NarrowView[] {
    return this.#state.views
  }

  get isOver(): boolean {
    return this.#isOver
  }

  /** It has a watch of its own, or is getting one, whether that has brought its state yet or not. */
  get isOnItsOwn(): boolean {
    return this.#own !== undefined || this.#next !== undefined
  }

  /** What it is fed by, where that is no watch of its own. */
  get wide(): Escalation | undefined {
    return this.#wide
  }

  /** Whether there is an object; `undefined`: not known yet. */
  get isPresent(): boolean | undefined {
    return this.#state.isKnown ? this.#state.held !== undefined : undefined
  }

  /** There was no room for it. */
  get isFull(): boolean {
    return this.#isFull
  }

  get isFetchable(): boolean {
    return !this.#isOver && this.#wide !== undefined
  }

  /** The last failure of what feeds it. */
  get lastError(): Error | undefined {
    return this.#own?.reflector.lastError ?? this.#fetching?.error ?? (this.#wide ?? this.bucket).lastError
  }

  /** Why it can't be watched at present. */
  get refusal(): Error | undefined {
    const errors = [
      this.#own?.reflector.lastError,
      this.#own === undefined ? this.#next?.reflector.lastError : undefined,
      this.#fetching?.error,
      this.#wide?.lastError,
    ]
    const refusal = errors.find(isForTheCaller)
    if (refusal === undefined || isResourceNotFound(refusal)) return refusal
    return new NarrowWatchRefusedError(this.kind.resource, this.key.text, refusal)
  }

  /** Feeds a view too: from what another view keeps, or by asking for more (rule N2). */
  join(view: NarrowView): void {
    if (this.#state.has(view)) return
    view.entries.set(this.key.text, this)
    if (!this.#state.add(view) && (this.#next?.level ?? -1) < view.level) this.#reopen()
  }

  /** How a read of `view` goes on. */
  readiness(view: NarrowView): Readiness {
    if (this.#isFull) return 'full'
    if (this.#isHopeless(view) || this.#mustAsk) return 'live'
    if (!this.#state.isIn(view) || this.#isStale) return 'wait'
    const { held, reached } = this.#state
    const behind = this.#writes?.behind(held, reached, this.#sourceReached) ?? 'no'
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
    const { held, isKnown } = this.#state
    const isSelected = labels.matches(object.metadata?.labels)
    if (!isSelected && held === undefined && isKnown) return
    // Of other fields only the server knows whether an event will come.
    const isCertain = isSelected && fields.requirements.every(({ field }) => field.startsWith('metadata.'))
    this.#writes ??= new OwnWrites()
    this.#writes.saw(object, held, isCertain || held !== undefined)
  }

  /** It is gone, as this process knows: `uid`, or whatever it was. */
  sawGone(uid: string | undefined): void {
    const { held, isKnown } = this.#state
    // The first state may be of before.
    if (uid === undefined && !isKnown) this.#mustAsk = true
    this.#writes ??= new OwnWrites()
    this.#writes.sawGone(uid, held)
  }

  /** The server's own answer. */
  sawLive(object: KubernetesObject | undefined): void {
    if (this.#state.isKnown) this.#mustAsk = false
    if (object === undefined) this.sawGone(this.#state.held?.uid)
    else {
      this.#writes?.confirmed(object.metadata?.uid)
      this.saw(object)
    }
    // The resource is there again.
    const reflector = this.#own?.reflector
    if (isResourceNotFound(reflector?.lastError)) reflector?.retryNow()
  }

  /** Opens a watch of its own. Resolves when that has brought its first state or failure. */
  open(): Promise<void> {
    return new Promise(resolve => {
      this.#opened?.()
      this.#opened = resolve
      this.#start()
    })
  }

  /** There is no room for it: who waits reads from the server. */
  full(): void {
    this.#isFull = true
    this.#news()
  }

  /** Lets go of all, without a word to whoever follows its views. */
  close(): void {
    if (this.#isOver) return
    this.#isOver = true
    this.#fetching?.end()
    this.#stopOwn()
    this.#feedBy(undefined)
    this.#state.close()
    this.#opened?.()
    for (const one of [...(this.#waiting ?? [])]) one.over()
  }

  // Fed by a watch of its own

  state(source: Source, known: Known): void {
    if (source === this.#next) this.#takeOver(source, known)
    else if (source === this.#own) this.#publish(known, source.level)
  }

  change(source: Source, type: ChangeType, object: object, bytes: number): void {
    if (source === this.#next) {
      const { resourceVersion } = versionOf(object)
      this.#takeOver(source, { object: type === 'DELETED' ? undefined : object, bytes, resourceVersion })
    } else if (source === this.#own) this.#change(type, object, bytes)
  }

  progress(source: Source): void {
    const { ahead, reflector } = source
    if (source === this.#next && ahead !== undefined) {
      this.#takeOver(source, { ...ahead, resourceVersion: reflector.lastSyncedResourceVersion })
    } else this.#news()
  }

  gone(source: Source): void {
    if (source === this.#own) this.#clear()
  }

  failed(source: Source, error: Error): void {
    if (source !== this.#own && source !== this.#next) return
    this.#tell(error)
    this.#opened?.()
    this.#news()
  }

  // Fed by the one watch of many

  /** From now on its changes come by that watch. `listed`: what its list has of it, where there is one. */
  moveTo(wide: Escalation, listed: Listed | undefined): void {
    this.#feedBy(wide)
    this.#stopOwn()
    this.#opened?.()
    if (listed === undefined) this.#fetch()
    else if (this.#state.isAt(listed.version) && this.#state.isWhole) this.#unfetched()
    else if (listed.version === undefined && this.#state.isNewsSurely(listed.resourceVersion)) {
      this.#unfetched()
      this.#publish({ object: undefined, bytes: 0, resourceVersion: listed.resourceVersion }, this.level)
    } else this.#fetch()
  }

  wideChange(wide: Escalation, type: ChangeType, object: object, bytes: number): void {
    if (this.#wide !== wide) return
    const { held, isKnown, reached } = this.#state
    const { uid, resourceVersion } = versionOf(object)
    const order = compareResourceVersions(resourceVersion, reached)
    if (isKnown && (order === 'older' || order === 'same')) return
    const isPlain = isKnown && this.#fetching?.isDirty !== true && order === 'newer'
    if (isPlain && this.level === 0) this.#change(type, object, bytes)
    else if (isPlain && type === 'DELETED' && uid === held?.uid) {
      this.#publish({ object: undefined, bytes: 0, resourceVersion }, this.level)
    } else this.#fetch()
  }

  wideProgress(wide: Escalation): void {
    if (this.#wide === wide) this.#news()
  }

  wideGone(wide: Escalation): void {
    if (this.#wide === wide) this.#clear()
  }

  // Fetched

  fetched(known: Known, level: Level): boolean {
    // One that began before it had a watch of its own for a while.
    if (this.#state.isBefore(known.resourceVersion)) return false
    this.#publish(known, level)
    return level >= this.level
  }

  fetchFailed(error: Error): void {
    this.#tell(error)
    this.#news()
  }

  /** What it holds is known to be older than what the server has, or may be. */
  get #isStale(): boolean {
    return this.#wide !== undefined && (this.#fetching?.isBehind === true || !this.#wide.isLive)
  }

  get #sourceReached(): string | undefined {
    return this.#wide === undefined ? this.#own?.reflector.lastSyncedResourceVersion : this.#wide.reached
  }

  #isHopeless(view: NarrowView): boolean {
    const errors = [this.#fetching?.error, this.#wide?.lastError, this.#own?.reflector.lastError]
    if (errors.some(isForTheCaller)) return true
    const isWaiting = this.#isStale || !this.#state.isIn(view)
    return isWaiting && isForTheCaller(this.#next?.reflector.lastError)
  }

  #feedBy(wide: Escalation | undefined): void {
    const before = this.#wide
    if (before === wide) return
    this.#wide = wide
    wide?.joined()
    before?.left()
  }

  #reopen(): void {
    if (this.#wide !== undefined && this.#next === undefined) this.#fetch()
    else if (this.isOnItsOwn) this.#start()
  }

  #start(): void {
    const source = openSource(this, this.bucket, this.key.name, this.level)
    if (this.#own === undefined && this.#wide === undefined) this.#own = source
    else {
      this.#stop(this.#next)
      this.#next = source
    }
    source.reflector.start()
  }

  /** The new watch goes on from where the entry is, not before: what it lists may be older than what came meanwhile. */
  #takeOver(source: Source, known: Known): void {
    if (this.#state.isBefore(known.resourceVersion)) {
      source.ahead = known
      return
    }
    this.#stop(this.#own)
    this.#own = source
    this.#next = undefined
    source.ahead = undefined
    this.#fetching?.end()
    this.#publish(known, source.level)
    this.#feedBy(undefined)
  }

  #publish(known: Known, level: Level): void {
    this.#passed(known.object)
    this.#state.publish(known, level)
    this.#heard()
  }

  #change(type: ChangeType, object: object, bytes: number): void {
    this.#passed(type === 'DELETED' ? undefined : object)
    this.#state.change(type, object, bytes)
    this.#heard()
  }

  /** The resource is gone, and so is the object. */
  #clear(): void {
    this.#passed(undefined)
    this.#state.clear()
    this.#news()
  }

  /** It goes from one object, or none, to another. */
  #passed(object: object | undefined): void {
    const from = this.#state.held?.uid
    const to = object === undefined ? undefined : versionOf(object).uid
    if (from !== to) this.#writes?.passed(from, to)
  }

  #heard(): void {
    if (this.#own?.reflector.lastError === undefined) this.#isRefusalTold = false
    this.#opened?.()
    this.#opened = undefined
    this.#news()
  }

  #news(): void {
    if (this.#waiting !== undefined) for (const one of [...this.#waiting]) one.news()
  }

  #fetch(): void {
    this.#fetching ??= new Fetching(this)
    this.#fetching.ask()
  }

  #unfetched(): void {
    this.#fetching?.end()
    this.#news()
  }

  /** Each failure to `onError`, but for what happens to every watch; a refusal once, until it is lifted (rule N10). */
  #tell(error: Error): void {
    const { shared, resource } = this.kind
    const { environment } = shared
    const about = { resource, phase: 'watch', key: this.key.text }
    if (!isForTheCaller(error)) {
      if (!isExpired(error) && !isTooLarge(error)) environment.onError(error, about)
      return
    }
    if (this.#isRefusalTold) return
    this.#isRefusalTold = true
    shared.count('wherry_narrow_refused_total', resource)
    environment.onError(
      isResourceNotFound(error) ? error : new NarrowWatchRefusedError(resource, this.key.text, error),
      about,
    )
  }

  #stopOwn(): void {
    this.#stop(this.#own)
    this.#stop(this.#next)
    this.#own = undefined
    this.#next = undefined
  }

  #stop(source: Source | undefined): void {
    if (source !== undefined) this.kind.shared.ending(source.reflector.stop())
  }
}
