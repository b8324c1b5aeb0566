import { isExpired, isResourceNotFound, isTooLarge, type ReadTarget, type Timer } from '@wherry/client'
import { type Gate, type Intake, Reflector, type Replacement } from '@wherry/informer'
import { isForTheCaller } from '@wherry/informer/parts'
import type { Entry } from './entry.ts'
import type { Validator, ViewScope } from './entry-scope.ts'
import type { Known } from './object-get.ts'

/** How long a watch is asked to last, in seconds: many short ones would make requests all the time (rule N11). */
export const timeoutSeconds: { readonly min: number; readonly max: number } = { min: 1800, max: 3600 }
/** How long a watch is not tried again after a refusal, in milliseconds: so long, to twice as long. */
const refusedMs = 300_000

/**
 * How far entries are escalated (rule N11):
 *
 * - `narrow`: not at all.
 * - `rising`: the watch is being opened. Entries keep their own until the server has listed. New entries wait for that, unless it has failed.
 * - `wide`: it feeds all entries.
 * - `falling`: it feeds the entries whose own watch has not synced yet.
 */
export type EscalationPhase = 'narrow' | 'rising' | 'wide' | 'falling'

/** The entries that a metadata watch may feed. */
export interface WatchedEntries {
  readonly of: ViewScope
  /** `undefined`: all namespaces. */
  readonly namespace: string | undefined
  readonly metadata: ReadTarget
  all(): Iterable<Entry>
  find(key: string): Entry | undefined
  /** Finds another source for an entry. */
  place(entry: Entry): void
  /** It feeds all of them now. */
  wide(): void
  /** It is not allowed, or may be tried again after that. */
  refused(): void
}

/** One metadata watch of a namespace, or of all, in place of a watch for each entry. It keeps no object. */
export class NamespaceWatch implements Validator {
  readonly #of: WatchedEntries
  #phase: EscalationPhase = 'narrow'
  #reflector: Reflector | undefined
  /** Gives up its turn to be opened. */
  #leave: (() => void) | undefined
  #heard: string | undefined
  #refusal: Timer | undefined
  /** Told to `onError` once, until it is allowed. */
  #isRefusalTold = false
  #fed = 0

  constructor(of: WatchedEntries) {
    this.#of = of
  }

  get phase(): EscalationPhase {
    return this.#phase
  }

  get isLive(): boolean {
    return this.#phase === 'wide' || this.#phase === 'falling'
  }

  get isUp(): boolean {
    return this.#phase === 'wide' || this.#phase === 'rising'
  }

  get isComing(): boolean {
    return this.#phase === 'wide' || (this.#phase === 'rising' && this.lastError === undefined)
  }

  get lastError(): Error | undefined {
    return this.#reflector?.lastError
  }

  get heard(): string | undefined {
    return this.isLive ? this.#heard : undefined
  }

  joined(): void {
    this.#fed += 1
  }

  left(): void {
    this.#fed -= 1
    if (this.#phase === 'falling' && this.#fed === 0) this.end()
  }

  /** Opens it. Returns whether it will feed the entries: not if it was refused a while ago. */
  rise(): boolean {
    if (this.isUp) return true
    if (this.#refusal !== undefined) return false
    this.#count('wherry_narrow_escalations_total')
    if (this.#phase === 'narrow') this.#open()
    else {
      this.#phase = 'wide'
      for (const entry of this.#of.all()) {
        if (entry.validator === this) entry.stay()
        else entry.validate(this, undefined)
      }
      this.#of.wide()
    }
    return true
  }

  /** Has each entry fed otherwise, and ends when all are. */
  fall(): void {
    if (!this.isUp) return
    if (this.#phase === 'wide') {
      this.#phase = 'falling'
      this.#count('wherry_narrow_deescalations_total')
    } else this.end()
    for (const entry of this.#of.all()) this.#of.place(entry)
    if (this.#phase === 'falling' && this.#fed === 0) this.end()
  }

  /** The server counts anew: its watch would keep silent until that has counted as far again. `source`: the entry or watch that goes on. */
  rolledBack(source: unknown): void {
    if (this.#reflector === undefined || this === source) return
    const { isUp } = this
    this.end()
    if (isUp) this.#open()
  }

  end(): void {
    this.#phase = 'narrow'
    this.#heard = undefined
    this.#refusal?.cancel()
    this.#refusal = undefined
    const reflector = this.#reflector
    const leave = this.#leave
    this.#reflector = undefined
    this.#leave = undefined
    if (leave !== undefined) leave()
    else if (reflector !== undefined) this.#of.of.shared.stop(reflector)
  }

  #open(): void {
    const { shared, environment } = this.#of.of
    const { client, maxObjectBytes } = shared.settings
    this.#phase = 'rising'
    // Many wait for it, and the watches of many namespaces may be opened at once.
    const gate: Gate = { enter: pass => shared.gate.enter(pass, true) }
    const reflector = new Reflector({
      client: { context: client.context, environment },
      target: this.#of.metadata,
      firstList: 'newest',
      streaming: shared.streaming,
      gate,
      timeoutSeconds,
      maxObjectBytes,
      on: {
        watching: () => {
          this.#isRefusalTold = false
        },
        error: error => this.#failed(error),
      },
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
        return this.#replacement(() => {
          isSynced = true
          if (reflector.stats.rollbacks > rollbacks) this.#of.of.rollBack(this)
        })
      },
      change: (type, object, bytes) => {
        this.#find(object)?.validatorChanged(this, type, object, bytes)
        this.#heard = reflector.lastSyncedResourceVersion
      },
      progress: resourceVersion => {
        this.#heard = resourceVersion
        fed(entry => entry.news())
      },
      clear: () => fed(entry => entry.clear()),
      close() {},
    }
  }

  /** Of a list nothing is kept but the metadata of the objects that were asked for, until that is told. */
  #replacement(committed: () => void): Replacement {
    const found = new Map<Entry, Omit<Known, 'resourceVersion'>>()
    // Entries that are asked for in this very turn came before the list, too.
    let asked: ReadonlySet<Entry> = new Set()
    queueMicrotask(() => {
      asked = new Set(this.#of.all())
    })
    return {
      put: (object, bytes) => {
        const entry = this.#find(object)
        if (entry !== undefined) found.set(entry, { object, bytes })
      },
      remove: object => {
        const entry = this.#find(object)
        if (entry !== undefined) found.delete(entry)
      },
      commit: resourceVersion => {
        committed()
        this.#listed(resourceVersion, entry => found.get(entry) ?? (asked.has(entry) ? absent : undefined))
      },
      drop() {},
    }
  }

  /** Tells the entries what it has listed: all of them, if it has just risen. */
  #listed(
    resourceVersion: string | undefined,
    find: (entry: Entry) => Omit<Known, 'resourceVersion'> | undefined,
  ): void {
    const isNew = this.#phase === 'rising'
    if (isNew) this.#phase = 'wide'
    for (const entry of this.#of.all()) {
      // A handler may have closed it, or ended this.
      if (entry.isOver || !this.isLive || (this.#phase === 'falling' && entry.validator !== this)) continue
      const found = find(entry)
      const listed = found && { ...found, resourceVersion }
      if (this.#phase === 'wide') entry.validate(this, listed)
      else entry.validated(listed)
    }
    if (!this.isLive) return
    this.#heard = resourceVersion
    for (const entry of this.#of.all()) entry.news()
    if (isNew && this.#phase === 'wide') this.#of.wide()
  }

  #find(object: object): Entry | undefined {
    const { name, namespace } = (object as { metadata: { name: string; namespace?: string } }).metadata
    return this.#of.find(namespace === undefined || namespace === '' ? name : `${namespace}/${name}`)
  }

  #failed(error: Error): void {
    const { shared, environment, resource } = this.#of.of
    const isRising = this.#phase === 'rising'
    const isRefusal = isForTheCaller(error) && (isRising || !isResourceNotFound(error))
    if (isRefusal) {
      this.end()
      this.#refusal = environment.clock.timer(refusedMs * (1 + environment.random()), () => {
        this.#refusal = undefined
        this.#of.refused()
      })
      shared.count('wherry_narrow_escalations_refused_total', resource)
      if (!this.#isRefusalTold) environment.onError(error, { resource, phase: 'escalate', key: this.#of.namespace })
      this.#isRefusalTold = true
      this.#of.refused()
    } else if (!isExpired(error) && !isTooLarge(error)) environment.onError(error, { resource, phase: 'escalated' })
    // Those that wait for it may have another source.
    if (isRefusal || isRising) for (const entry of this.#of.all()) this.#of.place(entry)
  }

  #count(metric: string): void {
    this.#of.of.shared.count(metric, this.#of.of.resource)
  }
}

const absent = { object: undefined, bytes: 0 }
