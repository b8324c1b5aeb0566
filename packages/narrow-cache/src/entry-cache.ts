import { resourceName, type Timer, type View } from '@wherry/client'
import type { CheckedKey } from '@wherry/client/checks'
import type { CacheContext } from './cache-context.ts'
import type { Entry } from './entry.ts'
import { NarrowFullError } from './errors.ts'
import { ViewEntries } from './view-entries.ts'

/** All entries of a cache. It bounds their number, and evicts idle ones (rules N6, N7). */
export class EntryCache {
  readonly #shared: CacheContext
  /** Those that nobody subscribes to or waits for. The one that was read longest ago comes first. */
  readonly #idle = new Set<Entry>()
  /** Evicts idle entries. */
  #timer: Timer | undefined
  /** By the keys of the views. */
  readonly #views = new Map<string, ViewEntries>()
  #size = 0

  constructor(shared: CacheContext) {
    this.#shared = shared
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
    if (this.#idle.delete(entry)) this.#rest(entry)
  }

  /** Somebody subscribes to it, or waits for it. */
  pin(entry: Entry): void {
    entry.pins += 1
    this.#leave(entry)
  }

  unpin(entry: Entry): void {
    entry.pins -= 1
    if (entry.pins > 0 || entry.isOver) return
    this.#rest(entry)
    if (this.#timer === undefined) this.#expire()
  }

  /** Closes an entry that nobody needs. Returns whether it did. */
  forget(entry: Entry): boolean {
    if (entry.pins > 0) return false
    this.#close(entry)
    return true
  }

  /** Counts that there was no room. */
  full(view: View): NarrowFullError {
    this.#shared.count('wherry_narrow_full_total', resourceName(view.resource))
    return new NarrowFullError(this.#shared.settings.max)
  }

  close(): void {
    this.#timer?.cancel()
    this.#idle.clear()
    for (const one of this.views) one.close()
    this.#views.clear()
    this.#resize(-this.#size)
  }

  /** Evicts an entry if there is no room for one more. Returns whether there is. */
  #makeRoom(): boolean {
    if (this.#size < this.#shared.settings.max) return true
    const [oldest] = this.#idle
    if (oldest === undefined) return false
    this.#evict(oldest)
    return true
  }

  #rest(entry: Entry): void {
    this.#idle.add(entry)
    entry.readAt = this.#shared.environment.clock.monotonic()
  }

  /** It is idle no more. */
  #leave(entry: Entry): void {
    this.#idle.delete(entry)
    if (this.#idle.size > 0) return
    this.#timer?.cancel()
    this.#timer = undefined
  }

  /** Evicts entries that were not read for long enough, now and later. */
  #expire(): void {
    const { apart, environment, settings } = this.#shared
    const { clock } = environment
    this.#timer = undefined
    for (const oldest of this.#idle) {
      const leftMs = oldest.readAt + settings.idleMs - clock.monotonic()
      if (leftMs === Number.POSITIVE_INFINITY) return
      if (leftMs > 0) {
        this.#timer = apart(() => clock.timer(Math.max(1, leftMs), () => this.#expire()))
        return
      }
      this.#evict(oldest)
    }
  }

  #evict(entry: Entry): void {
    this.#shared.count('wherry_narrow_evictions_total', entry.scope.of.resource)
    this.#close(entry)
  }

  #close(entry: Entry): void {
    this.#leave(entry)
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
