import { type ChangeType, compareResourceVersions, isResourceNotFound } from '@wherry/client'
import { isClosed, isForTheCaller } from '@wherry/informer/parts'
import type { Task } from './concurrency-limit.ts'
import type { Asked, EntryScope, Validator } from './entry-scope.ts'
import { ErrorReporter } from './error-reporter.ts'
import { NarrowWatchRefusedError } from './errors.ts'
import type { CheckedKey } from './key.ts'
import type { Level } from './level.ts'
import type { NarrowView } from './narrow-view.ts'
import type { Form, ObjectFloor } from './object-floor.ts'
import { type GetListener, ObjectGet } from './object-get.ts'
import { type ObjectListener, ObjectReflector } from './object-reflector.ts'
import { type Known, Register, type Version, versionOf } from './register.ts'

/**
 * How a read of an entry goes on: from the store; by waiting for news of the entry; by having it read anew (`ask`); or past the
 * cache, because nothing watches it (`live`) or there was no room for it (`full`).
 */
export type Readiness = 'cached' | 'wait' | 'ask' | 'live' | 'full'

/** A read that waits. */
export interface Waiting {
  /** Something has changed. */
  news(): void
  /** The entry was closed. */
  over(): void
}

/** What a validator's list has of an object. */
export interface Listed {
  readonly version: Version | undefined
  readonly resourceVersion: string | undefined
  /** The list was begun after the entry was asked for, so that its absence is an answer. */
  readonly isTrusted: boolean
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
export class Entry implements Form, ObjectListener, GetListener, Task {
  readonly scope: EntryScope
  readonly object: ObjectFloor<Entry>
  readonly key: CheckedKey
  readonly level: Level
  readonly register: Register
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
  #own: ObjectReflector | undefined
  #opening: 'no' | 'queued' | 'begun' = 'no'
  /** Gives up its turn to be opened again. */
  #leave: (() => void) | undefined
  #get: ObjectGet | undefined
  #isOver = false
  #isFull = false
  #waiting: Set<Waiting> | undefined
  #reporter: ErrorReporter | undefined

  constructor(scope: EntryScope, object: ObjectFloor<Entry>, key: CheckedKey, level: Level) {
    this.scope = scope
    this.object = object
    this.key = key
    this.level = level
    this.register = new Register(key.text)
    this.wantedAt = scope.shared.next()
    object.forms = object.forms.concat(this)
  }

  get isOver(): boolean {
    return this.#isOver
  }

  get isFull(): boolean {
    return this.#isFull
  }

  /** It has a watch of its own, or is getting one. */
  get isOnItsOwn(): boolean {
    return this.#own !== undefined || this.#leave !== undefined
  }

  get isKnown(): boolean {
    return this.register.isKnown(this.scope.epoch)
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
    const errors = [this.#own?.reflector.lastError, this.#get?.error, this.validator?.lastError]
    return [...errors, ...validators.map(({ lastError }) => lastError)].find(error => error !== undefined)
  }

  /** How far its own watch has come. */
  get watchedTo(): string | undefined {
    return this.#own?.reflector.lastSyncedResourceVersion
  }

  /** How far the source has come, all of which was told. */
  get heard(): string | undefined {
    if (this.validator === undefined) return this.watchedTo
    return this.#isStale ? undefined : this.validator.heard
  }

  /** Feeds one more view. */
  join(view: NarrowView): void {
    if (this.register.has(view)) return
    view.entries.set(this.key.text, this)
    if (!this.register.join(view, this.scope.epoch)) this.refresh()
  }

  /** Somebody asks for it. */
  wanted(): void {
    if (!this.isKnown) this.wantedAt = this.scope.shared.next()
  }

  isIn(view: NarrowView): boolean {
    return this.register.isIn(view, this.scope.epoch)
  }

  /** Why it can't be watched at present. */
  get refusal(): Error | undefined {
    const refusal = this.#refusals.find(isFinal)
    if (refusal === undefined || isResourceNotFound(refusal) || isClosed(refusal)) return refusal
    return new NarrowWatchRefusedError(this.scope.resource, this.key.text, refusal)
  }

  /** How a read of `view` goes on. Makes no request. */
  readiness(view: NarrowView): Readiness {
    if (this.#isFull) return 'full'
    const isIn = this.isIn(view)
    if (this.#isRefused(isIn) || (this.register.wasKnown && !this.#isFed)) return 'live'
    if (!isIn || this.#isStale) return 'wait'
    const behind = this.object.behind(this)
    return behind === 'no' ? 'cached' : behind
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

  /** There is no room for it. */
  full(): void {
    this.#isFull = true
    this.news()
  }

  /** Lets go of it, without a word to those who follow its views. */
  close(): void {
    if (this.#isOver) return
    this.#isOver = true
    this.#closeOwn()
    this.#get?.end()
    this.#validatedBy(undefined)
    this.register.close()
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
    this.scope.shared.requests.enter(this)
  }

  begin(): void {
    this.#opening = 'begun'
    if (this.#isOver || this.#own !== undefined || this.#isComing) return this.#opened()
    this.#own = new ObjectReflector(this, this.scope, this.key.name, this.level)
    this.scope.shared.open(this.#own.reflector)
  }

  /** The server knows the resource: those who wait to be told so need not. */
  found(): void {
    const reflector = this.#own?.reflector
    if (isResourceNotFound(reflector?.lastError)) reflector?.retryNow()
  }

  /** Has a watch that was refused tried again. Returns what tells whether the answer is still to come. */
  tryNow(): () => boolean {
    const reflector = this.#own?.reflector
    if (reflector?.tryNow() !== true) return () => false
    const { lastError } = reflector
    return () => reflector.state !== 'stopped' && reflector.lastError === lastError
  }

  asked(): Asked {
    const { scope, object } = this
    const { epoch, shared, validators } = scope
    const reached = object.forms.flatMap(form => (form.isKnown ? [form.register.reached, form.watchedTo] : []))
    for (const { heard } of validators) reached.push(heard)
    return { reached, epoch, notes: object.notes, at: shared.next() }
  }

  /** The server counts anew: what is kept counts for nothing until it is read again. `source`: the watch that goes on. */
  rolledBack(source: unknown): void {
    if (this.#own !== undefined && this.#own !== source) {
      this.#closeOwn()
      const reopen = (): void => {
        this.#leave = undefined
        this.openInTurn()
      }
      this.#leave = this.scope.shared.gate.enter(reopen, false)
      if (this.#leave === undefined) reopen()
    }
    if (this.validator?.isLive === true) this.refresh()
    this.news()
  }

  // Told by its own watch

  listed(source: ObjectReflector, known: Known, asked: Asked | undefined, isBack: boolean): void {
    // The reflector has counted its own.
    if (isBack) this.scope.rollBack(source)
    else if (asked !== undefined && this.#isOlder(known, asked)) this.#rollBack(source)
    if (asked !== undefined) this.answered = Math.max(this.answered, asked.notes)
    this.#opened()
    this.#validatedBy(undefined)
    this.#get?.end()
    this.#publish(known)
    if (!this.#isOver && !this.register.isWhole(this.scope.epoch)) this.refresh()
  }

  changed(source: ObjectReflector, type: ChangeType, object: object, bytes: number): void {
    if (source === this.#own) this.#change(type, object, bytes)
  }

  cleared(source: ObjectReflector): void {
    if (source === this.#own) this.clear()
  }

  failed(source: ObjectReflector, error: Error): void {
    this.#tell(error)
    if (source === this.#own) this.#opened()
    this.news()
  }

  // Told by its GET

  got(known: Known, asked: Asked): boolean {
    if (this.#isOver) return true
    if (asked.epoch !== this.scope.epoch) return false
    if (this.#isOlder(known, asked)) this.#rollBack(undefined)
    this.answered = Math.max(this.answered, asked.notes)
    this.gotAt = asked.at
    this.#publish(known)
    return this.register.isWhole(this.scope.epoch)
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

  /** A validator takes over. */
  validate(validator: Validator, listed: Listed | undefined): void {
    this.#validatedBy(validator)
    this.#closeOwn()
    this.validatedAt(listed)
  }

  /** The validator goes on after all. */
  stay(): void {
    this.#closeOwn()
    if (!this.register.isWhole(this.scope.epoch)) this.refresh()
  }

  /** The validator has listed; `undefined`: it can't tell what. */
  validatedAt(listed: Listed | undefined): void {
    const { register, scope } = this
    const order = listed === undefined ? 'older' : register.order(listed.resourceVersion, scope.epoch)
    if (listed === undefined || order === 'older') return this.refresh()
    const { version, resourceVersion, isTrusted } = listed
    const isSame = version === undefined ? isTrusted : version.resourceVersion !== undefined
    if (isSame && register.isWhole(scope.epoch) && version?.resourceVersion === register.held?.resourceVersion) {
      this.#get?.end()
      register.confirm(resourceVersion)
      this.news()
    } else if (version === undefined && isTrusted && (order === 'newer' || !register.wasKnown)) {
      this.#get?.end()
      this.#publish({ object: undefined, bytes: 0, resourceVersion })
    } else this.refresh()
  }

  /** The validator tells of a change. */
  validatorChanged(validator: Validator, type: ChangeType, object: object, bytes: number): void {
    if (this.validator !== validator) return
    const { register, scope } = this
    const { uid, resourceVersion } = versionOf(object)
    const order = register.order(resourceVersion, scope.epoch)
    if (order === 'older' || (order === 'same' && type !== 'DELETED')) return
    const isNext = order === 'newer' && !this.isReading
    if (isNext && (this.level === 0 || (type === 'DELETED' && uid === register.held?.uid)))
      this.level === 0
        ? this.#change(type, object, bytes)
        : this.#publish({ object: undefined, bytes: 0, resourceVersion })
    else this.refresh()
  }

  /** The resource is gone, and the object with it. */
  clear(): void {
    this.register.clear()
    this.news()
  }

  get #refusals(): (Error | undefined)[] {
    return [this.#own?.reflector.lastError, this.#get?.error, this.validator?.lastError]
  }

  /** Nothing will come that can be waited for. */
  #isRefused(isIn: boolean): boolean {
    if (isFinal(this.#get?.error) || isFinal(this.validator?.lastError)) return true
    const isNeeded = this.validator === undefined || !isIn || this.#isStale
    return isNeeded && isFinal(this.#own?.reflector.lastError)
  }

  /** A watch tells what changes, or did so until it failed, or another is about to take its place. */
  get #isFed(): boolean {
    if (this.validator === undefined) return this.#own?.synced === true || this.#opening !== 'no'
    if (this.validator.isLive || this.#opening === 'queued') return true
    if (this.#own !== undefined) return this.#own.reflector.lastError === undefined
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
    if (epoch !== this.scope.epoch) return false
    return reached.some(one => compareResourceVersions(resourceVersion, one) === 'older')
  }

  #rollBack(source: unknown): void {
    const { scope } = this
    scope.environment.metrics.count('reflector_rollbacks_total', { name: scope.resource })
    scope.rollBack(source)
  }

  #publish(known: Known): void {
    const { register, scope, object } = this
    const isPast = known.object !== undefined && this.#isPast(known.object)
    const isNews = register.publish(isPast ? { ...known, object: undefined } : known, scope.epoch)
    if (isNews) object.heard(this)
    this.#heard()
  }

  #change(type: ChangeType, object: object, bytes: number): void {
    const { register, scope } = this
    const { resourceVersion } = versionOf(object)
    if (!this.isKnown) return this.#publish({ object: type === 'DELETED' ? undefined : object, bytes, resourceVersion })
    const order = register.order(resourceVersion, scope.epoch)
    if (order === 'older' || (order === 'same' && type !== 'DELETED')) return this.news()
    register.change(this.#isPast(object) ? 'DELETED' : type, object, bytes)
    this.object.heard(this)
    this.#heard()
  }

  /** This process knows that it is gone, and nobody was told of it yet: nobody is. */
  #isPast(object: object): boolean {
    const version = versionOf(object)
    return version.uid !== this.register.held?.uid && this.object.isGone(version)
  }

  #heard(): void {
    if (this.#own?.reflector.lastError === undefined) this.#reporter?.lifted()
    this.news()
  }

  #tell(error: Error): void {
    this.#reporter ??= new ErrorReporter({ shared: this.scope.shared, resource: this.scope.resource }, this.key.text)
    this.#reporter.failed(error)
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
    if (this.#opening === 'begun') this.scope.shared.requests.leave()
    if (this.#opening === 'begun') this.#opening = 'no'
  }

  #closeOwn(): void {
    this.#leave?.()
    this.#leave = undefined
    if (this.#opening === 'queued') {
      this.scope.shared.requests.withdraw(this)
      this.#opening = 'no'
    }
    const own = this.#own
    this.#own = undefined
    if (own !== undefined) this.scope.shared.stop(own.reflector)
    this.#opened()
  }
}

/** Asked with each read of what is cached: mostly there is none. */
function isFinal(error: Error | undefined): boolean {
  return error !== undefined && (isForTheCaller(error) || isClosed(error))
}
