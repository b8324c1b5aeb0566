import { type ChangeType, compareResourceVersions, isResourceNotFound } from '@wherry/client'
import { isClosed, isForTheCaller } from '@wherry/informer/parts'
import type { Bucket } from './bucket.ts'
import { NarrowWatchRefusedError } from './errors.ts'
import type { Escalation, Listed } from './escalation.ts'
import { type Fetched, Fetching } from './fetching.ts'
import type { CheckedKey } from './key.ts'
import type { Level } from './level.ts'
import type { Task } from './slots.ts'
import { type Fed, type Known, openSource, type Source, type Version, versionOf } from './source.ts'
import type { Asked, State } from './state.ts'
import { Telling } from './telling.ts'

/** Whose state is fed. */
export interface FeedingOwner {
  readonly bucket: Bucket
  readonly key: CheckedKey
  readonly isOver: boolean
  /** How often this process was told of anything past what feeds it. */
  readonly told: number
  /** Whether that version is known to be no more, whatever is heard of it. */
  isPast(version: Version): boolean
  /** What is kept, or is about to be, is as new as the answer, which has the object of that uid: nobody needs to be told of it. */
  settled(asked: Asked, uid: string | undefined): void
  /** The server was restored from a backup: of nothing that was told is it known whether it is of before. */
  wentBack(): void
  /** Something has changed for who waits. */
  news(): void
}

/**
 * How a {@link State} is kept true: by a watch of one name, by one that asks for more (rule N2), or by one watch of metadata
 * for many, with fetches of what has changed (rule N11). The state outlives each of them, and never goes back.
 */
export class Feeding implements Fed, Fetched {
  readonly #owner: FeedingOwner
  readonly #state: State
  /** The one watch of many that changes come by, or came by until it ended. */
  #wide: Escalation | undefined
  #own: Source | undefined
  /** What is to replace what feeds it, once it has come as far. */
  #next: Source | undefined
  #opened: (() => void) | undefined
  /** Waits to be opened. */
  #turn: Task | undefined
  #fetching: Fetching | undefined
  #telling: Telling | undefined

  constructor(owner: FeedingOwner, state: State) {
    this.#owner = owner
    this.#state = state
  }

  get bucket(): Bucket {
    return this.#owner.bucket
  }

  get key(): CheckedKey {
    return this.#owner.key
  }

  get level(): Level {
    return this.#state.level
  }

  /** It has a watch of its own, or is getting one, whether that has brought its state yet or not. */
  get isOnItsOwn(): boolean {
    return this.#own !== undefined || this.#next !== undefined
  }

  /** What it is fed by, where that is no watch of its own. */
  get wide(): Escalation | undefined {
    return this.#wide
  }

  /** A watch tells what changes, or did so until it failed, or is about to take the place of one that has ended. */
  get isFed(): boolean {
    if (this.#wide === undefined) return this.#own?.synced === true
    if (this.#wide.isLive || this.#turn !== undefined) return true
    if (this.#next !== undefined) return this.#next.reflector.lastError === undefined
    return this.bucket.ways.some(({ isComing, lastError }) => isComing && lastError === undefined)
  }

  /** Nothing feeds it, nor will before it has a watch of its own, unless what has failed comes after all. */
  get hasNoWay(): boolean {
    return this.#wide === undefined && !this.isOnItsOwn && !this.#isComing
  }

  get isFetchable(): boolean {
    return !this.#owner.isOver && this.#wide !== undefined
  }

  /** The last failure of what feeds it. */
  get lastError(): Error | undefined {
    return this.#own?.reflector.lastError ?? this.#fetching?.error ?? (this.#wide ?? this.bucket).lastError
  }

  /** Why it can't be watched at present. `isWaiting`: more is needed than what feeds it has brought. */
  refusal(isWaiting: boolean): Error | undefined {
    const errors = [
      this.#own?.reflector.lastError,
      this.#own === undefined || isWaiting ? this.#next?.reflector.lastError : undefined,
      this.#fetching?.error,
      this.#wide?.lastError,
    ]
    const refusal = errors.find(isFinal)
    if (refusal === undefined || isResourceNotFound(refusal) || isClosed(refusal)) return refusal
    return new NarrowWatchRefusedError(this.bucket.kind.resource, this.key.text, refusal)
  }

  /** What it holds is known to be older than what the server has, or may be. */
  get isStale(): boolean {
    return this.#wide !== undefined && (this.#fetching?.isBehind === true || !this.#wide.isLive)
  }

  /** What feeds it brings as much as is needed: no watch that asks for more is still being opened. */
  get isEnough(): boolean {
    return this.brings(this.level)
  }

  /** What comes is enough for that level. */
  brings(level: Level): boolean {
    return this.#own === undefined || this.#own.level >= level
  }

  /** How far what feeds it has come. */
  get reached(): string | undefined {
    return this.#wide === undefined ? this.#own?.reflector.lastSyncedResourceVersion : this.#wide.reached
  }

  /** Nothing will come that can be waited for. `isWaiting`: there is no state to be read yet. */
  isHopeless(isWaiting: boolean): boolean {
    if (isFinal(this.#own?.reflector.lastError)) return true
    if (isFinal(this.#fetching?.error) || isFinal(this.#wide?.lastError)) return true
    return (isWaiting || this.isStale) && isFinal(this.#next?.reflector.lastError)
  }

  /** Opens a watch of its own, or one that asks for more, when its turn comes, unless that is not needed any more by then. */
  openInTurn(): void {
    if (this.#turn !== undefined) return
    const { slots } = this.bucket.kind.shared
    this.#turn = {
      begin: () => {
        this.#turn = undefined
        if (this.#isWanting) void this.open().then(() => slots.leave())
        else slots.leave()
      },
    }
    slots.enter(this.#turn)
  }

  /** Opens a watch of its own. Resolves when that has brought its first state or failure. */
  open(): Promise<void> {
    return new Promise(resolve => {
      this.#opened?.()
      this.#opened = resolve
      this.#start()
    })
  }

  /** More is needed than what comes, unless that is being asked for already. */
  widen(level: Level): void {
    if ((this.#next?.level ?? -1) >= level) return
    if (this.#wide !== undefined && this.#next === undefined) this.#fetch()
    else if (this.isOnItsOwn) this.openInTurn()
  }

  /** The server knows the resource: who waits to be told so need not. */
  found(): void {
    const reflector = this.#own?.reflector
    if (isResourceNotFound(reflector?.lastError)) reflector?.retryNow()
  }

  /** Has its own watches that were refused try again for somebody who waits. Returns what says whether an answer is still to come. */
  tryNow(): () => boolean {
    const tried = [this.#own, this.#next].flatMap(source => (source?.reflector.tryNow() ? source.reflector : []))
    const before = tried.map(({ lastError }) => lastError)
    return () => tried.some(({ state, lastError }, i) => state !== 'stopped' && lastError === before[i])
  }

  close(): void {
    this.#fetching?.end()
    this.#stopOwn()
    this.#feedBy(undefined)
    this.#opened?.()
  }

  /** The server is about to be asked for it by itself. */
  asked(): Asked {
    const { reached, era } = this.#state
    const watches = [this.#own?.reflector, ...this.bucket.ways]
    const come = watches.map(watch => watch?.lastSyncedResourceVersion)
    return { reached: [reached, ...come], era, told: this.#owner.told }
  }

  /**
   * The server was asked for it by itself, and this is what it has. Gives whether what is kept is as new now: not where that
   * can't be told.
   */
  learned(known: Known, level: Level, asked: Asked): boolean {
    if (this.#state.isOutdated(asked)) return false
    const { resourceVersion } = known
    const isBack = this.#countsAnew(resourceVersion, asked)
    const isSame = compareResourceVersions(resourceVersion, this.#state.reached) === 'same'
    // Of the same state a view may have been told nothing yet.
    const isNews = isBack || this.#state.isSurelyBehind(resourceVersion) || (isSame && !this.#state.isWhole)
    if (isNews || this.#state.isAsNew(resourceVersion)) this.#settled(known, asked)
    if (isNews) this.#publish(known, level)
    else this.#owner.news()
    if (isBack) this.#feedAnew()
    return compareResourceVersions(resourceVersion, this.#state.reached) !== 'unknown'
  }

  /**
   * The server counts anew, as was shown otherwise: what is known of it says nothing of what it has now (rule R5), and a watch
   * of its own that is to take over may be of before.
   */
  wentBack(): void {
    this.#wentBack()
    this.#reopen()
    this.#owner.news()
  }

  #wentBack(): void {
    this.#state.wentBack()
    this.#owner.wentBack()
  }

  /** Whether an answer of the server's to who asked for what it has now proves that: it is counted and heeded then. */
  #countsAnew(resourceVersion: string | undefined, asked: Asked): boolean {
    if (!this.#state.isProof(asked, resourceVersion)) return false
    const { environment, resource } = this.bucket.kind
    environment.metrics.count('reflector_rollbacks_total', { name: resource })
    this.#wentBack()
    return true
  }

  #settled({ object }: Known, asked: Asked): void {
    this.#owner.settled(asked, object === undefined ? undefined : versionOf(object).uid)
  }

  /** What feeds it would keep silent until the server has counted as far again. */
  #feedAnew(): void {
    this.#tellWays()
    this.#reopen()
  }

  /** One watch of many may not know that the server counts anew, nor the next one what it was listed before. */
  #tellWays(): void {
    for (const way of this.bucket.ways) way.countsAnew(this)
  }

  // Fed by a watch of its own

  state(source: Source, known: Known, asked: Asked | undefined, isBack: boolean): void {
    // It may be of before.
    if (asked !== undefined && this.#state.isOutdated(asked)) return this.#reopen()
    if (isBack) this.#wentBack()
    const wentBack = isBack || (asked !== undefined && this.#countsAnew(known.resourceVersion, asked))
    const isKept = !this.#isLess(source) || this.#state.isAsNew(known.resourceVersion)
    if (asked !== undefined && isKept) this.#settled(known, asked)
    this.#arrived(source, known)
    if (wentBack) this.#tellWays()
  }

  change(source: Source, type: ChangeType, object: object, bytes: number): void {
    const { resourceVersion } = versionOf(object)
    if (source === this.#next || source.behind !== undefined || this.#state.isBefore(resourceVersion)) {
      this.#arrived(source, { object: type === 'DELETED' ? undefined : object, bytes, resourceVersion })
    } else this.#change(type, object, bytes)
  }

  progress(source: Source): void {
    const { behind, reflector } = source
    if (behind !== undefined) this.#arrived(source, { ...behind, resourceVersion: reflector.lastSyncedResourceVersion })
    else this.#owner.news()
  }

  gone(source: Source): void {
    if (source === this.#own) this.#clear()
  }

  failed(source: Source, error: Error): void {
    this.#tell(error)
    if (source === this.#last) this.#opened?.()
    this.#owner.news()
  }

  // Fed by the one watch of many

  /** From now on its changes come by that watch. `listed`: what its list has of it, where there is one. */
  moveTo(wide: Escalation, listed: Listed | undefined): void {
    this.#feedBy(wide)
    this.#stopOwn()
    this.#opened?.()
    this.listed(listed)
  }

  /** It is not to leave that watch after all. */
  stay(): void {
    this.#stopOwn()
    this.#opened?.()
    if (!this.#state.isWhole) this.#fetch()
  }

  /** That watch has listed: what it has of it. `undefined`: its list does not tell. */
  listed(listed: Listed | undefined): void {
    // Older than what is known: only a most recent answer tells whether the server counts anew.
    if (listed === undefined || this.#state.isBefore(listed.resourceVersion)) this.#fetch()
    else if (this.#state.isAt(listed.version)) this.#unfetched()
    else if (listed.version === undefined && this.#state.isSurelyBehind(listed.resourceVersion)) {
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
    if (this.#wide === wide) this.#owner.news()
  }

  wideGone(wide: Escalation): void {
    if (this.#wide === wide) this.#clear()
  }

  // Fetched

  fetched(known: Known, level: Level, asked: Asked): boolean {
    if (this.#state.isOutdated(asked)) return false
    const isBack = this.#countsAnew(known.resourceVersion, asked)
    // One that began before it had a watch of its own for a while.
    if (this.#state.isBefore(known.resourceVersion)) return false
    this.#settled(known, asked)
    this.#publish(known, level)
    if (isBack) this.#feedAnew()
    return true
  }

  upToDate(): void {
    this.#fetching = undefined
  }

  fetchFailed(error: Error): void {
    this.#tell(error)
    this.#owner.news()
  }

  #feedBy(wide: Escalation | undefined): void {
    const before = this.#wide
    this.#wide = wide
    wide?.joined()
    before?.left()
  }

  /** The watch of its own that was opened last. */
  get #last(): Source | undefined {
    return this.#next ?? this.#own
  }

  /** A watch of its own is to be opened, or another one, unless it is fed otherwise. */
  get #isWanting(): boolean {
    if (this.#owner.isOver) return false
    const last = this.#last
    if (last !== undefined) return last.level < this.level || (last === this.#own && !this.#state.isWhole)
    return !this.#isComing
  }

  /** One watch of many is to feed it. */
  get #isComing(): boolean {
    return this.bucket.ways.some(({ isComing }) => isComing)
  }

  #start(): void {
    const source = openSource(this, this.bucket, this.key.name, this.level)
    if (this.#own === undefined && this.#wide === undefined) this.#own = source
    else {
      this.#stop(this.#next)
      this.#next = source
    }
    this.bucket.kind.shared.open(source.reflector)
  }

  /** Opens its own watch anew, in its turn. */
  #reopen(): void {
    if (!this.isOnItsOwn) return
    this.#stopOwn()
    this.#opened?.()
    this.openInTurn()
  }

  /** A watch goes on from where the entry is, not before: what it tells may be older than what came otherwise. */
  #arrived(source: Source, known: Known): void {
    if (this.#isLess(source) || this.#state.isBefore(known.resourceVersion)) {
      source.behind = known
      // That may be so for long: others, and what is to bring more, are not to wait for their turn till then.
      this.#opened?.()
      return
    }
    source.behind = undefined
    if (source === this.#next) this.#takeOver(source)
    this.#publish(known, source.level)
  }

  /** It brings less than views have been told already: what is to bring more takes over in its place. */
  #isLess(source: Source): boolean {
    return source === this.#next && this.#wide !== undefined && source.level < this.level
  }

  #takeOver(source: Source): void {
    this.#stop(this.#own)
    this.#own = source
    this.#next = undefined
    this.#fetching?.end()
    // Before it is told: what one watch of many knows is nothing to go by any more.
    this.#feedBy(undefined)
  }

  #publish(known: Known, level: Level): void {
    this.#state.publish(this.#isPast(known.object) ? { ...known, object: undefined } : known, level)
    this.#heard()
  }

  #change(type: ChangeType, object: object, bytes: number): void {
    this.#state.change(this.#isPast(object) ? 'DELETED' : type, object, bytes)
    this.#heard()
  }

  /** It was known to be gone, or not to be selected, before it was heard of: nobody is told of it (rule N9). */
  #isPast(object: object | undefined): boolean {
    if (object === undefined) return false
    const version = versionOf(object)
    return version.uid !== this.#state.held?.uid && this.#owner.isPast(version)
  }

  /** The resource is gone, and so is the object. */
  #clear(): void {
    this.#state.clear()
    this.#owner.news()
  }

  #heard(): void {
    if (this.#own?.reflector.lastError === undefined) this.#telling?.lifted()
    // What comes otherwise meanwhile is no reason to open others.
    if (this.#last?.synced !== false) {
      this.#opened?.()
      this.#opened = undefined
    }
    this.#owner.news()
  }

  #fetch(): void {
    this.#fetching ??= new Fetching(this)
    this.#fetching.ask()
  }

  #unfetched(): void {
    this.#fetching?.end()
    this.#owner.news()
  }

  #tell(error: Error): void {
    this.#telling ??= new Telling(this.bucket.kind, this.key.text)
    this.#telling.failed(error)
  }

  #stopOwn(): void {
    if (this.#turn !== undefined) this.bucket.kind.shared.slots.withdraw(this.#turn)
    this.#turn = undefined
    this.#stop(this.#own)
    this.#stop(this.#next)
    this.#own = undefined
    this.#next = undefined
  }

  #stop(source: Source | undefined): void {
    if (source !== undefined) this.bucket.kind.shared.ending(source.reflector.stop())
  }
}

/** Asked with each read of what is cached: mostly there is none. */
function isFinal(error: Error | undefined): boolean {
  return error !== undefined && (isForTheCaller(error) || isClosed(error))
}
