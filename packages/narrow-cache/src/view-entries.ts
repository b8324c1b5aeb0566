import type { CheckedKey, View } from '@wherry/client'
import type { CacheContext } from './cache-context.ts'
import { Entry } from './entry.ts'
import { NarrowClosedError } from './errors.ts'
import { NamespaceWatch } from './namespace-watch.ts'
import { Subscriptions } from './subscriptions.ts'
import { ViewContext } from './view-context.ts'

/** The bounds by which the entries of a view share one watch, if there is more than one entry. */
const sharedAt = { escalateAt: 1, escalateAllAt: 1 }

/** The entries of one view. It decides how they are watched: one by one, by namespace, or all at once (rule N11). */
export class ViewEntries extends ViewContext {
  readonly subscriptions: Subscriptions
  /** By the text of their keys. */
  readonly entries: Map<string, Entry> = new Map<string, Entry>()
  /** The watches by namespace; `''` for a cluster-scoped resource. */
  readonly #namespaces = new Map<string, NamespaceWatch>()
  /** The watch of all namespaces; `undefined` for a cluster-scoped resource. */
  readonly #watch: NamespaceWatch | undefined
  #isMany = false
  /** Whether the entries share one watch in any case, because the cache has more than `max` entries (rule N7). */
  #isShared = false

  constructor(view: View, shared: CacheContext) {
    super(view, shared)
    this.subscriptions = new Subscriptions(this)
    this.#watch = view.resource.namespaced ? new NamespaceWatch(this, undefined, undefined, this.entries) : undefined
  }

  /** Whether the view has no entry (so no subscription either) and no cursor. */
  get isIdle(): boolean {
    return this.entries.size === 0 && this.store.stats().cursors === 0
  }

  /** All metadata watches, open or not. */
  get watches(): NamespaceWatch[] {
    return [...(this.#watch === undefined ? [] : [this.#watch]), ...this.#namespaces.values()]
  }

  /** Makes the entries share one watch, or follow the view's bounds. */
  share(isShared: boolean): void {
    if (this.#isShared === isShared) return
    this.#isShared = isShared
    this.balance()
  }

  /** The number of objects of the watch of all namespaces; `undefined` without that watch. */
  get known(): number | undefined {
    const watch = this.#watch ?? this.#namespaces.get('')
    return watch?.synced === true ? watch.objects : undefined
  }

  /** Makes an entry, and begins to watch it. */
  add(key: CheckedKey): Entry {
    const namespace = key.namespace ?? ''
    const scope = this.#namespaces.get(namespace) ?? new NamespaceWatch(this, key.namespace, this.#watch)
    this.#namespaces.set(namespace, scope)
    const entry = new Entry(scope, key)
    this.entries.set(key.text, entry)
    scope.entries.set(key.text, entry)
    this.balance([scope])
    entry.assignSource()
    return entry
  }

  /** Closes an entry. */
  remove(entry: Entry): void {
    const { key } = entry
    const scope = entry.scope as NamespaceWatch
    entry.close()
    this.entries.delete(key.text)
    scope.entries.delete(key.text)
    if (scope.entries.size === 0) {
      scope.close()
      this.#namespaces.delete(key.namespace ?? '')
    }
    this.balance([scope])
  }

  /** Opens metadata watches where there are many entries, and ends them where there are few (below half of the bound). */
  override balance(namespaces: Iterable<NamespaceWatch> = this.#namespaces.values()): void {
    const watch = this.#watch
    const { escalateAt, escalateAllAt } = this.#isShared ? sharedAt : this.shared.settings
    const wasMany = this.#isMany
    const { size } = this.entries
    if (watch === undefined || size < escalateAllAt / 2) this.#isMany = false
    else if (size > escalateAllAt) this.#isMany = true
    // A cluster-scoped resource has only one watch that its entries could use.
    const bound = watch === undefined ? Math.min(escalateAt, escalateAllAt) : escalateAt
    const affected = wasMany === this.#isMany ? namespaces : this.#namespaces.values()
    if (this.#isMany && !this.#isOne && watch?.escalate() === true) {
      if (watch.synced) for (const one of affected) one.close()
      return
    }
    for (const one of affected) {
      // A metadata watch for one entry saves nothing.
      if (one.entries.size > bound || (this.#isMany && one.entries.size > 1)) one.escalate()
      else if (!this.#isMany && one.entries.size < bound / 2) one.deescalate()
    }
    if (!this.#isMany) watch?.deescalate()
  }

  override rollBack(source: unknown): void {
    this.epoch += 1
    for (const watch of this.watches) watch.rolledBack(source)
    for (const entry of this.entries.values()) entry.rolledBack(source)
  }

  /** Reads all objects again, because the server's objects may differ from the known ones although no resourceVersion does. */
  relist(): void {
    this.rollBack(undefined)
    for (const entry of this.entries.values()) if (!entry.isListing) entry.relist()
  }

  close(): void {
    for (const entry of this.entries.values()) entry.close()
    for (const watch of this.watches) watch.close()
    this.entries.clear()
    this.#namespaces.clear()
    this.subscriptions.close()
    this.store.close(new NarrowClosedError())
  }

  /** Whether all entries are in one namespace, so that the watch of that namespace is enough. */
  get #isOne(): boolean {
    const [only] = this.#namespaces.values()
    return this.#namespaces.size === 1 && only?.isUp === true && this.#watch?.isUp === false
  }
}
