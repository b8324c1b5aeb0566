import { type Environment, OptionRangeError, OptionTypeError, type Scope, type View } from '@wherry/client'
import {
  type ChangeType,
  callback,
  checkOptions,
  flag,
  guarded,
  having,
  integer,
  milliseconds,
  resourceName,
  tellable,
  text,
  viewCheck,
} from '@wherry/client/internal'
import { Entry } from '../entries/entry.ts'
import { type Identity, isSameState } from '../entries/identity.ts'
import { InformerStoppedError, TransformError } from '../errors.ts'
import type { Cursor } from '../journal/cursor.ts'
import { Journal } from '../journal/journal.ts'
import type { Handler, Registration, RegistrationOptions } from '../registrations/handler.ts'
import { Registrations } from '../registrations/registrations.ts'
import { callGuarded, watched } from '../watched.ts'
import { Contents } from './contents.ts'
import { type Handover, handOver } from './handover.ts'
import { Indices } from './indices.ts'
import type { Intake, IntakeOptions } from './intake.ts'
import { type IntakeTarget, PlainIntake } from './plain-intake.ts'
import { failedOf, PlainLister } from './plain-lister.ts'
import type { PlainReplacement } from './plain-replacement.ts'
import type { IndexFunction, Store, StoreStats } from './store.ts'
import { Transformer } from './transformer.ts'

// An import would read all of its exports, and so load those that Node loads only when they are asked for: 0.7 MB.
const { isDeepStrictEqual } = process.getBuiltinModule('node:util')

export interface PlainStoreOptions<C, S extends Scope = Scope> {
  readonly view: View<C, S>
  /** Its clock, and who hears of what fails in the background. */
  readonly environment: Environment
  /**
   * Freezes what is stored, so that a change of it throws where it is made (rule R37), and what a projection is given, which
   * other views are made of too. Costs about as much as decoding. What several objects share is frozen in any case.
   * @default true unless `NODE_ENV` is `production`
   */
  readonly freeze?: boolean | undefined
  /** Indices by name. More can be added later. @default none */
  readonly indices?: Readonly<Record<string, IndexFunction<C>>> | undefined
  /** How many deletions are kept for cursors that lag. @default the larger of 10,000 and the most keys held so far */
  readonly maxTombstones?: number | undefined
  /** How much the objects of these may take, in bytes as received. @default 33_554_432 (32 MiB) */
  readonly maxTombstoneBytes?: number | undefined
  /** What is kept of an object as decoded, in place of the view's projection. @default the view's projection */
  readonly transform?: ((object: object) => C) | undefined
}

/**
 * A {@link Store} on the JavaScript heap. What is kept of each object is what the view's projection builds, with what many
 * objects have (namespace, kind, values of labels, all labels where they are equal, …) held once; its own cost is about 220 bytes an object.
 *
 * @throws OptionTypeError, OptionRangeError for an option that it does not take.
 */
export class PlainStore<C, S extends Scope = Scope> implements Store<C, S> {
  readonly lister: PlainLister<C, S>
  readonly #environment: Environment
  readonly #journal: Journal<C>
  readonly #indices: Indices<C>
  readonly #registrations: Registrations<C>
  readonly #transformer: Transformer<C>
  readonly #contents: Contents<C>
  readonly #target: IntakeTarget<C>
  #view: View<C, S>
  #mark = 0
  /** Intakes that are open and have not published. */
  #unsynced = 0
  #hasSyncedIntake = false
  readonly #staged = new Set<PlainIntake<C>>()
  #handover: Handover<C> | undefined
  #syncListeners = new Set<() => void>()
  #isClosed = false

  constructor(options: PlainStoreOptions<C, S>) {
    checkOptions('store', options, checks)
    for (const option of ['view', 'environment'] as const) checks[option](`store.${option}`, options[option])
    const { view, maxTombstones, maxTombstoneBytes = 32 * 1024 * 1024, indices = {}, transform } = options
    const environment = guarded(options.environment)
    const { clock } = environment
    const { freeze = process.env.NODE_ENV !== 'production' } = options
    const report = (phase: string) => (error: unknown, key?: string) => this.#report(phase, error, key)
    this.#view = view
    this.#environment = environment
    this.#indices = new Indices((error, key) => this.#report('index', tellable(view.resource, error), key))
    this.#transformer = new Transformer({ view, transform, freeze })
    this.#journal = new Journal<C>({
      view,
      clock,
      maxTombstones,
      maxTombstoneBytes,
      failed: () => failedOf(this.#contents),
      onError: report('cursor'),
    })
    this.#registrations = new Registrations({
      journal: this.#journal,
      clock,
      isUntold: key => {
        const entry = this.#contents.entries.get(key)
        return entry && entry.failure !== undefined
      },
      onError: report('handler'),
    })
    this.#contents = new Contents({
      journal: this.#journal,
      indices: this.#indices,
      registrations: this.#registrations,
      onFailure: error => {
        environment.metrics.count('wherry_informer_transform_failures_total', { resource: this.#resource })
        this.#report('transform', error, error.key)
      },
    })
    this.lister = new PlainLister<C, S>({
      contents: this.#contents,
      indices: this.#indices,
      journal: this.#journal,
      transformer: this.#transformer,
    })
    this.#target = this.#targetOfIntakes()
    for (const [name, index] of Object.entries(indices)) this.addIndex(name, index)
  }

  get view(): View<C, S> {
    return this.#view
  }

  get synced(): boolean {
    return this.#journal.syncedAt <= this.#journal.head
  }

  onSynced(fn: () => unknown): () => void {
    callback('onSynced', fn)
    if (this.synced) {
      watched(fn(), error => this.#report('synced', error))
      return () => {}
    }
    // The same function twice is twice.
    const listener = (): void => callGuarded(fn, error => this.#report('synced', error))
    this.#syncListeners.add(listener)
    return () => this.#syncListeners.delete(listener)
  }

  entries(): IterableIterator<{ readonly object: C; readonly bytes: number }> {
    this.lister.checkLive()
    return this.#values()
  }

  *#values(): IterableIterator<{ readonly object: C; readonly bytes: number }> {
    for (const entry of this.#contents.entries.values()) {
      this.lister.checkLive()
      if (entry.failure === undefined) yield { object: entry.value as C, bytes: entry.bytes }
    }
  }

  intake(options: IntakeOptions = {}): Intake {
    this.#checkOpen()
    checkOptions('intake', options, { key: text, staged: flag })
    const { key, staged = false } = options
    const intake = new PlainIntake(this.#target, key, staged)
    if (staged) {
      this.#staged.add(intake)
      this.#contents.gone ??= new Map(this.#handover?.deletions(this.#contents))
    } else this.#unsynced++
    return intake
  }

  promote(staged: readonly Intake[], retired: readonly Intake[], view: View<C, S> = this.#view): void {
    this.#checkOpen()
    const [next, former] = [this.#own('staged', staged), this.#own('retired', retired)]
    if (next.length === 0) throw new OptionRangeError('promote.staged', 'at least one intake', 'none')
    for (const intake of next) {
      if (intake.isOpen && intake.staged !== undefined && intake.synced) continue
      throw new OptionRangeError('promote.staged', 'staged intakes that are open and have committed', 'another')
    }
    this.#checkView(view)
    this.#view = view
    this.#journal.view = view
    this.#transformer.view = view
    this.#handover = handOver(this.#contents, this.#handover, next, former)
    for (const intake of next) this.#unstage(intake)
    for (const intake of former) intake.close()
    this.#hasSyncedIntake = true
    this.#publish()
  }

  cursor(): Cursor<C> {
    this.#checkOpen()
    return this.#journal.open()
  }

  register(handler: Handler<C>, options: RegistrationOptions = {}): Registration {
    this.#checkOpen()
    checkHandler(handler)
    checkOptions('register', options, { resyncMs: milliseconds({ min: 1 }) })
    return this.#registrations.add(handler, options.resyncMs)
  }

  addIndex(name: string, index: IndexFunction<C>): void {
    this.#checkOpen()
    this.#indices.add(name, index, this.#contents.entries.values())
  }

  stats(): StoreStats {
    const { tombstones, readers } = this.#journal
    const { entries, failed, stale, bytes, transformFailures } = this.#contents
    return {
      objects: entries.size,
      failed: failed + stale.size,
      receivedBytes: bytes,
      managedFieldsShare: this.#transformer.managedFieldsShare,
      tombstones: tombstones.size,
      tombstoneBytes: tombstones.bytes,
      cursors: readers.size,
      registrations: this.#registrations.size,
      transformFailures,
    }
  }

  close(why: Error): void {
    if (this.#isClosed) return
    this.#isClosed = true
    this.lister.end(why)
    this.#registrations.close(why)
    this.#journal.close()
    this.#indices.clear()
    this.#contents.clear()
    this.#staged.clear()
    this.#syncListeners.clear()
    this.#handover = undefined
  }

  #targetOfIntakes(): IntakeTarget<C> {
    const contents = this.#contents
    return {
      get entries() {
        return contents.entries
      },
      nextMark: () => ++this.#mark,
      receive: (object, identity, bytes) => this.#receive(object, identity, bytes),
      receiveAnew: (object, identity, bytes) => this.#receiveAnew(object, identity, bytes),
      change: (type, object, identity, bytes, intake) => {
        if (this.#isClosed || this.#modify(type, object, identity, bytes, intake)) return
        this.#change(type, object, identity, bytes, intake)
        contents.tell()
      },
      commit: (replacement, intake) => {
        if (this.#isClosed) return
        this.#commit(replacement, intake)
        if (!intake.synced) {
          intake.synced = true
          this.#unsynced--
          this.#hasSyncedIntake = true
        }
        this.#publish()
      },
      progress: (intake, resourceVersion) => this.#progress(intake, resourceVersion),
      clear: intake => {
        if (this.#isClosed) return
        for (const entry of contents.of([intake.owner])) contents.remove(entry, 'unwatched')
        contents.tell()
      },
      close: (intake, forget) => this.#closed(intake, forget),
    }
  }

  #receive(object: object, identity: Identity, bytes: number): Entry<C> {
    const { key } = identity
    const held = this.#contents.entries.get(key)
    const isHeld = held !== undefined && isSameState(held, identity)
    const value = isHeld ? (this.#contents.stale.get(held) ?? held.value) : this.#transformer.run(object, key, bytes)
    return new Entry(identity, value, bytes)
  }

  #receiveAnew(object: object, identity: Identity, bytes: number): Entry<C> | undefined {
    const { key } = identity
    const held = this.#contents.entries.get(key)
    const known = held && (this.#contents.stale.get(held) ?? held.value)
    const value = this.#transformer.run(object, key, bytes)
    const isKnown = value instanceof TransformError ? known instanceof TransformError : isEqual(value, known)
    return isKnown ? undefined : new Entry(identity, value, bytes)
  }

  /** What most changes are: another state of an object that this intake has given. Gives whether it was that. */
  #modify(type: ChangeType, object: object, identity: Identity, bytes: number, { owner }: PlainIntake<C>): boolean {
    if (type === 'DELETED' || this.#handover !== undefined) return false
    const held = this.#contents.entries.get(identity.key)
    if (held === undefined || held.owner !== owner || held.uid !== identity.uid || held.failure !== undefined)
      return false
    if (isSameState(held, identity)) return true
    const value = this.#transformer.run(object, held.key, bytes, held.value)
    if (!(value instanceof TransformError)) this.#contents.modify(held, identity, value, bytes)
    else {
      this.#contents.put(new Entry<C>(identity, value, bytes), owner)
      this.#contents.tell()
    }
    return true
  }

  #change(type: ChangeType, object: object, identity: Identity, bytes: number, { owner }: PlainIntake<C>): void {
    const { key, resourceVersion } = identity
    const held = this.#contents.entries.get(key)
    if (this.#handover?.isOutdated(key, resourceVersion, held)) return
    if (type === 'DELETED') {
      // What another intake has found since is for that one to say.
      if (held === undefined || (held.owner !== owner && held.owner?.isOpen)) return
      const value = this.#transformer.run(object, key, bytes)
      this.#contents.remove(held, new Entry(identity, value, bytes))
    } else if (held !== undefined && isSameState(held, identity)) owner.claim(held)
    else this.#contents.put(this.#receive(object, identity, bytes), owner)
  }

  #commit({ pending, mark, others, anew, reuse }: PlainReplacement<C>, { owner, reached }: PlainIntake<C>): void {
    const contents = this.#contents
    const isOutdated = (entry: Entry<C>, resourceVersion: string | undefined, held: Entry<C> | undefined): boolean =>
      this.#handover?.isOutdated(entry.key, resourceVersion, held, !reuse) === true
    if (contents.entries.size === 0 && contents.gone === undefined && this.#handover === undefined) {
      contents.adopt(pending, owner)
      return
    }
    for (const entry of contents.of([owner])) {
      if (pending.has(entry.key)) continue
      const isListed = entry.mark === mark
      // A state that this watch never had says nothing of whether the object is gone, or only out of its scope.
      const isOpen = this.#handover?.unconfirmed.has(entry)
      const isAhead = isOutdated(entry, isListed ? entry.resourceVersion : reached, entry)
      if (!isListed && !isAhead) contents.remove(entry, isOpen ? 'unwatched' : undefined)
    }
    for (const entry of pending.values()) {
      const held = contents.entries.get(entry.key)
      if (!isOutdated(entry, entry.resourceVersion, held)) contents.put(entry, owner, anew.has(entry))
    }
    for (const entry of others) {
      if (entry.mark !== mark || contents.entries.get(entry.key) !== entry) continue
      isOutdated(entry, entry.resourceVersion, entry)
      owner.claim(entry)
    }
  }

  #progress({ owner }: PlainIntake<C>, resourceVersion: string | undefined): void {
    const handover = this.#handover
    if (handover === undefined || this.#isClosed || !handover.passed(owner, resourceVersion)) return
    this.#handover = undefined
    handover.settle(this.#contents)
    this.#contents.tell()
  }

  #closed(intake: PlainIntake<C>, forget: boolean): void {
    if (this.#isClosed) return
    if (forget) for (const entry of this.#contents.of([intake.owner])) this.#contents.forget(entry)
    this.#unstage(intake)
    this.#progress(intake, undefined)
    if (intake.synced || intake.staged !== undefined) return
    this.#unsynced--
    this.#publish()
  }

  #unstage(intake: PlainIntake<C>): void {
    this.#staged.delete(intake)
    if (this.#staged.size === 0) this.#contents.gone = undefined
  }

  /** Tells what was done, and that all has synced if it has. */
  #publish(): void {
    const isFirst = !this.synced && this.#unsynced === 0 && this.#hasSyncedIntake
    if (isFirst) this.#journal.synced()
    this.#contents.tell()
    if (!isFirst) return
    const listeners = [...this.#syncListeners]
    this.#syncListeners.clear()
    for (const listener of listeners) listener()
  }

  #own(option: string, intakes: readonly Intake[]): PlainIntake<C>[] {
    return intakes.map(intake => {
      if (intake instanceof PlainIntake && intake.isOf(this.#target)) return intake as PlainIntake<C>
      throw new OptionTypeError(`promote.${option}`, 'intakes of this store', 'another')
    })
  }

  #checkView(view: View<C, S>): void {
    const [a, b] = [this.#view, view]
    if (resourceName(a.resource) === resourceName(b.resource) && a.projection.name === b.projection.name) return
    throw new OptionRangeError('promote.view', 'a view of the same resource and projection', JSON.stringify(view.key))
  }

  #checkOpen(): void {
    if (this.#isClosed) throw new InformerStoppedError(this.#view.key)
  }

  get #resource(): string {
    return resourceName(this.#view.resource)
  }

  #report(phase: string, error: unknown, key?: string | undefined): void {
    const known = error instanceof Error ? error : new Error(`${phase} of ${this.#view.key} failed`, { cause: error })
    this.#environment.onError(known, { resource: this.#resource, phase, key })
  }
}

/** What is nested too deep to be compared counts as another. */
function isEqual(a: unknown, b: unknown): boolean {
  try {
    return isDeepStrictEqual(a, b)
  } catch {
    return false
  }
}

const checks = {
  view: viewCheck,
  environment: having('an Environment', 'onError', 'random'),
  freeze: flag,
  indices: having('index functions by name'),
  maxTombstones: integer(0),
  maxTombstoneBytes: integer(0),
  transform: callback,
}

/** A handler without any of its functions is a mistake: a function was given in its place, or a name is wrong. */
function checkHandler(handler: unknown): void {
  const takes = '{ add, update, delete, onTransformFailed }, each a function or absent, one of them at least'
  const given = handler as Partial<Record<keyof Handler<unknown>, unknown>> | null | undefined
  const functions = [given?.add, given?.update, given?.delete, given?.onTransformFailed].filter(fn => fn !== undefined)
  if (functions.length === 0) throw new OptionTypeError('handler', takes, `none of them (${typeof handler})`)
  for (const fn of functions) if (typeof fn !== 'function') throw new OptionTypeError('handler', takes, typeof fn)
}
