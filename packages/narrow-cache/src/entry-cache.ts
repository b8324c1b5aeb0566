import type { CheckedKey, ResourceDefinition, Timer, View } from '@wherry/client'
import { keyText, resourceName } from '@wherry/client/internal'
import { ViewConflictError } from '@wherry/informer'
import { checkHeldResource, isSameFunction } from '@wherry/informer/internal'
import type { CacheContext } from './cache-context.ts'
import type { Entry } from './entry.ts'
import { NarrowClosedError } from './errors.ts'
import { ViewEntries } from './view-entries.ts'

/** All entries of a cache. It bounds their number, and evicts idle ones (rules N6, N7). */
export class EntryCache {
  readonly #shared: CacheContext
  /** The entries without subscribers and waits, the least recently read first. */
  readonly #idle = new Set<Entry>()
  /** Evicts idle entries. */
  #timer: Timer | undefined
  /** By the keys of the views. */
  readonly #views = new Map<string, ViewEntries>()
  #size = 0
  /** The keys of the views for which `onWarning` was called, because an entry of theirs exceeded `max`. */
  readonly #warned = new Set<string>()

  constructor(shared: CacheContext) {
    this.#shared = shared
  }

  get views(): ViewEntries[] {
    return [...this.#views.values()]
  }

  /** The entries of a view; `undefined` if the view has neither an entry nor a cursor. @throws ViewConflictError for another function of the same name */
  find(view: View): ViewEntries | undefined {
    const found = this.#views.get(view?.key)
    if (found && !isSameFunction(view.projection, found.view.projection)) throw new ViewConflictError(view.key)
    return found
  }

  /** The entries of a view, which may have none yet. @throws ViewConflictError, NarrowClosedError */
  of(view: View): ViewEntries {
    const found = this.find(view)
    if (found !== undefined) return found
    if (this.#shared.closing.signal.aborted) throw new NarrowClosedError()
    // Views may be idle now, because their cursors were closed meanwhile.
    for (const one of this.views) this.#drop(one)
    const made = new ViewEntries(view, this.#shared)
    this.#views.set(view.key, made)
    return made
  }

  /** The entries of an object, in each version of the resource and by each selector. */
  named({ resource }: View, name: string | undefined, namespace: string | undefined): Entry[] {
    const { group, plural } = resource
    const key = keyText({ namespace, name: `${name}` })
    return this.views.flatMap(({ view, entries }) => {
      const isSame = view.resource.group === group && view.resource.plural === plural
      return (isSame && entries.get(key)) || []
    })
  }

  /** Reads all entries of a resource again, in each version. @throws OptionTypeError */
  relist(given: Pick<ResourceDefinition, 'group' | 'plural'>): void {
    checkHeldResource('relist.resource', given)
    const { group, plural } = given
    for (const one of this.views) {
      const { resource } = one.view
      if (resource.group === group && resource.plural === plural) one.relist()
    }
  }

  /**
   * The entry of an object, for a subscription or a wait. It is made even above `max` (rule N7).
   * @throws ViewConflictError, NarrowClosedError
   */
  pin(view: View, key: CheckedKey): Entry {
    const entry = this.find(view)?.entries.get(key.text) ?? this.#add(view, key)
    entry.pins += 1
    this.#idle.delete(entry)
    return entry
  }

  /** Notes that an idle entry was read. */
  touch(entry: Entry): void {
    if (!this.#idle.delete(entry)) return
    this.#idle.add(entry)
    entry.readAt = this.#shared.environment.clock.monotonic()
  }

  /** As {@link EntryCache.pin}, for one read; `undefined` if there is no entry, and no room for one. */
  pinIfRoom(view: View, key: CheckedKey): Entry | undefined {
    const isThere = this.find(view)?.entries.has(key.text) === true
    if (isThere || this.#size < this.#shared.settings.max || this.#idle.size > 0) return this.pin(view, key)
    this.#shared.count('wherry_narrow_full_total', resourceName(view.resource))
    return undefined
  }

  unpin(entry: Entry): void {
    entry.pins -= 1
    if (entry.pins > 0 || entry.isOver) return
    this.#idle.add(entry)
    this.touch(entry)
    if (this.#size > this.#shared.settings.max) return this.#evict(entry)
    if (this.#timer === undefined) this.#expire()
  }

  /** Closes an entry that nobody needs. */
  remove(entry: Entry): void {
    this.#idle.delete(entry)
    const entries = entry.scope.of as ViewEntries
    this.#resize(-1)
    entries.remove(entry)
    this.#drop(entries)
    // There is room again: the views follow their own bounds.
    if (this.#size === this.#shared.settings.max) for (const one of this.views) one.share(false)
  }

  close(): void {
    this.#timer?.cancel()
    this.#idle.clear()
    for (const one of this.views) one.close()
    this.#views.clear()
    this.#resize(-this.#size)
  }

  /** Makes an entry. With `max` entries, it replaces an idle one; if none is idle, the view shares one watch from then on. */
  #add(view: View, key: CheckedKey): Entry {
    const isFull = this.#size >= this.#shared.settings.max
    const [oldest] = this.#idle
    if (isFull && oldest !== undefined) this.#evict(oldest)
    const entries = this.of(view)
    this.#resize(1)
    if (isFull && oldest === undefined) this.#overflow(entries)
    return entries.add(key)
  }

  #overflow(entries: ViewEntries): void {
    const { environment, settings } = this.#shared
    const { view, resource } = entries
    this.#shared.count('wherry_narrow_full_total', resource)
    entries.share(true)
    if (this.#warned.has(view.key)) return
    this.#warned.add(view.key)
    environment.onWarning(
      `more than ${settings.max} objects are watched by name (the narrow cache's max), and ${view.key} goes on by one watch of metadata and a request for each object: if most of its objects are read, .caches(view) is cheaper`,
      { resource, view: view.key },
    )
  }

  /** Evicts the entries that were not read for `idleMs`, and sets the timer for the next entry. */
  #expire(): void {
    const { apart, environment, settings } = this.#shared
    const { clock } = environment
    this.#timer = undefined
    for (const oldest of this.#idle) {
      const leftMs = oldest.readAt + settings.idleMs - clock.monotonic()
      if (leftMs === Number.POSITIVE_INFINITY) return
      if (leftMs > 0) {
        this.#timer = apart(() => clock.timer(Math.max(1, leftMs), () => this.#expire()))
        // The timer need not keep the process alive: the open watches do.
        this.#timer.unref?.()
        return
      }
      this.#evict(oldest)
    }
  }

  #evict(entry: Entry): void {
    this.#shared.count('wherry_narrow_evictions_total', entry.scope.of.resource)
    this.remove(entry)
  }

  /** Removes a view that has no entry and no cursor. */
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
