import { type ChangeType, compareResourceVersions, isExpired, isResourceNotFound, isTooLarge } from '@wherry/client'
import { type Intake, Reflector, type ReflectorListeners, type Replacement } from '@wherry/informer'
import { isClosed, isForTheCaller } from '@wherry/informer/parts'
import type { Task } from './concurrency-limit.ts'
import type { EntryScope, Validator } from './entry-scope.ts'
import { NarrowWatchRefusedError } from './errors.ts'
import type { CheckedKey } from './key.ts'
import type { Level } from './level.ts'
import type { NarrowView } from './narrow-view.ts'
import type { Form, ObjectFloor } from './object-floor.ts'
import { type Asked, ObjectGet } from './object-get.ts'
import { type Known, nameOf, Register, versionOf } from './register.ts'

/**
 * How a read of an entry goes on: from the store; by waiting for news of the entry; past the store, because only the server can
 * tell (`live`); or past the cache, because there was no room for it (`full`).
 */
export type Readiness = 'cached' | 'wait' | 'live' | 'full'

/** A read that waits. */
export interface Waiting {
  /** Something has changed. */
  news(): void
  /** The entry was closed. */
  over(): void
}

/**
 * One form of one object that is watched: present or absent (rules N1–N5).
 *
 * - `opening`: its own watch has no state yet.
 * - `live`: its own watch tells what changes.
 * - `validated`: a {@link Validator} tells which version is new, and the object is read by a GET if that is another. An own watch that
 *   is opened meanwhile is the successor: the entry drops the validator once that has synced.
 * - `refused`: its watch is not allowed. Reads ask the server.
 * - `closed`.
 *
 * All sources write to one {@link Register}, in which the newer resourceVersion wins. So sources may overlap, and no hand-over needs more
 * than to start the new source, to wait until it has synced, and to stop the old one.
 */
export class Entry extends Register implements Form, Intake, Task {
  readonly object: ObjectFloor<Entry>
  readonly level: Level
  /** Subscriptions, and reads that wait. */
  pins = 0
  /** On the monotonic clock. */
  readAt = 0
  /** There is room for it only by a validator (rule N7). */
  isOverBound = false
  answered = 0
  validator: Validator | undefined
  /** When somebody asked for it last before it was known. */
  wantedAt: number
  /** When the server was asked for the state that a GET brought last. */
  gotAt = 0
  /** Its own watch has a state. */
  synced = false
  #own: Reflector | undefined
  #opening: 'no' | 'queued' | 'begun' = 'no'
  /** Gives up its turn to be opened again. */
  #leave: (() => void) | undefined
  #get: ObjectGet | undefined
  #isOver = false
  #isRefusalTold = false
  #waiting: Set<Waiting> | undefined

  constructor(scope: EntryScope, object: ObjectFloor<Entry>, key: CheckedKey, level: Level) {
    super(scope, key)
    this.object = object
    this.level = level
    this.wantedAt = scope.of.shared.next()
    object.forms = object.forms.concat(this)
  }

  get isOver(): boolean {
    return this.#isOver
  }

  /** There was room for it by a validator only, and none is there or being opened. */
  get isFull(): boolean {
    return this.isStranded && !this.wasKnown && !this.scope.validators.some(({ isUp }) => isUp)
  }

  /** It has a watch of its own, or is getting one. */
  get isOnItsOwn(): boolean {
    return this.#own !== undefined || this.#leave !== undefined
  }

  /** There is room for it by a validator only, and none comes. */
  get isStranded(): boolean {
    return this.isOverBound && this.validator === undefined && this.#own === undefined && !this.#isComing
  }

  /** A GET of it is under way, or will be. */
  get isReading(): boolean {
    return this.#get?.isPending === true
  }

  /** Why the last GET failed, until one succeeds. */
  get getError(): Error | undefined {
    return this.#get?.error
  }

  get lastError(): Error | undefined {
    const { validators } = this.scope
    return [...this.#errors, ...validators.map(({ lastError }) => lastError)].find(error => error !== undefined)
  }

  /** How far its own watch has come. */
  get watchedTo(): string | undefined {
    return this.#own?.lastSyncedResourceVersion
  }

  /** How far the source has come, all of which was told. */
  get heard(): string | undefined {
    if (this.validator === undefined) return this.watchedTo
    return this.#isStale ? undefined : this.validator.heard
  }

  /** Feeds one more view. */
  join(view: NarrowView): void {
    if (this.has(view)) return
    view.entries.set(this.key.text, this)
    if (!this.feed(view)) this.refresh()
  }

  /** Somebody asks for it. */
  wanted(): void {
    if (!this.isKnown) this.wantedAt = this.scope.of.shared.next()
  }

  /** Why it can't be watched at present. */
  get refusal(): Error | undefined {
    const refusal = this.#errors.find(isFinal)
    return refusal === undefined || isClosed(refusal) ? refusal : this.#refused(refusal)
  }

  /** How a read of `view` goes on. Makes no request. */
  readiness(view: NarrowView): Readiness {
    if (this.isFull) return 'full'
    const isIn = this.isIn(view)
    if (this.#isRefused(isIn) || (this.wasKnown && !this.#isFed)) return 'live'
    return !isIn || this.#isStale ? 'wait' : this.object.readiness(this)
  }

  follow(waiting: Waiting): void {
    this.#waiting ??= new Set()
    this.#waiting.add(waiting)
  }

  unfollow(waiting: Waiting): void {
    this.#waiting?.delete(waiting)
    if (this.#waiting?.size === 0) this.#waiting = undefined
  }

  news(): void {
    for (const one of this.#waiting ?? []) one.news()
  }

  /** Lets go of it, without a word to those who follow its views. */
  close(): void {
    if (this.#isOver) return
    this.#isOver = true
    this.#closeOwn()
    this.#get?.end()
    this.#validatedBy(undefined)
    this.release()
    this.object.forms = this.object.forms.filter(form => form !== this)
    for (const one of this.#waiting ?? []) one.over()
  }

  /** Has the object read by a GET. */
  refresh(): void {
    this.#get ??= new ObjectGet(this)
    this.#get.ask()
  }

  /** Opens a watch of its own in its turn, unless that is not needed any more by then. */
  openInTurn(): void {
    if (this.#opening !== 'no' || this.#own !== undefined) return
    this.#opening = 'queued'
    this.scope.of.shared.requests.enter(this)
  }

  begin(): void {
    this.#opening = 'begun'
    if (this.#isOver || this.#own !== undefined || this.#isComing) return this.#opened()
    const { shared, settings } = this.scope.of
    this.#own = new Reflector({
      settings,
      target: this.scope.target(this.level, this.key.name),
      on: new OwnListener(this),
    })
    this.#own.add(this)
    shared.open(this.#own)
  }

  /** The server knows the resource: those who wait to be told so need not. */
  found(): void {
    if (isResourceNotFound(this.#own?.lastError)) this.#own?.retryNow()
  }

  /** Has a watch that was refused tried again. Returns what tells whether the answer is still to come. */
  tryNow(): () => boolean {
    const own = this.#own
    if (own?.tryNow() !== true) return () => false
    const { lastError } = own
    return () => own.state !== 'stopped' && own.lastError === lastError
  }

  asked(): Asked {
    const { scope, object } = this
    const { epoch, shared } = scope.of
    const reached = object.forms.flatMap(form => (form.isKnown ? [form.reached, form.watchedTo] : []))
    for (const { heard } of scope.validators) reached.push(heard)
    return { reached, epoch, notes: object.notes, at: shared.next() }
  }

  /** The server counts anew: what is kept counts for nothing until it is read again. `source`: the entry or validator whose watch goes on. */
  rolledBack(source: unknown): void {
    if (this.#own !== undefined && this !== source) {
      this.#closeOwn()
      const reopen = (): void => {
        this.#leave = undefined
        this.openInTurn()
      }
      this.#leave = this.scope.of.shared.gate.enter(reopen, false)
      if (this.#leave === undefined) reopen()
    }
    if (this.validator?.isLive === true) this.refresh()
    this.news()
  }

  // Told by its own watch

  /** It begins to read a whole state. */
  replace(): Replacement {
    const { name } = this.key
    const asked = this.asked()
    const rollbacks = this.#rollbacks
    let object: object | undefined
    let bytes = 0
    return {
      put: (received, length) => {
        // From a server that does not know the selector.
        if (nameOf(received) !== name) return
        object = received
        bytes = length
      },
      remove: removed => {
        if (nameOf(removed) === name) object = undefined
      },
      commit: resourceVersion => {
        const isBack = this.#rollbacks > rollbacks
        const isNewest = isBack || !this.synced
        this.synced = true
        this.#listed({ object, bytes, resourceVersion }, isNewest ? asked : undefined, isBack)
      },
      drop() {},
    }
  }

  change(type: ChangeType, object: object, bytes: number): void {
    if (nameOf(object) === this.key.name) this.#change(type, object, bytes)
  }

  progress(): void {
    this.news()
  }

  failed(error: Error): void {
    this.#tell(error)
    this.#opened()
    this.news()
  }

  // Told by its GET

  got(known: Known, asked: Asked): boolean {
    if (this.#isOver) return true
    if (asked.epoch !== this.scope.of.epoch) return false
    if (this.#isOlder(known, asked)) this.#rollBack(undefined)
    this.answered = Math.max(this.answered, asked.notes)
    this.gotAt = asked.at
    this.publish(known)
    return this.isWhole
  }

  getFailed(error: Error): void {
    this.#tell(error)
    this.news()
  }

  upToDate(): void {
    this.#get = undefined
    this.news()
  }

  // Told by its validator

  /** A validator feeds it from now on. `listed`: what that has of the object; `undefined`: it can't tell. */
  validate(validator: Validator, listed: Known | undefined): void {
    this.#validatedBy(validator)
    this.#closeOwn()
    this.validated(listed)
  }

  /** The validator goes on after all. */
  stay(): void {
    this.#closeOwn()
    if (!this.isWhole) this.refresh()
  }

  /**
   * The validator tells the newest version of the object, or its absence; `undefined`: it can't tell. Of a whole object it has the
   * metadata only.
   */
  validated(known: Known | undefined): void {
    if (known === undefined) return this.refresh()
    const { object, resourceVersion } = known
    const order = this.order(resourceVersion)
    const version = object === undefined ? undefined : versionOf(object)
    if (order !== 'older' && this.isWhole && version?.resourceVersion === this.held?.resourceVersion) {
      this.#get?.end()
      this.confirm(resourceVersion)
      this.news()
    } else if ((order === 'newer' || !this.wasKnown) && (object === undefined || this.level === 0)) {
      this.#get?.end()
      this.publish(known)
    } else this.refresh()
  }

  /** The validator tells of a change. */
  validatorChanged(validator: Validator, type: ChangeType, object: object, bytes: number): void {
    if (this.validator !== validator) return
    const { uid, resourceVersion } = versionOf(object)
    const order = this.order(resourceVersion)
    if (order === 'older' || (order === 'same' && type !== 'DELETED')) return
    const isNext = order === 'newer' && !this.isReading
    if (isNext && this.level === 0) this.#change(type, object, bytes)
    else if (isNext && type === 'DELETED' && uid === this.held?.uid)
      this.publish({ object: undefined, bytes: 0, resourceVersion })
    else this.refresh()
  }

  /** The resource is gone, and the object with it. */
  clear(): void {
    this.empty()
    this.news()
  }

  get #errors(): (Error | undefined)[] {
    return [this.#own?.lastError, this.#get?.error, this.validator?.lastError]
  }

  get #rollbacks(): number {
    return this.#own?.stats.rollbacks ?? 0
  }

  /** @param asked what was known when a newest state was asked for @param isBack the server counts anew, as its reflector has counted */
  #listed(known: Known, asked: Asked | undefined, isBack: boolean): void {
    if (isBack) this.scope.of.rollBack(this)
    else if (asked !== undefined && this.#isOlder(known, asked)) this.#rollBack(this)
    if (asked !== undefined) this.answered = Math.max(this.answered, asked.notes)
    this.#opened()
    this.#validatedBy(undefined)
    this.#get?.end()
    this.publish(known)
    if (!this.#isOver && !this.isWhole) this.refresh()
  }

  /** Nothing will come that can be waited for. */
  #isRefused(isIn: boolean): boolean {
    if (isFinal(this.#get?.error) || isFinal(this.validator?.lastError)) return true
    const isNeeded = this.validator === undefined || !isIn || this.#isStale
    return isNeeded && isFinal(this.#own?.lastError)
  }

  /** A watch tells what changes, or did so until it failed, or another is about to take its place. */
  get #isFed(): boolean {
    if (this.validator === undefined) return this.synced || this.#opening !== 'no'
    if (this.validator.isLive || this.#opening === 'queued') return true
    if (this.#own !== undefined) return this.#own.lastError === undefined
    return this.scope.validators.some(({ isComing, lastError }) => isComing && lastError === undefined)
  }

  /** What is kept is older than what the server has, or may be. */
  get #isStale(): boolean {
    return this.validator !== undefined && (!this.validator.isLive || this.isReading)
  }

  get #isComing(): boolean {
    return this.scope.validators.some(({ isComing }) => isComing)
  }

  /** A newest state that is older than what was known when it was asked for proves that the server counts anew (rule R5). */
  #isOlder({ resourceVersion }: Known, { reached, epoch }: Asked): boolean {
    if (epoch !== this.scope.of.epoch) return false
    return reached.some(one => compareResourceVersions(resourceVersion, one) === 'older')
  }

  #rollBack(source: unknown): void {
    const { of } = this.scope
    of.environment.metrics.count('reflector_rollbacks_total', { name: of.resource })
    of.rollBack(source)
  }

  protected override publish(known: Known): boolean {
    const isPast = known.object !== undefined && this.#isPast(known.object)
    const isNews = super.publish(isPast ? { ...known, object: undefined } : known)
    if (isNews) this.object.heard(this)
    this.#heard()
    return isNews
  }

  #change(type: ChangeType, object: object, bytes: number): void {
    const { resourceVersion } = versionOf(object)
    if (!this.isKnown)
      return void this.publish({ object: type === 'DELETED' ? undefined : object, bytes, resourceVersion })
    const order = this.order(resourceVersion)
    if (order === 'older' || (order === 'same' && type !== 'DELETED')) return this.news()
    this.amend(this.#isPast(object) ? 'DELETED' : type, object, bytes)
    this.object.heard(this)
    this.#heard()
  }

  /** This process knows that it is gone, and nobody was told of it yet: nobody is. */
  #isPast(object: object): boolean {
    const version = versionOf(object)
    return version.uid !== this.held?.uid && this.object.isGone(version)
  }

  #heard(): void {
    if (this.#own?.lastError === undefined) this.#isRefusalTold = false
    this.news()
  }

  /** Tells `onError` of each failure, but for what happens to every watch; of a refusal once, until it is lifted (rule N10). */
  #tell(error: Error): void {
    const { shared, resource } = this.scope.of
    const about = { resource, phase: 'watch', key: this.key.text }
    const isRefusal = isForTheCaller(error)
    if (!isRefusal && !isExpired(error) && !isTooLarge(error)) shared.tell(error, about)
    if (!isRefusal || this.#isRefusalTold) return
    this.#isRefusalTold = true
    shared.count('wherry_narrow_refused_total', resource)
    shared.environment.onError(this.#refused(error), about)
  }

  #refused(cause: Error): Error {
    return isResourceNotFound(cause) ? cause : new NarrowWatchRefusedError(this.scope.of.resource, this.key.text, cause)
  }

  #validatedBy(validator: Validator | undefined): void {
    const before = this.validator
    this.validator = validator
    if (before === validator) return
    validator?.joined()
    before?.left()
  }

  /** Gives back the turn that its opening took. */
  #opened(): void {
    if (this.#opening === 'begun') this.scope.of.shared.requests.leave()
    if (this.#opening === 'begun') this.#opening = 'no'
  }

  #closeOwn(): void {
    this.#leave?.()
    this.#leave = undefined
    if (this.#opening === 'queued') {
      this.scope.of.shared.requests.withdraw(this)
      this.#opening = 'no'
    }
    const own = this.#own
    this.#own = undefined
    this.synced = false
    if (own !== undefined) this.scope.of.shared.stop(own)
    this.#opened()
  }
}

/** Hears an entry's own watch. An object of its own: `synced` of an intake is another than that of a listener. */
class OwnListener implements ReflectorListeners {
  readonly #entry: Entry

  constructor(entry: Entry) {
    this.#entry = entry
  }

  /** What it was refused for before counts until a watch is accepted. */
  watching(): void {
    this.#entry.news()
  }

  error(error: Error): void {
    this.#entry.failed(error)
  }
}

/** Asked with each read of what is cached: mostly there is none. */
function isFinal(error: Error | undefined): boolean {
  return error !== undefined && (isForTheCaller(error) || isClosed(error))
}
