import { resourceName, type View } from '@wherry/client'
import type { CacheContext } from './cache-context.ts'
import type { Entry } from './entry.ts'
import { NarrowFullError } from './errors.ts'
import { Idle } from './idle.ts'
import type { CheckedKey } from './key.ts'
import { ViewEntries } from './view-entries.ts'

/** All entries of a cache: how many there may be, and which of them are evicted (rules N6, N7). */
export class EntryCache {
  readonly #shared: CacheContext
  readonly #idle: Idle<Entry>
  /** By the keys of the views. */
  readonly #views = new Map<string, ViewEntries>()
  #size = 0

  constructor(shared: CacheContext) {
    const { idleMs, max } = shared.settings
    this.#shared = shared
    this.#idle = new Idle({ clock: shared.environment.clock, idleMs, max, evict: entry => this.#evict(entry) })
  }

  get size(): number {
    return this.#size
  }

  /** The number of entries that nobody subscribes to or waits for. */
  get idle(): number {
    return this.#idle.size
  }

  get views(): ViewEntries[] {
    return [...this.#views.values()]
  }

  /** Those of the view that has the key of `view`, whether it is the same or not. */
  find(view: View): ViewEntries | undefined {
    return this.#views.get(view?.key)
  }

  /** Those of a view, which may have none yet. @throws ViewConflictError */
  of(view: View): ViewEntries {
    const found = this.find(view)
    if (found !== undefined) {
      found.mustBe(view)
      return found
    }
    // Cursors that were closed since leave views that nobody follows.
    for (const one of this.views) this.#drop(one)
    const made = new ViewEntries(view, this.#shared)
    this.#views.set(view.key, made)
    return made
  }

  /** The entries of an object, in each version of the resource and by each selector. */
  named({ resource }: View, name: string | undefined, namespace: string | undefined): Entry[] {
    const { group, plural } = resource
    const key = namespace === undefined ? `${name}` : `${namespace}/${name}`
    return this.views.flatMap(({ view, entries }) => {
      const isSame = view.resource.group === group && view.resource.plural === plural
      return (isSame && entries.get(key)) || []
    })
  }

  /** The entry of an object; `undefined` if there is no room. @throws ViewConflictError */
  ensure(view: View, key: CheckedKey): Entry | undefined {
    const found = this.find(view)
    found?.mustBe(view)
    const entry = found?.entries.get(key.text)
    if (entry !== undefined) return entry
    // The last entry of its view may be evicted: the view is found, or made, afterwards.
    if (!this.#makeRoom()) return undefined
    this.#resize(1)
    return this.of(view).add(key)
  }

  /** It was read from memory. */
  touch(entry: Entry): void {
    this.#idle.touch(entry)
  }

  /** Somebody subscribes to it, or waits for it. */
  pin(entry: Entry): void {
    if (entry.pins === 0) this.#idle.remove(entry)
    entry.pins += 1
  }

  unpin(entry: Entry): void {
    entry.pins -= 1
    if (entry.pins === 0 && !entry.isOver) this.#idle.add(entry)
  }

  /** Closes an entry that nobody needs. Returns whether it did. */
  forget(entry: Entry): boolean {
    if (entry.pins > 0) return false
    this.#idle.remove(entry)
    this.#close(entry)
    return true
  }

  /** Counts that there was no room. */
  full(view: View): NarrowFullError {
    this.#shared.count('wherry_narrow_full_total', resourceName(view.resource))
    return new NarrowFullError(this.#shared.settings.max)
  }

  close(): void {
    this.#shared.requests.close()
    this.#idle.close()
    for (const one of this.views) one.close()
    this.#views.clear()
    this.#resize(-this.#size)
  }

  /** Evicts an entry if there is no room for one more. Returns whether there is. */
  #makeRoom(): boolean {
    if (this.#size < this.#shared.settings.max) return true
    const oldest = this.#idle.take()
    if (oldest !== undefined) this.#evict(oldest)
    return oldest !== undefined
  }

  #evict(entry: Entry): void {
    this.#shared.count('wherry_narrow_evictions_total', entry.scope.of.resource)
    this.#close(entry)
  }

  #close(entry: Entry): void {
    const entries = this.find(entry.scope.of.view)
    if (entry.isOver || entries === undefined) return
    this.#resize(-1)
    entries.remove(entry)
    this.#drop(entries)
  }

  /** Lets go of a view that nobody reads or follows any more. */
  #drop(entries: ViewEntries): void {
    if (!entries.isIdle) return
    entries.close()
    this.#views.delete(entries.view.key)
  }

  #resize(more: number): void {
    this.#size += more
    this.#shared.environment.metrics.gauge('wherry_narrow_entries', this.#size)
  }
}
