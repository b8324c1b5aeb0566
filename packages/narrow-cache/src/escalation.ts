import {
  type ChangeType,
  isConnectionError,
  isExpired,
  isResourceNotFound,
  isServiceUnavailable,
  isTooLarge,
  isTooManyRequests,
  type Timer,
} from '@wherry/client'
import { type Gate, type Intake, Reflector, type Replacement } from '@wherry/informer'
import { isForTheCaller } from '@wherry/informer/parts'
import type { Entry } from './entry.ts'
import type { Kind } from './kind.ts'
import { metadataTarget } from './level.ts'
import { timeoutSeconds, type Version, versionOf } from './source.ts'

/** How long no other escalation is tried where one was refused, in milliseconds: so long, to twice as long. */
const refusedMs = 300_000
/** How long who comes waits for a watch of what was listed to be accepted, in milliseconds. */
const acceptedMs = 1000

/**
 * How far entries are escalated (rule N11):
 *
 * - `narrow`: not at all.
 * - `rising`: as before, until the server has listed the metadata of all objects there and accepted a watch of it; new
 *   entries wait for that, unless it fails by itself or its watch is late: then each has its own meanwhile.
 * - `wide`: they are fed by that watch, and fetched when they have changed.
 * - `falling`: those that nothing else feeds yet are fed by that watch, until all are fed otherwise.
 */
export type EscalationPhase = 'narrow' | 'rising' | 'wide' | 'falling'

/** What the list of the one watch has of an object. */
export interface Listed {
  /** `undefined`: it is not there. */
  readonly version: Version | undefined
  /** The list's. */
  readonly resourceVersion: string | undefined
}

/** What its watch has listed of those that are entries. */
interface List {
  readonly found: ReadonlyMap<Entry, Version>
  /** Those there were when the first object came: what a later one is of may have come before it. `undefined`: none came. */
  readonly asked: ReadonlySet<Entry> | undefined
  readonly resourceVersion: string | undefined
}

/** Whose entries they are. */
export interface Escalated {
  readonly kind: Kind
  /** `undefined`: all there are. */
  readonly namespace: string | undefined
  /** Those that may be fed by it. */
  all(): Entry[]
  /** Where they are looked up by their key. */
  find(namespace: string | undefined, text: string): Entry | undefined
  /** All of them are fed by it now. */
  wide(): void
  /** There is no such watch for us. */
  refused(): void
  /** It was refused a while ago: it may be tried again, where there are too many still. */
  again(): void
  /** Finds another way for an entry to be fed. */
  place(entry: Entry): void
}

/** One watch of metadata in place of one for each entry, and how the entries go over to it and back. */
export class Escalation {
  readonly #of: Escalated
  #phase: EscalationPhase = 'narrow'
  #reflector: Reflector | undefined
  /** Gives up its turn to be opened; `undefined` where it does not wait for that. */
  #leave: (() => void) | undefined
  /** Those there were when its watch was opened, until it has listed: who came later may have asked after that list was made. */
  #early = new Set<Entry>()
  /** The server has accepted a watch since the last list was begun. */
  #isAccepted = false
  /** Nobody is told of it before that: who may list may still not be allowed to watch. */
  #list: List | undefined
  /** Runs from then on, while that may be at any moment. */
  #accepting: Timer | undefined
  /** It was listed, and its watch failed or was not accepted in time: who comes is not to wait for it. */
  #isLate = false
  /** The server counts anew, as was shown since it told what it had listed: nothing that was known before says anything any more. */
  #isBack = false
  /** Runs for as long as no other is tried, since one was refused. */
  #refusal: Timer | undefined
  /** Told to `onError` once, until it is allowed. */
  #isRefusalTold = false
  #fed = 0
  /** It has listed, and not all that are fed by it know what. */
  #isTelling = false

  constructor(of: Escalated) {
    this.#of = of
  }

  get phase(): EscalationPhase {
    return this.#phase
  }

  /** It tells what changes, of all that are fed by it. */
  get isLive(): boolean {
    return this.#phase === 'wide' || this.#phase === 'falling'
  }

  /** It feeds whoever comes, or soon will. */
  get isUp(): boolean {
    return this.#phase === 'wide' || this.#phase === 'rising'
  }

  /** Who comes may wait for it: it feeds them, or will unless that fails. */
  get isComing(): boolean {
    if (this.#phase !== 'rising') return this.#phase === 'wide'
    return !this.#isLate && !isItsOwn(this.lastError)
  }

  /** How far its watch has come, and all that are fed by it know. */
  get reached(): string | undefined {
    return this.#isTelling ? undefined : this.lastSyncedResourceVersion
  }

  /** How far its watch has come. */
  get lastSyncedResourceVersion(): string | undefined {
    return this.#isBack ? undefined : this.#reflector?.lastSyncedResourceVersion
  }

  get lastError(): Error | undefined {
    return this.#reflector?.lastError
  }

  /** Somebody asks for an entry that there was before: what was listed by now may be older than that. */
  asks(entry: Entry): void {
    if (this.#list !== undefined) this.#early.delete(entry)
  }

  /** One more entry is fed by it. */
  joined(): void {
    this.#fed += 1
  }

  /** One entry is fed otherwise. */
  left(): void {
    this.#fed -= 1
    if (this.#phase === 'falling' && this.#fed === 0) this.end()
  }

  /** Moves all to one watch. Gives whether they are, or will be unless it is refused. */
  rise(): boolean {
    if (this.isUp) return true
    const { shared, resource } = this.#of.kind
    if (this.#refusal !== undefined) return false
    shared.count('wherry_narrow_escalations_total', resource)
    if (this.#phase === 'falling') {
      this.#phase = 'wide'
      for (const { feeding } of this.#of.all()) {
        if (feeding.wide === this) feeding.stay()
        else feeding.moveTo(this, undefined)
      }
      this.#of.wide()
      return true
    }
    this.#phase = 'rising'
    this.#open()
    return true
  }

  /** Has each entry fed otherwise, and ends when all are. It must be up. */
  fall(): void {
    if (this.#phase === 'wide') {
      this.#phase = 'falling'
      this.#of.kind.shared.count('wherry_narrow_deescalations_total', this.#of.kind.resource)
    } else this.end()
    for (const entry of this.#of.all()) this.#of.place(entry)
    if (this.#phase === 'falling' && this.#fed === 0) this.end()
  }

  /**
   * The server counts anew, as one of its entries has shown. Its watch would keep silent until that has counted as far again, and
   * what it is listing, or has listed and not told yet, may be of before.
   */
  countsAnew(by: Entry['feeding']): void {
    if (this.#phase === 'rising') this.#isBack = true
    if (!this.isLive) return
    const isUp = this.#phase === 'wide'
    this.end()
    if (isUp) this.#phase = 'rising'
    if (isUp) this.#open()
    const others = this.#of.all().filter(({ feeding }) => feeding !== by && feeding.wide === this)
    for (const way of new Set(others.flatMap(({ bucket }) => bucket.ways)))
      if (!way.isLive && way !== this) way.countsAnew(by)
    for (const { feeding } of others) feeding.wentBack()
  }

  /** Lets go of its watch. */
  end(): void {
    this.#phase = 'narrow'
    this.#early = new Set()
    this.#held()
    this.#isAccepted = false
    this.#isLate = false
    this.#isBack = false
    this.#refusal?.cancel()
    this.#refusal = undefined
    const reflector = this.#reflector
    const leave = this.#leave
    this.#reflector = undefined
    this.#leave = undefined
    if (leave !== undefined) leave()
    else if (reflector !== undefined) this.#of.kind.shared.ending(reflector.stop())
  }

  #open(): void {
    const { kind, namespace } = this.#of
    const { shared, environment, view, resource } = kind
    const { client, maxObjectBytes } = shared.settings
    // Many wait for it, and the watches of many namespaces may be opened at once.
    const gate: Gate = { enter: pass => shared.gate.enter(pass, true) }
    const reflector = new Reflector({
      client: { context: client.context, environment },
      target: metadataTarget(view, namespace),
      firstList: 'newest',
      streaming: shared.streaming,
      gate,
      timeoutSeconds,
      maxObjectBytes,
      on: {
        watching: () => this.#accepted(),
        error: error => {
          const isRising = this.#phase === 'rising'
          if (isForTheCaller(error) && (isRising || !isResourceNotFound(error))) return this.#refused(error)
          if (!isExpired(error) && !isTooLarge(error)) environment.onError(error, { resource, phase: 'escalated' })
          if (isRising) this.#failed()
        },
      },
    })
    this.#reflector = reflector
    reflector.add(this.#intake(reflector))
    const open = (): void => {
      this.#leave = undefined
      // Who asks in this very turn is early, too: nothing was heard of the server since.
      queueMicrotask(() => {
        if (this.#reflector === reflector) this.#early = new Set(this.#of.all())
      })
      shared.open(reflector)
    }
    this.#leave = gate.enter(open, true)
    if (this.#leave === undefined) open()
  }

  #intake(reflector: Reflector): Intake {
    const each = (tell: (entry: Entry) => void): void => {
      for (const entry of this.#of.all()) tell(entry)
    }
    let isSynced = false
    return {
      get synced() {
        return isSynced
      },
      replace: () => {
        const { rollbacks } = reflector.stats
        // Neither the list before nor the watch of it counts any more.
        this.#held()
        this.#isAccepted = false
        return this.#replacement(list => {
          isSynced = true
          this.#isBack ||= reflector.stats.rollbacks > rollbacks
          this.#listed(list)
        })
      },
      change: (type: ChangeType, object: object, bytes: number) => {
        this.#find(object)?.feeding.wideChange(this, type, object, bytes)
      },
      progress: () => each(entry => entry.feeding.wideProgress(this)),
      clear: () => each(entry => entry.feeding.wideGone(this)),
      close() {},
    }
  }

  /** Of a list nothing is kept but the versions of those that are entries. */
  #replacement(listed: (list: List) => void): Replacement {
    const found = new Map<Entry, Version>()
    let asked: Set<Entry> | undefined
    return {
      put: object => {
        asked ??= new Set(this.#of.all())
        const entry = this.#find(object)
        if (entry !== undefined) found.set(entry, versionOf(object))
      },
      remove: object => {
        const entry = this.#find(object)
        if (entry !== undefined) found.delete(entry)
      },
      commit: resourceVersion => listed({ found, asked, resourceVersion }),
      drop() {},
    }
  }

  #listed(list: List): void {
    if (this.#phase !== 'rising' || this.#isAccepted) return this.#tell(list)
    this.#list = list
    this.#accepting = this.#of.kind.environment.clock.timer(acceptedMs, () => this.#failed())
  }

  /** It does not come for now: who waits for it may have another way. */
  #failed(): void {
    this.#accepting?.cancel()
    this.#isLate ||= this.#list !== undefined
    for (const entry of this.#of.all()) {
      this.#of.place(entry)
      entry.feeding.wideProgress(this)
    }
  }

  /** What was to be told, and is not held any more. */
  #held(): List | undefined {
    const list = this.#list
    this.#list = undefined
    this.#accepting?.cancel()
    return list
  }

  #accepted(): void {
    this.#isAccepted = true
    const list = this.#held()
    if (list !== undefined) this.#tell(list)
  }

  /** Tells those that are fed by it what it has listed: all, where it has just risen. */
  #tell({ found, asked, resourceVersion }: List): void {
    const isNew = this.#phase === 'rising'
    const isBack = this.#isBack
    this.#isBack = false
    if (isNew) {
      this.#phase = 'wide'
      this.#isRefusalTold = false
    }
    const early = this.#early
    this.#early = new Set()
    this.#isTelling = true
    for (const entry of this.#of.all()) {
      // Who was told of another one may have closed it.
      if (entry.isOver) continue
      const { feeding, bucket } = entry
      const isWide = this.#phase === 'wide'
      if (!isWide && feeding.wide !== this) continue
      // Of one of which nothing is known its absence may be older than who asked for it.
      const isAsked = entry.isPresent !== undefined || early.has(entry)
      const isListed = isAsked && (asked === undefined || asked.has(entry))
      const listed = isListed && !isBack ? { version: found.get(entry), resourceVersion } : undefined
      if (isBack) {
        feeding.wentBack()
        // That of all namespaces, or of this one, may be about to tell what was there before.
        for (const way of bucket.ways) if (!way.isLive) way.countsAnew(feeding)
      }
      if (isWide) feeding.moveTo(this, listed)
      else feeding.listed(listed)
    }
    this.#isTelling = false
    for (const { feeding } of this.#of.all()) feeding.wideProgress(this)
    // Who was told may have ended it already.
    if (isNew && this.#phase === 'wide') this.#of.wide()
  }

  #find(object: object): Entry | undefined {
    const { name, namespace } = (object as { metadata: { name: string; namespace?: string } }).metadata
    return namespace === undefined || namespace === ''
      ? this.#of.find(undefined, name)
      : this.#of.find(namespace, `${namespace}/${name}`)
  }

  /** There is no such watch for us: each by itself, then. */
  #refused(error: Error): void {
    const { kind, namespace } = this.#of
    const { shared, environment, resource } = kind
    const { isUp } = this
    this.end()
    this.#refusal = environment.clock.timer(refusedMs * (1 + environment.random()), () => {
      this.#refusal = undefined
      this.#of.again()
    })
    shared.count('wherry_narrow_escalations_refused_total', resource)
    if (!this.#isRefusalTold) environment.onError(error, { resource, phase: 'escalate', key: namespace })
    this.#isRefusalTold = true
    // Of few it is not missed.
    if (isUp) this.#of.refused()
    for (const entry of this.#of.all()) this.#of.place(entry)
  }
}

/** Failures of the way to the server that say nothing of other requests, or as much of each. */
const itsOwn: ReadonlySet<string> = new Set(['STREAM_RESET', 'HEADERS_TOO_LARGE', 'CLIENT_CLOSED'])

/** It may be that watch alone that fails so: one object that the server can't convert or decrypt is enough. */
function isItsOwn(error: Error | undefined): boolean {
  if (error === undefined || isServiceUnavailable(error) || isTooManyRequests(error)) return false
  // A server that can't go on with an answer that it has begun resets the stream.
  return !isConnectionError(error) || itsOwn.has(error.code)
}
