import type { Environment, KubernetesObject, Timer, View } from '@wherry/client'
import { asError, keyText } from '@wherry/client/internal'
import { hash } from '@wherry/hash-compare'
import { changedBy } from '../apply/changed-by.ts'
import { objectId } from '../apply/own-events.ts'
import { statusTimes, withoutTimes } from '../apply/times.ts'
import { remember } from '../objects/remember.ts'
import { changesBetween, pathsChangedFrom } from '../predicates/changes.ts'
import type { Cause } from '../sources/cause.ts'
import { type Causality, type Drive, outside, type RunWrite } from './causality.ts'
import { type Loop, type LoopKind, loopOf, runsToName } from './loop.ts'

/** The writes of a run, and its causes. */
export interface LoopRun {
  /** The key. */
  readonly text: string
  readonly drive: Drive | undefined
  /** `undefined`: nothing yet. */
  writes: RunWrite[] | undefined
  /** The first object that the run changed. */
  written: Written | undefined
  /** The first object that the run changed to the same state as an earlier run. */
  restored: Written | undefined
  /** Whether the run applied an object: the write limiter then slows down changes back and forth. */
  isApplied(id: string): boolean
}

interface Written {
  readonly id: string
  readonly view: View
  readonly key: string
  /** The object in the server's answer. */
  readonly answer: KubernetesObject
}

export interface LoopsOptions {
  readonly controller: string
  readonly environment: Environment
  readonly causality: Causality
  /** Records an event that names a loop: at most once an hour for each key. */
  notify(key: string, reason: string, message: string): void
  /** An object as the server has it, with its managed fields. */
  read(view: View, key: string): Promise<object | undefined>
}

/** The record of a key that may not come to rest. */
interface Entry {
  kind: LoopKind
  readonly began: number
  readonly since: number
  runs: number
  /** The end of the last counted run, on the monotonic clock. */
  lastAt: number
  ranAt: number
  about: Written | undefined
  paths: readonly string[]
  managers: readonly string[]
  isNamed: boolean
  /** How many of its runs were slowed down. */
  slowed: number
  isReading: boolean
  /** The object before a run changed it back. */
  live: KubernetesObject | undefined
  /** Whether the write limiter slows down the writes, so that the runs need no delay. */
  isLimited: boolean
}

/** The maximum number of keys of a controller with a record. */
const mostKeys = 100
/** The depth from which a run counts: a run of less depth may be a step of normal work. */
const firstDepth = 5
/** The minimum duration of a loop with `runsToName` runs before it is named, in milliseconds. */
const timeToName = 30_000
/** The time without a counted run after which a key is at rest, in milliseconds. */
const restMs = 35_000
/** The interval of the checks whether a named key is at rest, in milliseconds. */
const lookMs = 20_000
/** The interval of the log lines that name a key, in milliseconds. */
const sayMs = 60_000
/** The minimum time between two events that name one key, in milliseconds. */
const eventMs = 3_600_000
/**
 * The first and the longest delay between runs of a named key, in milliseconds. The delay doubles, and its limit lets the end of a loop be noticed
 * within a minute.
 */
const firstWaitMs = 1000
const longestWaitMs = 16_000

/**
 * Finds the keys of a controller that do not come to rest, names them, and slows them down (rule C24). A run counts if it had no other cause than
 * writes of this process, at a depth of five or more, and wrote something again; if it restored a state that another client had changed; or if the key
 * has asked many times in a row to run at once. A key is at rest after a run that writes nothing, or half a minute without a counted run: its loop is
 * then forgotten. A rollout is no loop, however long it takes, because its runs have causes from outside.
 */
export class Loops {
  readonly #options: LoopsOptions
  readonly #entries = new Map<string, Entry>()
  /** By object that was written more than once: a digest of the last state that a run gave it. */
  readonly #digests = new Map<string, string>()
  /** By key: the time of the last event that named it. */
  readonly #reportedAt = new Map<string, number>()
  #named = 0
  /** The last time that there was no room for the record of a key. */
  #fullAt = Number.NEGATIVE_INFINITY
  #timer: Timer | undefined
  /** The time of the last log line that named a key. */
  #saidAt = Number.NEGATIVE_INFINITY
  #isClosed = false

  constructor(options: LoopsOptions) {
    this.#options = options
  }

  /** The loops of all keys, whether they are named yet or not. */
  get all(): readonly Loop[] {
    const now = this.#now()
    const last = [...this.#entries].filter(([, { lastAt }]) => now - lastAt <= restMs)
    return last.map(([key]) => this.of(key) as Loop)
  }

  /** The loop of a key, if it is in one. */
  of(key: string): Loop | undefined {
    const entry = this.#entries.get(key)
    if (entry === undefined) return undefined
    const { kind, about, paths, managers, runs, since, began, lastAt } = entry
    const { controller } = this.#options
    return loopOf({
      ...{ controller, key, kind, view: about?.view.key, object: about?.key, paths, managers, runs, since },
      ...{ lastedMs: lastAt - began, waitMs: entry.isNamed ? waitOf(entry) : 0 },
    })
  }

  /** Adds a cause of a key's next run. Returns the drive of the key with it. */
  caused(key: string, before: Drive | undefined, cause: Cause): Drive | undefined {
    if (cause.change === 'initial') return outside
    const { causality } = this.#options
    const entry = this.#entries.get(key)
    if (entry?.kind === 'field_fight' && !causality.isOwn(cause)) this.#changed(entry, cause)
    return causality.drive(before, cause, this.#by(key))
  }

  /** Handles a change of an object by another client, if a key changes the object back. */
  #changed(entry: Entry, { object }: Cause): void {
    const { about, paths, isReading, isLimited } = entry
    if (about === undefined || about.key !== object || paths.length > 0 || isReading || isLimited) return
    if (entry.live !== undefined || this.#keepsMore) void this.#look(entry, about)
  }

  /** How long a named key has to wait for its next run because of a cause, in milliseconds; 0 for other keys. */
  waitMs(key: string, cause: Cause): number {
    if (this.#named === 0) return 0
    const entry = this.#entries.get(key)
    if (entry?.isNamed !== true) return 0
    const isPart = cause.change === 'due' || cause.object === entry.about?.key || this.#options.causality.isOwn(cause)
    return isPart ? Math.max(0, entry.ranAt + waitOf(entry) - this.#now()) : 0
  }

  /** A run wrote an object. @param answer as the server answered */
  wrote(run: LoopRun, view: View, answer: object): void {
    const { metadata = {} } = answer as KubernetesObject
    const { name, namespace, resourceVersion } = metadata
    if (name === undefined || resourceVersion === undefined) return
    const { causality } = this.#options
    const key = keyText({ name, namespace })
    const id = objectId(view, key)
    const isKnown = causality.knows(id)
    const write = causality.wrote(id, key, resourceVersion, this.#by(run.text), this.#depthOf(run) + 1)
    if (write === undefined) return
    run.writes ??= []
    run.writes.push(write)
    const written = { id, view, key, answer: answer as KubernetesObject }
    run.written ??= written
    if (!isKnown || run.isApplied(id)) return
    const digest = digestOf(answer)
    if (this.#digests.get(id) === digest) run.restored ??= written
    remember(this.#digests, id, digest, mostDigests)
  }

  /** A run deleted an object. */
  deleted(run: LoopRun, view: View, key: string): void {
    run.writes ??= []
    run.writes.push(this.#options.causality.deleted(key, this.#by(run.text), this.#depthOf(run) + 1))
    run.written ??= { id: objectId(view, key), view, key, answer: {} }
  }

  /**
   * Records the end of a run.
   * @param since the causes that came for its key meanwhile
   * @param isHurried whether the run asks for the next one at once, and many runs before it did so too
   */
  ran(run: LoopRun, isDone: boolean, since: Drive | undefined, isHurried: boolean): void {
    const { text: key, writes = [], written, restored } = run
    const by = this.#by(key)
    const { causality } = this.#options
    const { depth, isOthers } = causality.answered(run.drive, by)
    // A cause that came during the run may have led to the write.
    const isDriven = depth > 0 && (since === undefined || causality.answered(since, by).depth > 0)
    for (const write of writes) write.depth = isDriven ? depth + 1 : 1
    const entry = this.#entries.get(key)
    if (entry !== undefined) entry.ranAt = this.#now()
    if (!isDone) return
    if (isHurried) return this.#count(key, 'timer', written)
    // During a field fight most runs find nothing to do.
    if (writes.length === 0) return entry?.kind === 'field_fight' ? undefined : this.#rest(key)
    if (isDriven && depth >= firstDepth) this.#count(key, isOthers ? 'other_keys' : 'own_write', written)
    else if (!isDriven && restored !== undefined) this.#count(key, 'field_fight', restored)
  }

  /** Records that another client changes a key's applies back. The limiter delays the writes, and this counts as a loop at once. */
  fights(
    key: string,
    about: { readonly view: View; readonly key: string; readonly paths: readonly string[] },
    managers: readonly string[],
  ): void {
    const { view, key: object, paths } = about
    const entry = this.#obtain(key, 'field_fight')
    if (entry === undefined) return
    entry.kind = 'field_fight'
    entry.about = { id: objectId(view, object), view, key: object, answer: {} }
    entry.paths = paths
    entry.managers = managers
    entry.isLimited = true
    entry.runs += 1
    entry.lastAt = this.#now()
    // The apply has recorded an event already.
    if (!entry.isNamed) remember(this.#reportedAt, key, this.#now(), mostKeys)
    this.#name(key, entry)
  }

  /** Ends the search. The loops that were found can still be read. */
  close(): void {
    this.#isClosed = true
    this.#timer?.cancel()
    this.#options.environment.metrics.gauge('wherry_hot_keys', 0, { controller: this.#options.controller })
  }

  #depthOf({ text, drive }: LoopRun): number {
    return this.#options.causality.answered(drive, this.#by(text)).depth
  }

  #count(key: string, kind: LoopKind, written: Written | undefined): void {
    const now = this.#now()
    const known = this.#entries.get(key)
    if (known !== undefined && now - known.lastAt > restMs) this.#rest(key)
    const entry = this.#obtain(key, kind)
    if (entry === undefined) return
    if (entry.kind === 'own_write') entry.kind = kind
    entry.runs += 1
    entry.lastAt = now
    this.#findPaths(entry, written)
    const { environment, controller } = this.#options
    if (entry.isNamed) {
      entry.slowed += 1
      environment.metrics.count('wherry_loop_runs_total', { controller, cause: kind })
    } else if (entry.runs >= runsToName && now - entry.began >= timeToName) this.#name(key, entry)
  }

  /** Finds the fields that two runs in a row wrote differently, or that a run has changed back. Objects are kept only until that is known. */
  #findPaths(entry: Entry, written: Written | undefined): void {
    if (written === undefined || entry.paths.length > 0) return
    const { about: before, live } = entry
    entry.live = undefined
    const { answer } = written
    if (entry.kind === 'field_fight') {
      entry.about = { ...written, answer: {} }
      if (live === undefined) return
      entry.paths = pathsChangedFrom(answer, live, mostPaths)
      entry.managers = [...new Set([...changedBy(live, answer, ''), ...changedBy(live, answer, 'status')])].sort()
      return
    }
    entry.about = this.#keepsMore ? written : { ...written, answer: {} }
    if (before?.id !== written.id || isEmpty(before.answer)) return
    entry.paths = changesBetween(before.answer, answer).paths
    if (entry.paths.length > 0) entry.about = { ...written, answer: {} }
  }

  /** Whether one more object may be kept. */
  get #keepsMore(): boolean {
    let kept = 0
    for (const { about, live } of this.#entries.values()) {
      if (live !== undefined || (about !== undefined && !isEmpty(about.answer))) kept += 1
    }
    return kept < mostKept
  }

  /** Reads an object that another client has changed, so that the key's next run shows which fields it changes back. */
  async #look(entry: Entry, { view, key }: Written): Promise<void> {
    entry.isReading = true
    try {
      const live = (await this.#options.read(view, key)) as KubernetesObject | undefined
      if (!this.#isClosed) entry.live = live
    } catch (thrown) {
      const { environment, controller } = this.#options
      const fields = { controller, object: key, err: asError(thrown) }
      if (!this.#isClosed) environment.log('debug', 'an object that is changed back could not be read', fields)
    } finally {
      entry.isReading = false
    }
  }

  #obtain(key: string, kind: LoopKind): Entry | undefined {
    const known = this.#entries.get(key)
    if (known !== undefined || this.#isClosed) return known
    const now = this.#now()
    if (this.#entries.size >= mostKeys) this.#sweep(now)
    if (this.#entries.size >= mostKeys) {
      this.#fullAt = now
      return undefined
    }
    const entry: Entry = {
      ...{ kind, began: now, since: this.#options.environment.clock.now(), runs: 0, lastAt: now, ranAt: now },
      ...{
        about: undefined,
        paths: [],
        managers: [],
        isNamed: false,
        slowed: 0,
        isReading: false,
        isLimited: false,
        live: undefined,
      },
    }
    this.#entries.set(key, entry)
    return entry
  }

  #name(key: string, entry: Entry): void {
    const { environment, controller } = this.#options
    const { metrics } = environment
    if (!entry.isNamed) {
      entry.isNamed = true
      this.#named += 1
      metrics.gauge('wherry_hot_keys', this.#named, { controller })
      metrics.count('wherry_loop_runs_total', { controller, cause: entry.kind }, entry.runs)
    }
    this.#report(key, entry)
    if (this.#timer === undefined) this.#say()
  }

  #report(key: string, { kind }: Entry): void {
    const now = this.#now()
    if (now - (this.#reportedAt.get(key) ?? Number.NEGATIVE_INFINITY) < eventMs) return
    remember(this.#reportedAt, key, now, mostKeys)
    this.#options.notify(key, kind === 'field_fight' ? 'FieldFight' : 'ReconcileLoop', `${this.of(key)}`)
  }

  /** A key has come to rest. */
  #rest(key: string): void {
    const entry = this.#entries.get(key)
    if (entry === undefined) return
    this.#entries.delete(key)
    if (!entry.isNamed) return
    this.#named -= 1
    const { environment, controller } = this.#options
    environment.metrics.gauge('wherry_hot_keys', this.#named, { controller })
    environment.log('info', 'a key that did not come to rest has come to rest', { controller, key })
  }

  #sweep(now: number): void {
    for (const [key, entry] of this.#entries) if (now - entry.lastAt > restMs) this.#rest(key)
  }

  /** Logs one line a minute while a key is named, about the key with the most runs, and records an event for each key that is still named after an hour. */
  #say(): void {
    const { environment, controller } = this.#options
    this.#timer = undefined
    this.#sweep(this.#now())
    if (this.#isClosed || this.#named === 0) return
    this.#timer = environment.clock.timer(lookMs, () => this.#say())
    const named = [...this.#entries].filter(([, { isNamed }]) => isNamed)
    for (const [of, entry] of named) this.#report(of, entry)
    if (this.#now() - this.#saidAt < sayMs) return
    this.#saidAt = this.#now()
    const [[key] = ['']] = named.sort(([, a], [, b]) => b.runs - a.runs)
    const others = named.length > 1 ? { others: named.length - 1 } : {}
    const more = this.#now() - this.#fullAt <= restMs ? { unseen: `of more than ${mostKeys} keys` } : {}
    environment.log('warn', `${this.of(key)}`, { controller, key, ...others, ...more })
  }

  #by(key: string): string {
    return `${this.#options.controller} ${key}`
  }

  #now(): number {
    return this.#options.environment.clock.monotonic()
  }
}

/** The maximum number of objects that are kept until their differing fields are known. */
const mostKept = 8
/** The maximum number of fields that a loop names. */
const mostPaths = 5

function isEmpty(object: object): boolean {
  for (const _ in object) return false
  return true
}

/** The maximum number of digests of the last content of objects. */
const mostDigests = 1000

function waitOf({ slowed, isLimited }: Entry): number {
  return isLimited ? 0 : Math.min(longestWaitMs, firstWaitMs * 2 ** Math.min(slowed, 10))
}

/** A digest of an object without its times, and without the metadata that each write changes. */
function digestOf(answer: object): string {
  const { metadata, ...rest } = answer as KubernetesObject & Record<string, unknown>
  const { resourceVersion: _, generation: __, managedFields: ___, ...kept } = metadata ?? {}
  return hash(withoutTimes({ ...rest, metadata: kept }, statusTimes), { integers: 'bigint' })
}
