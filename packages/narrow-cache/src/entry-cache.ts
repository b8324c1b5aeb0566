import { resourceName, type View } from '@wherry/client'
import type { CacheContext } from './cache-context.ts'
import type { Entry } from './entry.ts'
import { NarrowFullError } from './errors.ts'
import { Idle } from './idle.ts'
import type { CheckedKey } from './key.ts'
import { formOf } from './level.ts'
import type { NarrowView } from './narrow-view.ts'
import type { ObjectFloor } from './object-floor.ts'
import { ResourceEntries } from './resource-entries.ts'
import type { Views } from './views.ts'

/** All entries of a cache: how many there may be, and which of them are evicted (rules N6, N7). */
export class EntryCache {
  readonly #shared: CacheContext
  readonly #views: Views
  readonly #idle: Idle<Entry>
  readonly #resources = new Map<string, ResourceEntries>()
  /** Made once for each view. */
  readonly #keys = new WeakMap<View, string>()
  #size = 0
  /** There were more than there may be, so some resource was escalated. */
  #wasFull = false

  constructor(shared: CacheContext, views: Views) {
    const { idleMs, max } = shared.settings
    this.#shared = shared
    this.#views = views
    this.#idle = new Idle({ clock: shared.environment.clock, idleMs, max, evict: entry => this.#evict(entry) })
  }

  get size(): number {
    return this.#size
  }

  /** How many entries nobody subscribes to or waits for. */
  get idle(): number {
    return this.#idle.size
  }

  get resources(): ResourceEntries[] {
    return [...this.#resources.values()]
  }

  get all(): Entry[] {
    return this.resources.flatMap(resource => resource.all())
  }

  find(view: View, { namespace, text }: CheckedKey): Entry | undefined {
    const level = formOf(view)
    const forms = this.#resources.get(this.#keyOf(view))?.find(namespace, text)
    return forms?.find(entry => entry.level === level)
  }

  /** The objects of that name, in each version of the resource and by each selector. */
  *named(
    { resource: { group, plural } }: View,
    name: string | undefined,
    namespace: string | undefined,
  ): Iterable<{ readonly object: ObjectFloor<Entry>; readonly selects: View }> {
    const text = namespace === undefined ? `${name}` : `${namespace}/${name}`
    for (const resource of this.#resources.values()) {
      const { resource: other } = resource.view
      const object = resource.object(namespace, text)
      if (object !== undefined && other.group === group && other.plural === plural) {
        yield { object, selects: resource.view }
      }
    }
  }

  /** The entry of an object, which feeds that view; `undefined` where there is no room. @throws ViewConflictError */
  ensure(view: View, key: CheckedKey): { readonly entry: Entry; readonly narrow: NarrowView } | undefined {
    this.#views.find(view)?.mustBe(view)
    const found = this.find(view, key)
    if (found?.isFull === true && found.pins === 0) {
      // It was refused room when nobody waited for it any more: there may be some now.
      this.forget(found)
    } else if (found !== undefined) {
      const narrow = this.#views.get(view)
      found.join(narrow)
      found.wanted()
      return { entry: found, narrow }
    }
    // The last entry of its view and resource may be evicted: these are made, or found, afterwards.
    const isOverBound = !this.#makeRoom()
    const resource = this.#resource(view)
    const scope = resource.in(key.namespace)
    if (isOverBound && !resource.rise(scope)) {
      resource.tidy(scope)
      resource.tidyUp()
      if (this.#size <= this.#shared.settings.max) this.#roomy()
      return undefined
    }
    const narrow = this.#views.get(view)
    const entry = scope.make(key, formOf(view))
    entry.isOverBound = isOverBound
    this.#wasFull ||= isOverBound
    this.#size += 1
    this.#gauge()
    entry.join(narrow)
    resource.added(entry, scope)
    return { entry, narrow }
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
    if (entry.pins > 0 || entry.isOver) return
    if (entry.isFull) this.#close(entry)
    else this.#idle.add(entry)
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
    for (const entry of this.all) entry.close()
    for (const resource of this.#resources.values()) resource.close()
    this.#resources.clear()
    this.#size = 0
    this.#gauge()
  }

  #keyOf(view: View): string {
    const found = this.#keys.get(view)
    if (found !== undefined) return found
    const key = resourceKey(view)
    this.#keys.set(view, key)
    return key
  }

  #resource(view: View): ResourceEntries {
    const key = this.#keyOf(view)
    const emptied = (): void => void this.#resources.delete(key)
    const resource = this.#resources.get(key) ?? new ResourceEntries(view, this.#shared, emptied)
    this.#resources.set(key, resource)
    return resource
  }

  /** Evicts until there is room for one; `false` where there is none. */
  #makeRoom(): boolean {
    while (this.#size >= this.#shared.settings.max) {
      const oldest = this.#idle.take()
      if (oldest === undefined) return false
      this.#evict(oldest, 1)
    }
    return true
  }

  #evict(entry: Entry, coming = 0): void {
    this.#shared.count('wherry_narrow_evictions_total', entry.scope.of.resource)
    this.#close(entry, coming)
  }

  /** @param coming how many come in its place, for which there must be room */
  #close(entry: Entry, coming = 0): void {
    if (entry.isOver) return
    const { views } = entry
    const resource = this.#resource(entry.scope.of.view)
    this.#size -= 1
    this.#gauge()
    entry.close()
    const isRoomy = this.#size + coming <= this.#shared.settings.max
    resource.removed(entry, isRoomy && !this.#wasFull)
    if (isRoomy) this.#roomy()
    for (const narrow of views) this.#views.drop(narrow)
  }

  /** There are not more than there may be. */
  #roomy(): void {
    if (!this.#wasFull) return
    this.#wasFull = false
    for (const one of this.all) {
      if (!one.isOverBound) continue
      one.isOverBound = false
      this.#resource(one.scope.of.view).place(one)
    }
    for (const one of this.resources) one.shrink(one.namespaces.values())
  }

  #gauge(): void {
    this.#shared.environment.metrics.gauge('wherry_narrow_entries', this.#size)
  }
}

/** Views of one key share entries. Exact views are decoded apart. */
function resourceKey({ resource, labels, fields, projection }: View): string {
  const { group, version, plural } = resource
  return JSON.stringify([group, version, plural, labels.text, fields.text, projection.kind === 'exact'])
}
