import { isExpired, isResourceNotFound, isTooLarge, type Timer } from '@wherry/client'
import { type Gate, type Intake, Reflector, type Replacement } from '@wherry/informer'
import { isClosed, isForTheCaller } from '@wherry/informer/parts'
import type { Entry } from './entry.ts'
import { type Known, timeoutSeconds, type Validator, type ViewScope } from './entry-scope.ts'
import { metadataIn } from './target.ts'

/** How long a watch is not tried again after a refusal, in milliseconds: so long, to twice as long. */
const refusedMs = 300_000

/**
 * How far entries are escalated (rule N11):
 *
 * - `narrow`: not at all.
 * - `rising`: the watch is being opened. Entries keep their own until the server has listed. New entries wait for that, unless it has failed.
 * - `wide`: it feeds all entries.
 */
export type EscalationPhase = 'narrow' | 'rising' | 'wide'

/** A view, and how its entries find their sources. */
export interface Escalating extends ViewScope {
  find(key: string): Entry | undefined
  /** Finds a source for an entry that has none. */
  place(entry: Entry): void
  /** A watch feeds its entries now, or was refused, or may be tried again. */
  balance(): void
}

/** One metadata watch of a namespace, or of all, in place of a watch for each entry. It keeps no object. */
export class NamespaceWatch implements Validator {
  /** `undefined`: all namespaces. */
  readonly namespace: string | undefined
  readonly #view: Escalating
  readonly #entries: () => readonly Entry[]
  #phase: EscalationPhase = 'narrow'
  #reflector: Reflector | undefined
  /** Gives up its turn to be opened. */
  #leave: (() => void) | undefined
  #heard: string | undefined
  #refusal: Timer | undefined
  /** Told to `onError` once, until it is allowed. */
  #isRefusalTold = false

  /** @param entries that it may feed */
  constructor(view: Escalating, namespace: string | undefined, entries: () => readonly Entry[]) {
    this.#view = view
    this.namespace = namespace
    this.#entries = entries
  }

  get phase(): EscalationPhase {
    return this.#phase
  }

  get isUp(): boolean {
    return this.#phase !== 'narrow'
  }

  get isComing(): boolean {
    return this.#phase === 'wide' || (this.#phase === 'rising' && this.lastError === undefined)
  }

  get lastError(): Error | undefined {
    return this.#reflector?.lastError
  }

  get heard(): string | undefined {
    return this.#heard
  }

  /** Opens it. Returns whether it will feed the entries: not if it was refused a while ago. */
  rise(): boolean {
    if (this.isUp) return true
    if (this.#refusal !== undefined) return false
    this.#count('wherry_narrow_escalations_total')
    this.#open()
    return true
  }

  /** Has each entry fed otherwise. */
  fall(): void {
    if (this.#phase === 'wide') this.#count('wherry_narrow_deescalations_total')
    if (!this.isUp) return
    this.end()
    for (const entry of this.#entries()) this.#view.place(entry)
  }

  /** The server counts anew: its watch would keep silent until that has counted as far again. `source`: the entry or watch that goes on. */
  rolledBack(source: unknown): void {
    if (!this.isUp || this === source) return
    this.end()
    this.#open()
  }

  /** Ends it, or forgets that it was refused. The entries that it fed have no source then. */
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
    else if (reflector !== undefined) this.#view.shared.stop(reflector)
    for (const entry of this.#fed()) entry.detach()
  }

  #fed(): readonly Entry[] {
    return this.#entries().filter(({ validator }) => validator === this)
  }

  #open(): void {
    const { shared, environment, view } = this.#view
    const { client, maxObjectBytes } = shared.settings
    this.#phase = 'rising'
    // Many wait for it, and the watches of many namespaces may be opened at once.
    const gate: Gate = { enter: pass => shared.gate.enter(pass, true) }
    const accepted = (): void => {
      this.#isRefusalTold = false
    }
    const reflector = new Reflector({
      client: { context: client.context, environment },
      target: metadataIn(view, this.namespace),
      firstList: 'newest',
      streaming: shared.streaming,
      gate,
      timeoutSeconds,
      maxObjectBytes,
      on: { watching: accepted, error: error => this.#failed(error) },
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
    let isSynced = false
    return {
      get synced() {
        return isSynced
      },
      replace: () => {
        const { rollbacks } = reflector.stats
        return this.#replacement(() => {
          isSynced = true
          if (reflector.stats.rollbacks > rollbacks) this.#view.rollBack(this)
        })
      },
      change: (type, object, bytes) => {
        this.#find(object)?.validatorChanged(this, type, object, bytes)
        this.#heard = reflector.lastSyncedResourceVersion
      },
      progress: resourceVersion => {
        this.#heard = resourceVersion
        for (const entry of this.#fed()) entry.news()
      },
      clear: () => {
        for (const entry of this.#fed()) entry.clear()
      },
      close() {},
    }
  }

  /** Of a list nothing is kept but the metadata of the objects that were asked for, until that is told. */
  #replacement(committed: () => void): Replacement {
    const found = new Map<Entry, Omit<Known, 'resourceVersion'>>()
    // Entries that are asked for in this very turn came before the list, too.
    let asked: ReadonlySet<Entry> = new Set()
    queueMicrotask(() => {
      asked = new Set(this.#entries())
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
        const isNew = this.#phase === 'rising'
        this.#phase = 'wide'
        for (const entry of this.#entries()) {
          // A handler may have closed it, or ended this watch.
          if (entry.isOver || this.#phase !== 'wide') continue
          const known = found.get(entry) ?? (asked.has(entry) ? absent : undefined)
          entry.validate(this, known && { ...known, resourceVersion })
        }
        if (this.#phase !== 'wide') return
        this.#heard = resourceVersion
        for (const entry of this.#entries()) entry.news()
        if (isNew) this.#view.balance()
      },
      drop() {},
    }
  }

  #find(object: object): Entry | undefined {
    const { name, namespace } = (object as { metadata: { name: string; namespace?: string } }).metadata
    return this.#view.find(namespace === undefined || namespace === '' ? name : `${namespace}/${name}`)
  }

  #failed(error: Error): void {
    const { shared, resource } = this.#view
    // An entry that has no watch of many finds by its own that nothing will ever come again.
    if (isClosed(error)) return this.fall()
    const isRising = this.#phase === 'rising'
    const isRefusal = isForTheCaller(error) && (isRising || !isResourceNotFound(error))
    if (isRefusal) this.#refused(error)
    else if (!isExpired(error) && !isTooLarge(error)) shared.tell(error, { resource, phase: 'escalated' })
    // Those that wait for it may have another source.
    if (isRefusal || isRising) for (const entry of this.#entries()) this.#view.place(entry)
  }

  #refused(error: Error): void {
    const { environment, resource } = this.#view
    this.end()
    this.#refusal = environment.clock.timer(refusedMs * (1 + environment.random()), () => {
      this.#refusal = undefined
      this.#view.balance()
    })
    this.#count('wherry_narrow_escalations_refused_total')
    if (!this.#isRefusalTold) environment.onError(error, { resource, phase: 'escalate', key: this.namespace })
    this.#isRefusalTold = true
    this.#view.balance()
  }

  #count(metric: string): void {
    this.#view.shared.count(metric, this.#view.resource)
  }
}

const absent = { object: undefined, bytes: 0 }
