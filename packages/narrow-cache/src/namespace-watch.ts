import {
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
import type { ResourceScope, Validator } from './entry-scope.ts'
import { metadataTarget } from './level.ts'
import type { Known } from './register.ts'

/** How long a watch is asked to last: many short ones would make requests all the time (rule N11). */
export const timeoutSeconds: { readonly min: number; readonly max: number } = { min: 1800, max: 3600 }
/** How long no other watch is tried after a refusal, in milliseconds: so long, to twice as long. */
const refusedMs = 300_000
/** How long those that come wait for a watch of what was listed to be accepted, in milliseconds. */
const acceptedMs = 1000

/**
 * How far entries are escalated (rule N11):
 *
 * - `narrow`: not at all.
 * - `rising`: the watch is being opened. Entries keep their own until the server has listed and accepted it. New entries wait for that,
 *   unless it fails by itself or is late.
 * - `wide`: it feeds all entries.
 * - `falling`: it feeds the entries whose own watch has not synced yet.
 */
export type EscalationPhase = 'narrow' | 'rising' | 'wide' | 'falling'

/** What places entries with their watches. */
interface Placing extends ResourceScope {
  /** Finds another source for an entry. */
  place(entry: Entry): void
}

/** The entries that a metadata watch may feed. */
export interface WatchedEntries {
  /** `undefined`: all namespaces. */
  readonly namespace: string | undefined
  all(): Entry[]
  /** The entries of one object. */
  find(namespace: string | undefined, text: string): readonly Entry[]
  /** It feeds all of them now. */
  wide(): void
  /** It is not allowed. */
  refused(): void
  /** It was refused a while ago, and may be tried again. */
  again(): void
}

interface List {
  readonly found: ReadonlyMap<Entry, Omit<Known, 'resourceVersion'>>
  readonly resourceVersion: string | undefined
}

/** One metadata watch of a namespace, or of all, in place of a watch for each entry. It keeps no object. */
export class NamespaceWatch implements Validator {
  readonly #resource: Placing
  readonly #of: WatchedEntries
  #phase: EscalationPhase = 'narrow'
  #reflector: Reflector | undefined
  /** Gives up its turn to be opened. */
  #leave: (() => void) | undefined
  /** When its list was begun. */
  #begunAt = 0
  /** The server has accepted a watch since. */
  #isAccepted = false
  /** Nobody is told of it before that: a user who may list may still not be allowed to watch. */
  #list: List | undefined
  #accepting: Timer | undefined
  /** It was listed, and its watch failed or was not accepted in time. */
  #isLate = false
  #isTelling = false
  #refusal: Timer | undefined
  /** Told to `onError` once, until it is allowed. */
  #isRefusalTold = false
  #fed = 0

  constructor(resource: Placing, of: WatchedEntries) {
    this.#resource = resource
    this.#of = of
  }

  get phase(): EscalationPhase {
    return this.#phase
  }

  get isWide(): boolean {
    return this.#phase === 'wide'
  }

  get isLive(): boolean {
    return this.#phase === 'wide' || this.#phase === 'falling'
  }

  get isUp(): boolean {
    return this.#phase === 'wide' || this.#phase === 'rising'
  }

  get isComing(): boolean {
    if (this.#phase !== 'rising') return this.#phase === 'wide'
    return !this.#isLate && !isItsOwn(this.lastError)
  }

  /** It was refused, and is not tried again yet. */
  get isRefused(): boolean {
    return this.#refusal !== undefined
  }

  get lastError(): Error | undefined {
    return this.#reflector?.lastError
  }

  get heard(): string | undefined {
    return this.isLive && !this.#isTelling ? this.#reflector?.lastSyncedResourceVersion : undefined
  }

  joined(): void {
    this.#fed += 1
  }

  left(): void {
    this.#fed -= 1
    if (this.#phase === 'falling' && this.#fed === 0) this.end()
  }

  /** Opens it. Returns whether it will feed the entries, unless it is refused. */
  rise(): boolean {
    if (this.isUp) return true
    const { shared, resource } = this.#resource
    if (this.isRefused) return false
    shared.count('wherry_narrow_escalations_total', resource)
    if (this.#phase === 'falling') {
      this.#phase = 'wide'
      for (const entry of this.#of.all()) {
        if (entry.validator === this) entry.stay()
        else entry.validate(this, undefined)
      }
      this.#of.wide()
    } else this.#open()
    return true
  }

  /** Has each entry fed otherwise, and ends when all are. */
  fall(): void {
    if (this.#phase === 'wide') {
      this.#phase = 'falling'
      this.#resource.shared.count('wherry_narrow_deescalations_total', this.#resource.resource)
    } else this.end()
    for (const entry of this.#of.all()) this.#resource.place(entry)
    if (this.#phase === 'falling' && this.#fed === 0) this.end()
  }

  /** The server counts anew: its watch would keep silent until that has counted as far again. `source`: the entry or validator whose watch goes on. */
  rolledBack(source: unknown): void {
    if (this.#reflector === undefined || this === source) return
    const { isUp } = this
    this.end()
    if (isUp) this.#open()
  }

  end(): void {
    this.#phase = 'narrow'
    this.#list = undefined
    this.#accepting?.cancel()
    this.#isAccepted = false
    this.#isLate = false
    this.#refusal?.cancel()
    this.#refusal = undefined
    const reflector = this.#reflector
    const leave = this.#leave
    this.#reflector = undefined
    this.#leave = undefined
    if (leave !== undefined) leave()
    else if (reflector !== undefined) this.#resource.shared.stop(reflector)
  }

  #open(): void {
    const { shared, environment, view } = this.#resource
    const { client, maxObjectBytes } = shared.settings
    this.#phase = 'rising'
    // Many wait for it, and the watches of many namespaces may be opened at once.
    const gate: Gate = { enter: pass => shared.gate.enter(pass, true) }
    const reflector = new Reflector({
      client: { context: client.context, environment },
      target: metadataTarget(view, this.#of.namespace),
      firstList: 'newest',
      streaming: shared.streaming,
      gate,
      timeoutSeconds,
      maxObjectBytes,
      on: { watching: () => this.#accepted(), error: error => this.#failed(error) },
    })
    this.#reflector = reflector
    reflector.add(this.#intake(reflector))
    const open = (): void => {
      this.#leave = undefined
      shared.open(reflector)
    }
    this.#leave = gate.enter(open, true)
    if (this.#leave === undefined) open()
  }

  #intake(reflector: Reflector): Intake {
    const fed = (tell: (entry: Entry) => void): void => {
      for (const entry of this.#of.all()) if (entry.validator === this) tell(entry)
    }
    let isSynced = false
    return {
      get synced() {
        return isSynced
      },
      replace: () => {
        const { rollbacks } = reflector.stats
        this.#list = undefined
        this.#accepting?.cancel()
        this.#isAccepted = false
        const begin = (): void => {
          this.#begunAt = this.#resource.shared.next()
        }
        begin()
        // Entries that are asked for in this very turn came before the list, too.
        queueMicrotask(begin)
        return this.#replacement(list => {
          isSynced = true
          if (reflector.stats.rollbacks > rollbacks) this.#resource.rollBack(this)
          this.#listed(list)
        })
      },
      change: (type, object, bytes) => {
        const forms = this.#find(object)
        // Of what one form tells no other is to be read as if it had been told.
        this.#isTelling = forms.length > 1
        for (const entry of forms) entry.validatorChanged(this, type, object, bytes)
        this.#isTelling = false
        if (forms.length > 1) for (const entry of forms) entry.news()
      },
      progress: () => fed(entry => entry.news()),
      clear: () => fed(entry => entry.clear()),
      close() {},
    }
  }

  /** Of a list nothing is kept but the metadata of the objects that were asked for, until that is told. */
  #replacement(listed: (list: List) => void): Replacement {
    const found = new Map<Entry, Omit<Known, 'resourceVersion'>>()
    return {
      put: (object, bytes) => {
        for (const entry of this.#find(object)) found.set(entry, { object, bytes })
      },
      remove: object => {
        for (const entry of this.#find(object)) found.delete(entry)
      },
      commit: resourceVersion => listed({ found, resourceVersion }),
      drop() {},
    }
  }

  #listed(list: List): void {
    if (this.#phase !== 'rising' || this.#isAccepted) return this.#tell(list)
    this.#list = list
    this.#accepting = this.#resource.environment.clock.timer(acceptedMs, () => this.#late())
  }

  #accepted(): void {
    this.#isAccepted = true
    const list = this.#list
    this.#list = undefined
    this.#accepting?.cancel()
    if (list !== undefined) this.#tell(list)
  }

  /** Tells the entries what it has listed: all of them, if it has just risen. */
  #tell({ found, resourceVersion }: List): void {
    const isNew = this.#phase === 'rising'
    if (isNew) {
      this.#phase = 'wide'
      this.#isRefusalTold = false
    }
    this.#isTelling = true
    for (const entry of this.#of.all()) {
      // A handler may have closed it.
      if (entry.isOver || (!this.isWide && entry.validator !== this)) continue
      // Of an object that was not asked for when the list was begun it says nothing.
      const { object, bytes } = found.get(entry) ?? { object: undefined, bytes: 0 }
      const isTold = object !== undefined || entry.wantedAt < this.#begunAt
      const listed = isTold ? { object, bytes, resourceVersion } : undefined
      if (this.isWide) entry.validate(this, listed)
      else entry.validated(listed)
    }
    this.#isTelling = false
    for (const entry of this.#of.all()) entry.news()
    // A handler may have ended it.
    if (isNew && this.isWide) this.#of.wide()
  }

  #find(object: object): readonly Entry[] {
    const { name, namespace } = (object as { metadata: { name: string; namespace?: string } }).metadata
    return namespace === undefined || namespace === ''
      ? this.#of.find(undefined, name)
      : this.#of.find(namespace, `${namespace}/${name}`)
  }

  /** It does not come for now: those that wait for it may have another source. */
  #late(): void {
    this.#accepting?.cancel()
    this.#isLate ||= this.#list !== undefined
    for (const entry of this.#of.all()) {
      this.#resource.place(entry)
      entry.news()
    }
  }

  #failed(error: Error): void {
    const { environment, resource } = this.#resource
    const isRising = this.#phase === 'rising'
    if (isForTheCaller(error) && (isRising || !isResourceNotFound(error))) return this.#refused(error)
    if (!isExpired(error) && !isTooLarge(error)) environment.onError(error, { resource, phase: 'escalated' })
    if (isRising) this.#late()
  }

  #refused(error: Error): void {
    const { shared, environment, resource } = this.#resource
    const { isUp } = this
    this.end()
    this.#refusal = environment.clock.timer(refusedMs * (1 + environment.random()), () => {
      this.#refusal = undefined
      this.#of.again()
    })
    shared.count('wherry_narrow_escalations_refused_total', resource)
    if (!this.#isRefusalTold) environment.onError(error, { resource, phase: 'escalate', key: this.#of.namespace })
    this.#isRefusalTold = true
    // If few are left it is not missed.
    if (isUp) this.#of.refused()
    for (const entry of this.#of.all()) this.#resource.place(entry)
  }
}

/** Failures of the way to the server that say nothing of other requests. */
const itsOwn: ReadonlySet<string> = new Set(['STREAM_RESET', 'HEADERS_TOO_LARGE', 'CLIENT_CLOSED'])

/** It may be that watch alone that fails so: one object that the server can't convert or decrypt is enough. */
function isItsOwn(error: Error | undefined): boolean {
  if (error === undefined || isServiceUnavailable(error) || isTooManyRequests(error)) return false
  // A server that can't go on with an answer that it has begun resets the stream.
  return !isConnectionError(error) || itsOwn.has(error.code)
}
