import {
  Backoff,
  type ChangeType,
  compareResourceVersions,
  isExpired,
  isResourceNotFound,
  isTooLarge,
  type KubernetesObject,
  type Timer,
} from '@wherry/client'
import { type Intake, Reflector } from '@wherry/informer'
import { isForTheCaller, SyncWaiters } from '@wherry/informer/parts'
import { type Bucket, timeoutSeconds } from './bucket.ts'
import { NarrowWatchRefusedError } from './errors.ts'
import type { CheckedKey } from './key.ts'
import type { Kind } from './kind.ts'
import { atLevel, type Level, targetOf } from './level.ts'
import type { NarrowView } from './narrow-view.ts'
import { OwnWrites } from './own-writes.ts'
import { type Fed, type Known, Source, versionOf } from './source.ts'

/**
 * How a read of an entry goes on: from the store, or by waiting for the next news of it, or by asking the server, because
 * the entry can't tell (`live`) or was refused room (`full`).
 */
export type Readiness = 'cached' | 'wait' | 'live' | 'full'

type Version = ReturnType<typeof versionOf>

/**
 * One object that somebody asked for, watched by its name: present or absent (rules N1–N5). It feeds the stores of all views
 * of it, and outlives what it is fed by: a watch of its own, one that asks for more (N2), or the metadata watch that all
 * entries of its bucket share (N11).
 */
export class Entry implements Fed {
  readonly kind: Kind
  readonly bucket: Bucket
  readonly key: CheckedKey
  readonly views: Map<NarrowView, Intake> = new Map<NarrowView, Intake>()
  /** Subscriptions, and reads that wait. */
  pins = 0
  /** On the monotonic clock. */
  readAt = 0
  /** It has no room but by an escalation (rule N7). */
  isOverBound = false
  #level: Level = 0
  #isOver = false
  #isFull = false
  /** Its state comes by the bucket's watch. */
  #isWide = false
  #isKnown = false
  /** As the stores have it; `undefined`: absent. */
  #held: Version | undefined
  #bytes = 0
  /** Of the last state or change: nothing older is to be heard. */
  #reached: string | undefined
  #own: Source | undefined
  /** What is to replace `#own`, once it has come as far. */
  #next: Source | undefined
  #opened: (() => void) | undefined
  /** It has changed on the server, and is to be fetched. */
  #isDirty = false
  #isFetching = false
  #fetchError: Error | undefined
  #backoff: Backoff | undefined
  #retry: Timer | undefined
  #isRefusalTold = false
  /** It is known to be older than what this process knows, and nothing will tell when it is not any more. */
  #mustAsk = false
  readonly #writes = new OwnWrites()
  readonly #waiters = new SyncWaiters()

  constructor(bucket: Bucket, key: CheckedKey) {
    this.bucket = bucket
    this.kind = bucket.kind
    this.key = key
  }

  get isOver(): boolean {
    return this.#isOver
  }

  /** It has a watch of its own, whether that has brought its state yet or not. */
  get isOnItsOwn(): boolean {
    return this.#own !== undefined
  }

  /** Whether there is an object; `undefined`: not known yet. */
  get isPresent(): boolean | undefined {
    return this.#isKnown ? this.#held !== undefined : undefined
  }

  /** There was no room for it. */
  get isFull(): boolean {
    return this.#isFull
  }

  /** The last failure of what feeds it. */
  get lastError(): Error | undefined {
    return this.#own?.reflector.lastError ?? this.#fetchError ?? this.bucket.lastError
  }

  /** Why it can't be watched at present. */
  get refusal(): Error | undefined {
    const errors = [
      this.#own?.reflector.lastError,
      this.#own === undefined ? this.#next?.reflector.lastError : undefined,
      this.#fetchError,
      this.#isWide ? this.bucket.lastError : undefined,
    ]
    const refusal = errors.find(isForTheCaller)
    if (refusal === undefined || isResourceNotFound(refusal)) return refusal
    return new NarrowWatchRefusedError(this.kind.resource, this.key.text, refusal)
  }

  /** Feeds a view too: from what another view keeps, or by asking for more (rule N2). */
  join(view: NarrowView): void {
    if (this.views.has(view)) return
    const intake = view.store.intake({ key: this.key.text })
    this.views.set(view, intake)
    view.entries.set(this.key.text, this)
    const isWider = view.level > this.#level
    if (isWider) this.#level = view.level
    if (isWider) this.#reopen()
    else if (this.#isKnown && !this.#fill(view, intake) && (this.#next?.level ?? -1) < view.level) this.#reopen()
  }

  /** How a read of `view` goes on. */
  readiness(view: NarrowView): Readiness {
    if (this.#isFull) return 'full'
    if (this.#isHopeless(view) || this.#mustAsk) return 'live'
    if (!this.#isKnown || this.views.get(view)?.synced !== true || this.#isStale) return 'wait'
    const behind = this.#writes.behind(this.#held, this.#reached, this.#sourceReached)
    return behind === 'no' ? 'cached' : behind === 'yes' ? 'wait' : 'live'
  }

  /** Resolves at the next news. Rejects with the signal's reason, or that it is over. */
  news(signal: AbortSignal | undefined): Promise<void> {
    return this.#waiters.wait(signal)
  }

  /** What this process wrote, or read past the cache: later reads are at least as new (rule N9). */
  saw(object: KubernetesObject): void {
    const { labels, fields } = this.kind.view
    const isSelected = labels.matches(object.metadata?.labels)
    if (!isSelected && this.#held === undefined && this.#isKnown) return
    // Of other fields only the server knows whether an event will come.
    const isCertain = isSelected && fields.requirements.every(({ field }) => field.startsWith('metadata.'))
    this.#writes.saw(object, this.#held, isCertain || this.#held !== undefined)
  }

  /** It is gone, as this process knows: `uid`, or whatever it was. */
  sawGone(uid: string | undefined): void {
    // The first state may be of before.
    if (uid === undefined && !this.#isKnown) this.#mustAsk = true
    this.#writes.sawGone(uid, this.#held)
  }

  /** The server's own answer. */
  sawLive(object: KubernetesObject | undefined): void {
    if (this.#isKnown) this.#mustAsk = false
    if (object === undefined) this.sawGone(this.#held?.uid)
    else {
      this.#writes.confirmed(object.metadata?.uid)
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
    this.#waiters.resolve()
  }

  /** Lets go of all, without a word to whoever follows its views. `why`: who waits is rejected with it. */
  close(why: Error): void {
    if (this.#isOver) return
    this.#isOver = true
    this.#retry?.cancel()
    this.#stop(this.#own)
    this.#stop(this.#next)
    this.#own = undefined
    this.#next = undefined
    for (const [view, intake] of this.views) {
      intake.close({ forget: true })
      view.entries.delete(this.key.text)
    }
    this.views.clear()
    this.#opened?.()
    this.#waiters.reject(why)
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

  // Fed by the bucket's watch

  /** From now on its changes come by the bucket's watch. `listed`: what that found of it. */
  moveToWide(listed: { readonly version: Version | undefined } | undefined): void {
    this.#isWide = true
    this.#stop(this.#own)
    this.#stop(this.#next)
    this.#own = undefined
    this.#next = undefined
    this.#opened?.()
    const isSame = this.#isKnown && listed !== undefined && isSameVersion(listed.version, this.#held)
    if (!isSame || [...this.views.values()].some(intake => !intake.synced)) this.#fetch()
    else this.#news()
  }

  wideChange(type: ChangeType, object: object, bytes: number): void {
    if (!this.#isWide) return
    const { uid, resourceVersion } = versionOf(object)
    const order = compareResourceVersions(resourceVersion, this.#reached)
    if (this.#isKnown && (order === 'older' || order === 'same')) return
    const isPlain = this.#isKnown && !this.#isDirty && order === 'newer'
    if (isPlain && this.#level === 0) this.#change(type, object, bytes)
    else if (isPlain && type === 'DELETED' && uid === this.#held?.uid) {
      this.#publish({ object: undefined, bytes: 0, resourceVersion }, this.#level)
    } else this.#fetch()
  }

  /** The bucket's watch is over, and it has none of its own yet. */
  wideEnded(): void {
    if (this.#isWide) this.#isDirty = true
  }

  wideProgress(): void {
    if (this.#isWide) this.#news()
  }

  wideGone(): void {
    if (this.#isWide) this.#clear()
  }

  /** What it holds is known to be older than what the server has, or may be. */
  get #isStale(): boolean {
    return this.#isWide && (this.#isDirty || this.#isFetching)
  }

  get #sourceReached(): string | undefined {
    return this.#isWide ? this.bucket.reached : this.#own?.reflector.lastSyncedResourceVersion
  }

  #isHopeless(view: NarrowView): boolean {
    if (this.#fetchError !== undefined && isForTheCaller(this.#fetchError)) return true
    if (this.#isWide && isForTheCaller(this.bucket.lastError)) return true
    if (isForTheCaller(this.#own?.reflector.lastError)) return true
    const isWaiting = this.#isStale || this.views.get(view)?.synced !== true
    return isWaiting && isForTheCaller(this.#next?.reflector.lastError)
  }

  #reopen(): void {
    if (this.#isWide && this.#next === undefined) this.#fetch()
    else if (this.#own !== undefined || this.#next !== undefined) this.#start()
  }

  #start(): void {
    const { shared, environment, view } = this.kind
    const { client, maxObjectBytes } = shared.settings
    const source = new Source(this, this.key.name, this.#level)
    source.reflector = new Reflector({
      client: { context: client.context, environment },
      target: targetOf(atLevel(view, this.#level), this.key.namespace, this.key.name),
      firstList: 'newest',
      streaming: shared.streaming,
      timeoutSeconds,
      maxObjectBytes,
      on: { error: error => this.failed(source, error) },
    })
    source.reflector.add(source)
    if (this.#own === undefined && !this.#isWide) this.#own = source
    else {
      this.#stop(this.#next)
      this.#next = source
    }
    shared.opened()
    source.reflector.start()
    if (source === this.#own) this.bucket.settle()
  }

  /** The new watch goes on from where the entry is, not before: what it lists may be older than what came meanwhile. */
  #takeOver(source: Source, known: Known): void {
    if (this.#isKnown && compareResourceVersions(known.resourceVersion, this.#reached) === 'older') {
      source.ahead = known
      return
    }
    this.#stop(this.#own)
    this.#own = source
    this.#next = undefined
    this.#isWide = false
    this.#isDirty = false
    this.#fetchError = undefined
    this.#retry?.cancel()
    this.#retry = undefined
    source.ahead = undefined
    this.#publish(known, source.level)
    this.bucket.settle()
  }

  /** Brings a state to all views that it is wide enough for. */
  #publish({ object, bytes, resourceVersion }: Known, level: Level): void {
    this.#hold(object, bytes, resourceVersion)
    for (const [view, intake] of [...this.views]) {
      if (view.level > level) continue
      const replacement = intake.replace()
      if (object !== undefined) replacement.put(object, bytes)
      replacement.commit(resourceVersion)
    }
    this.#heard()
  }

  #change(type: ChangeType, object: object, bytes: number): void {
    this.#hold(type === 'DELETED' ? undefined : object, bytes, versionOf(object).resourceVersion)
    for (const intake of [...this.views.values()]) if (intake.synced) intake.change(type, object, bytes)
    this.#heard()
  }

  /** The resource is gone, and so is the object. */
  #clear(): void {
    this.#writes.passed(this.#held?.uid, undefined)
    this.#isKnown = false
    this.#held = undefined
    for (const intake of [...this.views.values()]) if (intake.synced) intake.clear()
    this.#news()
  }

  #hold(object: object | undefined, bytes: number, resourceVersion: string | undefined): void {
    const held = object === undefined ? undefined : versionOf(object)
    if (held?.uid !== this.#held?.uid) this.#writes.passed(this.#held?.uid, held?.uid)
    this.#isKnown = true
    this.#held = held
    this.#bytes = bytes
    this.#reached = resourceVersion ?? held?.resourceVersion
  }

  #heard(): void {
    if (this.#own?.reflector.lastError === undefined) this.#isRefusalTold = false
    this.#opened?.()
    this.#opened = undefined
    this.#news()
  }

  #news(): void {
    this.#waiters.resolve()
  }

  /** From what another view keeps; `false` where none keeps enough. */
  #fill(view: NarrowView, intake: Intake): boolean {
    let object: object | undefined
    if (this.#held !== undefined) {
      const donors = [...this.views].filter(
        ([other, { synced }]) => other !== view && synced && other.keepsAll && other.level >= view.level,
      )
      object = donors[0]?.[0].store.lister.get(this.key.text) as object | undefined
      if (object === undefined) return false
    }
    const replacement = intake.replace()
    if (object !== undefined) replacement.put(object, this.#bytes)
    replacement.commit(this.#reached)
    return true
  }

  /** Reads it anew: now, or once more where that is under way. */
  #fetch(): void {
    this.#isDirty = true
    if (this.#isFetching || this.#retry !== undefined) return
    this.#isFetching = true
    this.kind.shared.queue(() => this.#fetchOnce())
  }

  async #fetchOnce(): Promise<void> {
    const { shared, resource, view } = this.kind
    const level = this.#level
    this.#isDirty = false
    let known: Known | undefined
    let failure: Error | undefined
    if (this.#isFetchable) {
      shared.count('wherry_narrow_fetches_total', resource)
      const target = targetOf(atLevel(view, level), this.key.namespace, this.key.name)
      known = await shared.fetch(target).catch(error => {
        failure = error
        return undefined
      })
    }
    this.#isFetching = false
    if (!this.#isFetchable) return
    if (known === undefined) return this.#retryLater(failure as Error)
    this.#fetchError = undefined
    this.#backoff = undefined
    // A fetch that began before it had a watch of its own for a while.
    const isOlder = this.#isKnown && compareResourceVersions(known.resourceVersion, this.#reached) === 'older'
    if (isOlder || this.#isDirty || level < this.#level) this.#fetch()
    if (!isOlder) this.#publish(known, level)
  }

  get #isFetchable(): boolean {
    return !this.#isOver && this.#isWide
  }

  #retryLater(error: Error): void {
    const { environment } = this.kind.shared
    this.#isDirty = true
    this.#fetchError = error
    this.#tell(error)
    this.#backoff ??= new Backoff(environment)
    this.#retry = environment.clock.timer(this.#backoff.next(), () => {
      this.#retry = undefined
      if (!this.#isOver && this.#isWide) this.#fetch()
    })
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

  #stop(source: Source | undefined): void {
    if (source !== undefined) this.kind.shared.ending(source.reflector.stop())
  }
}

function isSameVersion(a: Version | undefined, b: Version | undefined): boolean {
  if (a === undefined || b === undefined) return a === b
  return a.uid === b.uid && a.resourceVersion === b.resourceVersion && a.resourceVersion !== undefined
}
