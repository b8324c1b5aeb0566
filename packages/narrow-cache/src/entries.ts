import { resourceName, type View } from '@wherry/client'
import { Entry } from './entry.ts'
import { NarrowFullError } from './errors.ts'
import { Idle } from './idle.ts'
import type { CheckedKey } from './key.ts'
import { Kind, kindKey } from './kind.ts'
import type { NarrowView } from './narrow-view.ts'
import { entriesOf } from './report.ts'
import type { Shared } from './shared.ts'
import type { Views } from './views.ts'

/** All entries of a cache: how many there may be, and which of them go (rules N6, N7). */
export class Entries {
  readonly #shared: Shared
  readonly #views: Views
  readonly #idle: Idle<Entry>
  readonly #kinds = new Map<string, Kind>()
  /** Of the views that were asked for: made once for each. */
  readonly #kindKeys = new WeakMap<View, string>()
  #size = 0
  /** There were more than there may be, so that some had to be escalated (rule N7). */
  #wasFull = false

  constructor(shared: Shared, views: Views) {
    const { idleMs, max } = shared.settings
    this.#shared = shared
    this.#views = views
    this.#idle = new Idle({
      clock: shared.environment.clock,
      idleMs,
      max,
      evict: entry => this.#evict(entry),
    })
  }

  get size(): number {
    return this.#size
  }

  /** How many of them nobody subscribes to or waits for. */
  get idle(): number {
    return this.#idle.size
  }

  get kinds(): Kind[] {
    return [...this.#kinds.values()]
  }

  get all(): Entry[] {
    return entriesOf(this.#kinds.values())
  }

  find(view: View, { namespace, text }: CheckedKey): Entry | undefined {
    return this.#kinds.get(this.#keyOf(view))?.find(namespace, text)
  }

  /** Those of an object of that name, in whatever version of its resource and by whatever selectors. */
  named({ resource: { group, plural } }: View, name: string | undefined, namespace: string | undefined): Entry[] {
    if (name === undefined) return []
    const text = namespace === undefined ? name : `${namespace}/${name}`
    return this.kinds
      .filter(({ view: { resource: other } }) => other.group === group && other.plural === plural)
      .flatMap(kind => kind.find(namespace, text) ?? [])
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
      for (const way of found.bucket.ways) way.asks(found)
      return { entry: found, narrow }
    }
    // What is evicted may be the last of its view and kind: these are made, or found, afterwards.
    const isOverBound = !this.#makeRoom()
    const kind = this.#kind(view)
    const bucket = kind.bucket(key.namespace)
    if (isOverBound && !kind.rise(bucket)) {
      kind.tidy(bucket)
      this.#tidy(kind)
      if (this.#size <= this.#shared.settings.max) this.#roomy()
      return undefined
    }
    const narrow = this.#views.get(view)
    const entry = new Entry(bucket, key)
    entry.isOverBound = isOverBound
    this.#wasFull ||= isOverBound
    this.#size += 1
    this.#gauge()
    entry.join(narrow)
    kind.add(entry)
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

  /** Closes one that nobody needs. Gives whether it did. */
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
    this.#idle.close()
    for (const entry of this.all) entry.close()
    for (const kind of this.#kinds.values()) kind.close()
    this.#kinds.clear()
    this.#size = 0
    this.#gauge()
  }

  #keyOf(view: View): string {
    const found = this.#kindKeys.get(view)
    if (found !== undefined) return found
    const key = kindKey(view)
    this.#kindKeys.set(view, key)
    return key
  }

  #kind(view: View): Kind {
    const key = this.#keyOf(view)
    const found = this.#kinds.get(key)
    if (found !== undefined) return found
    const kind = new Kind(view, this.#shared)
    this.#kinds.set(key, kind)
    return kind
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
    this.#shared.count('wherry_narrow_evictions_total', entry.kind.resource)
    this.#close(entry, coming)
  }

  /** @param coming how many will come in its place: for so many more there must be room */
  #close(entry: Entry, coming = 0): void {
    if (entry.isOver) return
    const { kind, views } = entry
    this.#size -= 1
    this.#gauge()
    entry.close()
    const isRoomy = this.#size + coming <= this.#shared.settings.max
    kind.remove(entry, isRoomy && !this.#wasFull)
    if (isRoomy) this.#roomy()
    for (const narrow of views) this.#views.drop(narrow)
    this.#tidy(kind)
  }

  /** There are not more than there may be. */
  #roomy(): void {
    if (!this.#wasFull) return
    this.#wasFull = false
    for (const one of this.all) one.isOverBound = false
    for (const one of this.kinds) one.roomy()
  }

  #tidy(kind: Kind): void {
    if (kind.buckets.size === 0) this.#kinds.delete(kindKey(kind.view))
  }

  #gauge(): void {
    this.#shared.environment.metrics.gauge('wherry_narrow_entries', this.#size)
  }
}
