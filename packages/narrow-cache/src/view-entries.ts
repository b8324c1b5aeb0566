import type { ReadTarget, View } from '@wherry/client'
import type { CheckedKey } from '@wherry/client/checks'
import { isSameFunction, ViewConflictError } from '@wherry/informer'
import type { CacheContext } from './cache-context.ts'
import { Entry } from './entry.ts'
import { type EntryScope, ViewScope } from './entry-scope.ts'
import { NarrowClosedError } from './errors.ts'
import { type Escalating, NamespaceWatch } from './namespace-watch.ts'
import { Subscriptions } from './subscriptions.ts'
import { named, targetIn } from './target.ts'

/** The entries of one view in one namespace, and the one watch that may feed them. */
class NamespaceEntries implements EntryScope {
  readonly of: ViewEntries
  readonly namespace: string | undefined
  readonly watch: NamespaceWatch
  readonly validators: readonly NamespaceWatch[]
  readonly entries: Set<Entry> = new Set<Entry>()
  readonly #target: ReadTarget

  /** @param namespace `undefined`: of a cluster-scoped resource */
  constructor(of: ViewEntries, namespace: string | undefined) {
    this.of = of
    this.namespace = namespace
    this.watch = new NamespaceWatch(of, namespace, () => [...this.entries])
    this.validators = of.watch === undefined ? [this.watch] : [of.watch, this.watch]
    this.#target = targetIn(of.view, namespace)
  }

  get isComing(): boolean {
    return this.validators.some(({ isComing }) => isComing)
  }

  target(name: string): ReadTarget {
    return named(this.#target, this.of.view, name)
  }
}

/** The entries of one view. It decides how they are watched: one by one, by namespace, or all at once (rule N11). */
export class ViewEntries extends ViewScope implements Escalating {
  readonly subscriptions: Subscriptions
  /** By the text of their keys. */
  readonly entries: Map<string, Entry> = new Map<string, Entry>()
  /** By namespace; `''` where there are none. */
  readonly namespaces: Map<string, NamespaceEntries> = new Map<string, NamespaceEntries>()
  /** Of all namespaces; `undefined` for a cluster-scoped resource. */
  readonly watch: NamespaceWatch | undefined
  #isMany = false

  constructor(view: View, shared: CacheContext) {
    super(view, shared)
    this.subscriptions = new Subscriptions(view, this.store, shared.environment)
    this.watch = view.resource.namespaced ? new NamespaceWatch(this, undefined, () => this.all()) : undefined
  }

  /** It has no object, and nobody follows it. */
  get isIdle(): boolean {
    return this.entries.size === 0 && this.subscriptions.size === 0 && this.store.stats().cursors === 0
  }

  /** @throws ViewConflictError for another function of the same name. */
  mustBe(view: View): void {
    if (view !== this.view && !isSameFunction(view.projection, this.view.projection))
      throw new ViewConflictError(view.key)
  }

  all(): Entry[] {
    return [...this.entries.values()]
  }

  find(key: string): Entry | undefined {
    return this.entries.get(key)
  }

  /** Makes an entry, and begins to watch it. */
  add(key: CheckedKey): Entry {
    const namespace = key.namespace ?? ''
    const scope = this.namespaces.get(namespace) ?? new NamespaceEntries(this, key.namespace)
    this.namespaces.set(namespace, scope)
    const entry = new Entry(scope, key)
    this.entries.set(key.text, entry)
    scope.entries.add(entry)
    this.balance([scope])
    this.place(entry)
    return entry
  }

  /** Closes an entry. */
  remove(entry: Entry): void {
    const scope = entry.scope as NamespaceEntries
    entry.close()
    this.entries.delete(entry.key.text)
    scope.entries.delete(entry)
    if (scope.entries.size === 0) {
      scope.watch.end()
      this.namespaces.delete(scope.namespace ?? '')
    }
    this.balance([scope])
  }

  place(entry: Entry): void {
    const { validators, isComing } = entry.scope as NamespaceEntries
    const wide = validators.find(({ phase }) => phase === 'wide')
    if (entry.isOver) return
    if (wide === undefined) {
      if (!isComing) entry.openInTurn()
    } else if (entry.validator !== wide) entry.validate(wide, undefined)
  }

  /** Has watches of metadata take over where there are many entries, and end where there are few (below half of the bound). */
  balance(namespaces: Iterable<NamespaceEntries> = this.namespaces.values()): void {
    const { watch } = this
    const { escalateAt, escalateAllAt } = this.shared.settings
    const wasMany = this.#isMany
    const { size } = this.entries
    if (watch === undefined || size < escalateAllAt / 2) this.#isMany = false
    else if (size > escalateAllAt) this.#isMany = true
    // Of a cluster-scoped resource there is one watch that its entries could move to.
    const most = watch === undefined ? Math.min(escalateAt, escalateAllAt) : escalateAt
    const those = wasMany === this.#isMany ? namespaces : this.namespaces.values()
    if (this.#isMany && !this.#isOne && watch?.rise() === true) {
      if (watch.phase === 'wide') for (const one of those) one.watch.end()
      return
    }
    for (const one of those) {
      // For one entry a watch of all metadata is no gain.
      if (one.entries.size > most || (this.#isMany && one.entries.size > 1)) one.watch.rise()
      else if (!this.#isMany && one.entries.size < most / 2) one.watch.fall()
    }
    if (!this.#isMany) watch?.fall()
  }

  /** The server counts anew: no state counts until it is read again. `source`: the entry or watch that showed it, which goes on. */
  override rollBack(source: unknown): void {
    this.epoch += 1
    const all = this.all()
    for (const { watch } of this.namespaces.values()) watch.rolledBack(source)
    this.watch?.rolledBack(source)
    for (const entry of all) if (!entry.isOver) entry.rolledBack(source)
  }

  close(): void {
    for (const entry of this.all()) entry.close()
    this.watch?.end()
    for (const { watch } of this.namespaces.values()) watch.end()
    this.entries.clear()
    this.namespaces.clear()
    this.subscriptions.close()
    this.store.close(new NarrowClosedError())
  }

  /** All entries are in one namespace, whose own watch brings what they need and no more. */
  get #isOne(): boolean {
    const [only] = this.namespaces.values()
    return this.namespaces.size === 1 && only?.watch.isUp === true && this.watch?.isUp === false
  }
}
