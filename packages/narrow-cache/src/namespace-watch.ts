import { type ChangeType, isExpired, isResourceNotFound, isTooLarge, type Timer } from '@wherry/client'
import { type ReadTarget, readAs } from '@wherry/client/internal'
import type { Snapshot, StoreWriter } from '@wherry/informer'
import { isClosed, isPermanent, isStarting, type Pacer, Reflector } from '@wherry/informer/internal'
import { absent, type Entry, type EntryScope, type State } from './entry.ts'
import { named, targetIn } from './target.ts'
import type { ViewContext } from './view-context.ts'

/** The minimum time before a refused watch is tried again, in milliseconds. The time is chosen at random, up to twice as long. */
const refusedMs = 300_000

/**
 * The phase of the escalation (rule N11):
 *
 * - `single`: each entry has a watch of its own.
 * - `escalating`: the metadata watch is being opened. Entries keep their watches until its first list. New entries wait for this list, unless it has failed.
 * - `escalated`: the metadata watch feeds all entries.
 */
export type EscalationPhase = 'single' | 'escalating' | 'escalated'

/**
 * The entries of a view in one namespace, or in all, with the metadata watch that may replace the watch of each entry. It stores
 * no object.
 */
export class NamespaceWatch implements StoreWriter, EntryScope {
  readonly of: ViewContext
  /** `undefined`: all namespaces, or a cluster-scoped resource. */
  readonly namespace: string | undefined
  readonly parent: NamespaceWatch | undefined
  /** By the text of their keys. */
  readonly entries: Map<string, Entry>
  phase: EscalationPhase = 'single'
  readUpTo: string | undefined
  /** The number of objects, with and without an entry, by the events of the watch. */
  objects = 0
  #target: ReadTarget | undefined
  #reflector: Reflector | undefined
  /** Gives up its turn to be opened, or stops the reflector. */
  #stop: (() => void) | undefined
  #refusal: Timer | undefined
  /** Whether `onError` was informed of the refusal, which is reported once until the watch is allowed. */
  #isRefusalReported = false

  constructor(of: ViewContext, namespace?: string, parent?: NamespaceWatch, entries: Map<string, Entry> = new Map()) {
    this.of = of
    this.namespace = namespace
    this.parent = parent
    this.entries = entries
  }

  get isUp(): boolean {
    return this.phase !== 'single'
  }

  get isComing(): boolean {
    const isOwn = this.synced || (this.isUp && this.#reflector?.lastError === undefined)
    return isOwn || this.parent?.isComing === true
  }

  get feeding(): NamespaceWatch | undefined {
    return this.parent?.feeding ?? (this.synced ? this : undefined)
  }

  get lastError(): Error | undefined {
    return this.parent?.lastError ?? this.#reflector?.lastError
  }

  target(name: string): ReadTarget {
    this.#target ??= targetIn(this.of.view, this.namespace)
    return named(this.#target, this.of.view, name)
  }

  /** Opens the metadata watch. Returns false if it was refused a while ago, so it will not feed the entries. */
  escalate(): boolean {
    if (this.isUp) return true
    if (this.#refusal !== undefined) return false
    this.of.shared.count('wherry_narrow_escalations_total', this.of.resource)
    this.#open()
    return true
  }

  /** Ends the metadata watch. The entries find other sources. */
  deescalate(): void {
    if (this.synced) this.of.shared.count('wherry_narrow_deescalations_total', this.of.resource)
    if (!this.isUp) return
    this.close()
    for (const entry of this.#all()) entry.assignSource()
  }

  /**
   * Handles a restart of the server's revisions: the open watch would be silent until the revisions are as high as before.
   * @param source the entry or watch that has found the restart, and continues
   */
  rolledBack(source: unknown): void {
    if (!this.isUp || this === source) return
    this.close()
    this.#open()
  }

  /** Ends the watch, or forgets its refusal. Afterwards the entries that it fed have no source. */
  close(): void {
    this.phase = 'single'
    this.readUpTo = undefined
    this.#refusal?.cancel()
    this.#refusal = undefined
    this.#reflector = undefined
    this.#stop?.()
    this.#stop = undefined
    for (const entry of this.#fed()) entry.detach()
  }

  // Called by the reflector

  get synced(): boolean {
    return this.phase === 'escalated'
  }

  /** Begins a list. Only the metadata of objects with an entry is kept, until the list is delivered. */
  replace(): Snapshot {
    const reflector = this.#reflector
    const rollbacks = reflector?.stats.rollbacks
    const found = new Map<Entry | undefined, State>()
    let objects = 0
    // The list also shows the state of entries that are made later in this turn.
    let covered: ReadonlySet<Entry> = new Set()
    queueMicrotask(() => {
      covered = new Set(this.entries.values())
    })
    return {
      put: (object, bytes) => {
        objects += 1
        const entry = this.#find(object)
        if (entry !== undefined) found.set(entry, { object, bytes })
      },
      remove: object => {
        objects -= 1
        found.delete(this.#find(object))
      },
      commit: resourceVersion => {
        if (reflector?.stats.rollbacks !== rollbacks) this.of.rollBack(this)
        const isNew = !this.synced
        this.objects = objects
        this.phase = 'escalated'
        for (const entry of this.#all()) {
          // A handler may have closed the entry, or ended this watch.
          if (entry.isOver || !this.synced) continue
          entry.sawVersion(this, found.get(entry) ?? (covered.has(entry) ? absent : undefined), resourceVersion)
        }
        if (!this.synced) return
        this.readUpTo = resourceVersion
        for (const entry of this.#all()) entry.notifyWaiters()
        if (isNew) this.of.balance()
      },
      drop() {},
    }
  }

  change(type: ChangeType, object: object, bytes: number): void {
    if (type === 'ADDED') this.objects += 1
    else if (type === 'DELETED') this.objects -= 1
    this.#find(object)?.versionChanged(this, type, object, bytes)
    this.readUpTo = this.#reflector?.lastSyncedResourceVersion
  }

  progress(resourceVersion: string): void {
    this.readUpTo = resourceVersion
    for (const entry of this.#fed()) entry.notifyWaiters()
  }

  clear(): void {
    this.objects = 0
    for (const entry of this.#fed()) entry.clear()
  }

  /** A copy: callbacks may add and remove entries. */
  #all(): Entry[] {
    return [...this.entries.values()]
  }

  #fed(): Entry[] {
    return this.#all().filter(({ versionSource }) => versionSource === this)
  }

  #open(): void {
    const { shared, view } = this.of
    this.phase = 'escalating'
    // First in line, because many readers may wait for this watch, but paced, because the watches of many namespaces may be opened at once.
    const pacer: Pacer = { enter: pass => shared.pacer.enter(pass, true) }
    const watching = (): void => {
      this.#isRefusalReported = false
    }
    const reflector = new Reflector({
      settings: { ...shared.first, context: shared.settings.client.raw, pacer },
      target: targetIn(readAs(view, 'metadata'), this.namespace),
      on: { watching, error: error => this.#failed(error) },
    })
    this.#reflector = reflector
    reflector.add(this)
    const open = (): void => {
      this.#stop = () => shared.stop(reflector)
      shared.open(reflector)
    }
    this.#stop = pacer.enter(open, true)
    if (this.#stop === undefined) open()
  }

  #find(object: object): Entry | undefined {
    const { name, namespace } = (object as { metadata: { name: string; namespace?: string } }).metadata
    return this.entries.get(namespace === undefined || namespace === '' ? name : `${namespace}/${name}`)
  }

  #failed(error: Error): void {
    const { shared, resource } = this.of
    // The client is closed. Each entry finds that by its own watch.
    if (isClosed(error)) return this.deescalate()
    const isEscalating = !this.synced
    const isRefusal = isPermanent(error) && (isEscalating || !isResourceNotFound(error))
    if (isRefusal) {
      const { environment } = shared
      this.close()
      this.#refusal = environment.clock.timer(refusedMs * (1 + environment.random()), () => {
        this.#refusal = undefined
        this.of.balance()
      })
      shared.count('wherry_narrow_escalations_refused_total', resource)
      if (!this.#isRefusalReported) environment.onError(error, { resource, phase: 'escalate', key: this.namespace })
      this.#isRefusalReported = true
      this.of.balance()
    } else if (!isExpired(error) && !isTooLarge(error) && !isStarting(error))
      shared.report(error, { resource, phase: 'escalated' })
    // The entries that wait for this watch may use another source.
    if (isRefusal || isEscalating) for (const entry of this.#all()) entry.assignSource()
  }
}
